import Glibc
package import Playback
import Threads

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
    /// position. Errors: it cannot be created or written.
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
        try writeAll(header())
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
        let header = header()
        let count = unsafe pwrite(descriptor, header, header.count, start)
        guard count == header.count else { throw Self.failure(path, count < 0 ? errno : EIO) }
    }

    private func header() -> [UInt8] {
        let format = formatChunk()
        let dataSize = byteCount > 0 ? UInt32(clamping: byteCount) : .max
        let riffSize = UInt32(clamping: Int(dataSize) + format.count + 20)
        return Array("RIFF".utf8) + Self.bytes(riffSize) + Array("WAVEfmt ".utf8)
            + Self.bytes(UInt32(format.count)) + format
            + Array("data".utf8) + Self.bytes(dataSize)
    }

    /// The contents of the `fmt ` chunk: the plain form, unless the samples or channels require the
    /// extensible one (Multiple Channel Audio Data and WAVE Files, Microsoft, 2007).
    private func formatChunk() -> [UInt8] {
        let kind: UInt16 = format.sampleFormat == .int16 ? 1 : 3
        let isPlain = format.channelCount <= 2
        let chunk =
            Self.bytes(isPlain ? kind : 0xFFFE) + Self.bytes(UInt16(format.channelCount))
            + Self.bytes(UInt32(format.sampleRate))
            + Self.bytes(UInt32(format.sampleRate * format.bytesPerFrame))
            + Self.bytes(UInt16(format.bytesPerFrame))
            + Self.bytes(UInt16(format.sampleFormat.byteCount * 8))
        guard !isPlain else { return chunk }
        let subformat: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
        return chunk + Self.bytes(UInt16(22))
            + Self.bytes(UInt16(format.sampleFormat.byteCount * 8))
            + Self.bytes(format.speakers.reduce(UInt32(0)) { $0 | $1.bitOfWAV })
            + Self.bytes(kind) + subformat
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

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe Array($0) }
    }

    private static func failure(_ path: FilePath, _ code: Int32) -> OutputError {
        OutputError(
            code == EPIPE ? .readerGone : .writeFailed, operation: "write \(path)",
            reason: unsafe String(cString: strerror(code)))
    }
}

extension Speaker {
    /// Its bit in a WAV file's channel mask.
    fileprivate var bitOfWAV: UInt32 {
        switch self {
        case .frontLeft: 0x1
        case .frontRight: 0x2
        case .frontCenter: 0x4
        case .lowFrequency: 0x8
        case .rearLeft: 0x10
        case .rearRight: 0x20
        case .rearCenter: 0x100
        case .sideLeft: 0x200
        case .sideRight: 0x400
        }
    }
}
