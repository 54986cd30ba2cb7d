import CUndersongLinux
import Dispatch
import Glibc

/// Notices when the reader of the standard output has gone, even if nothing is written for a long
/// time.
enum ReaderWatch {
    /// Calls `then` on its own thread when the reader of a pipe or socket has gone.
    static func begin(_ then: @escaping @Sendable () -> Void) {
        var status = stat()
        guard unsafe fstat(STDOUT_FILENO, &status) == 0,
            [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
        else { return }
        DispatchQueue(label: "undersong.reader").async {
            // No events are requested, so poll returns only at the end.
            var end = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while unsafe poll(&end, 1, -1) < 0 && errno == EINTR {}
            then()
        }
    }
}
