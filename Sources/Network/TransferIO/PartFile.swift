import Glibc

/// The file into which a body is written. Used on one thread.
final class PartFile {
    let descriptor: Int32
    /// The number of bytes in it.
    private(set) var length: Int64
    /// The number of bytes that have reached the disk.
    private(set) var syncedLength: Int64
    /// True while another thread waits for the disk.
    var isSyncing = false

    /// Opens the part, and cuts it to `length` bytes; nil with `errno` if that fails.
    init?(_ path: String, cutTo length: Int64) {
        let file = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return nil }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_size >= length,
            ftruncate(file, off_t(length)) == 0
        else {
            let code = errno == 0 ? EIO : errno
            close(file)
            errno = code
            return nil
        }
        descriptor = file
        self.length = length
        syncedLength = length
    }

    deinit { close(descriptor) }

    /// Appends bytes. Returns 0 or the `errno` of a failure, after writing what there is room for.
    func append(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        var written = 0
        while written < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(length))
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : ENOSPC }
            written += count
            length += Int64(count)
        }
        return 0
    }

    /// The number of bytes that may not have reached the disk.
    var unsyncedLength: Int64 { length - syncedLength }

    /// True if bytes may not have reached the disk, and no thread waits for that.
    var awaitsSync: Bool { unsyncedLength > 0 && !isSyncing }

    /// Notes that the first `length` bytes have reached the disk.
    func didSync(_ length: Int64) { syncedLength = max(syncedLength, length) }
}
