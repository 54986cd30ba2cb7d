import Glibc

/// The file that a request sends. Used on one thread.
final class BodyFile {
    private let descriptor: Int32
    let length: Int64
    /// The number of bytes that were read since its start.
    private(set) var position: Int64 = 0

    /// Opens a regular file; nil with `errno` if that fails.
    convenience init?(_ path: String) {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        self.init(owning: file)
    }

    /// Reads a regular file that is open, and closes it in the end; nil with `errno` if it is another
    /// kind of file.
    init?(owning file: Int32) {
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            errno = EISDIR
            return nil
        }
        descriptor = file
        length = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    /// Reads the next bytes, not beyond the length that the file had. Nil if that fails.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let wanted = Int(min(Int64(buffer.count), length - position))
        while true {
            let count = unsafe pread(descriptor, buffer.baseAddress, wanted, off_t(position))
            if count < 0 && errno == EINTR { continue }
            // A file that was cut meanwhile is not the one that was announced.
            guard count > 0 || wanted == 0 else { return nil }
            position += Int64(count)
            return count
        }
    }

    /// Continues at `position`, for a request that is sent again to another URL.
    func seek(to position: Int64) -> Bool {
        guard (0...length).contains(position) else { return false }
        self.position = position
        return true
    }
}
