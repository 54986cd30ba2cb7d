import CUndersongLinux
import Glibc

/// Writes all of `bytes`, however long that takes; returns 0 or the `errno` of a failure.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    unsafe bytes.withUnsafeBytes { unsafe writeAll($0, to: descriptor) }
}

/// Writes all of `bytes`, from `offset` in the file if one is given. Returns 0 or the `errno` of a
/// failure; a disk that fills up takes a part of them at first.
package func writeAll(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64? = nil
) -> Int32 {
    var rest = unsafe bytes[...]
    while unsafe !rest.isEmpty {
        let piece = unsafe UnsafeRawBufferPointer(rebasing: rest)
        let count =
            if let offset {
                unsafe pwrite(
                    descriptor, piece.baseAddress, piece.count,
                    off_t(offset) + off_t(bytes.count - piece.count))
            } else {
                unsafe write(descriptor, piece.baseAddress, piece.count)
            }
        if count < 0 && errno == EAGAIN {
            waitForRoom(in: descriptor)
        } else if count < 0 && errno != EINTR {
            return errno
        } else if count == 0 {
            return ENOSPC
        }
        unsafe rest = rest.dropFirst(max(count, 0))
    }
    return 0
}

/// Waits until a descriptor that another program has made non-blocking can be written.
private func waitForRoom(in descriptor: Int32) {
    var awaited = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&awaited, 1, -1)
}

/// Reads a descriptor to its end, or until there are more than `limit` bytes.
package func readAll(
    from descriptor: Int32, limit: Int = .max
) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65536)
    while bytes.count <= limit {
        let count = unsafe read(descriptor, &block, block.count)
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw .last }
        if count == 0 { break }
        bytes += block[..<count]
    }
    return bytes
}

/// A regular file's bytes, whose reading does not wait for anybody.
package enum FileContent {
    /// The reason they cannot be read.
    package enum Problem: Error, Equatable, CustomStringConvertible {
        case notAFile
        case tooLong(limit: Int)
        case failed(SystemError)

        package var description: String {
            switch self {
            case .notAFile: "it is not a file"
            case .tooLong(let limit): "it is longer than \(limit >> 20) MiB"
            case .failed(let error): error.reason
            }
        }
    }

    /// Reads all bytes of an open file, wherever its position is. They are fewer than its length if it
    /// is cut meanwhile.
    package static func bytes(of descriptor: Int32, limit: Int) throws(Problem) -> [UInt8] {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .notAFile
        }
        let length = Int(status.st_size)
        guard length <= limit else { throw .tooLong(limit: limit) }
        var bytes = [UInt8](repeating: 0, count: length)
        var done = 0
        while done < length {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                return unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(done))
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .failed(.last) }
            if count == 0 { break }
            done += count
        }
        return Array(bytes.prefix(done))
    }
}
