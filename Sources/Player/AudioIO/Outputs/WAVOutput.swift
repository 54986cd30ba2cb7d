import Glibc
package import UndersongBase
package import UndersongPlayback

/// Writes a WAV file as fast as the disk accepts it: a frame counts as heard once it is written.
/// Owned by the output thread.
package struct WAVOutput: AudioOutput, ~Copyable {
    private let path: FilePath
    private let descriptor: Int32
    private let format: StreamFormat
    private let clock: any HostClock
    /// The offset at which it begins; negative in a pipe.
    private let start: Int
    private var byteCount = 0

    /// Creates or replaces the file at `path`; the standard output is written from its current
    /// position.
    /// - Throws: An error if it cannot be created or written.
    package init(
        format: StreamFormat, path: FilePath, clock: any HostClock
    ) throws(OutputError) {
        self.path = path
        self.format = format
        self.clock = clock
        descriptor =
            path == "/dev/stdout"
            ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
            : unsafe path.withPlatformString {
                unsafe open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            }
        let code = errno
        start = lseek(descriptor, 0, SEEK_CUR)
        guard descriptor >= 0 else { throw Self.failure(path, code) }
        try writeAll(WAVHeader(format: format).bytes)
    }

    deinit { Glibc.close(descriptor) }

    package var isRealTime: Bool { false }
    package var room: Int { .max }

    package mutating func write(_ frames: UnsafeRawBufferPointer) throws(OutputError) {
        try unsafe writeAll(frames)
        byteCount += frames.count
    }

    package mutating func reading() -> OutputReading? {
        OutputReading(latency: 0, hostTime: clock.now)
    }

    package mutating func pause() -> Int { 0 }

    package mutating func resume() {}

    package mutating func flush(continuing: Bool) -> Int { 0 }

    package mutating func wait(until deadline: Int64?, or descriptor: Int32) {
        Wakeup.wait(for: descriptor, until: deadline ?? .max)
    }

    package mutating func drain() throws(OutputError) {}

    /// Writes the sizes into the header. In a pipe or a file opened for appending they keep the
    /// value that means "unknown".
    package consuming func close() throws(OutputError) {
        guard start >= 0, fcntl(descriptor, F_GETFL) & O_APPEND == 0 else { return }
        let header = WAVHeader(format: format, byteCount: byteCount).bytes
        let count = unsafe pwrite(descriptor, header, header.count, start)
        guard count == header.count else { throw Self.failure(path, count < 0 ? errno : EIO) }
    }

    private func writeAll(_ bytes: [UInt8]) throws(OutputError) {
        try unsafe bytes.span.withUnsafeBytes { bytes throws(OutputError) in
            try unsafe writeAll(bytes)
        }
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
        guard let start = bytes.baseAddress else { return }
        var written = 0
        while written < bytes.count {
            let count = unsafe Glibc.write(descriptor, start + written, bytes.count - written)
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN {
                var awaited = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&awaited, 1, -1)
                continue
            }
            guard count > 0 else { throw Self.failure(path, errno) }
            written += count
        }
    }

    private static func failure(_ path: FilePath, _ code: Int32) -> OutputError {
        OutputError(
            code == EPIPE ? .readerGone : .writeFailed, operation: "write \(path)",
            reason: unsafe String(cString: strerror(code)))
    }
}
