import CLinux
import Dispatch
import Glibc

/// Notices that nobody reads the standard output any more, though nothing may be written to it for
/// a long time.
enum ReaderWatch {
    /// Calls `then` when the reader of a pipe or socket has gone, on a thread of its own.
    static func begin(_ then: @escaping @Sendable () -> Void) {
        var status = stat()
        guard unsafe fstat(STDOUT_FILENO, &status) == 0,
            [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
        else { return }
        DispatchQueue(label: "undersong.reader").async {
            // Nothing is asked for: what comes is the end.
            var end = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while unsafe poll(&end, 1, -1) < 0 && errno == EINTR {}
            then()
        }
    }
}
