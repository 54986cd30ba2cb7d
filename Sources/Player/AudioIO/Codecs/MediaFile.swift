import Glibc
package import UndersongBase
package import UndersongPlayback

/// Reads a file, the standard input or a stream from the network for a codec in large blocks, and
/// records why reading failed, which the codec's library may report as a plain end (behaviour 3.2).
///
/// Owned by the decode thread.
final class MediaFile {
    static let bufferSize = 64 * 1024

    let path: FilePath
    /// The size in bytes; nil for a pipe, and for a stream whose end is not known.
    let size: Int?
    /// The way to the bytes of a stream; nil for anything else.
    let network: NetworkReader?
    /// The `errno` of a failed read.
    private(set) var failure: Int32?
    /// Called before each read from the disk; if it returns true, the read fails with ECANCELED.
    var isCancelled: @Sendable () -> Bool = { false }
    private let descriptor: Int32
    private let ownsDescriptor: Bool
    /// Empty until something is read in order.
    private var buffer: [UInt8] = []
    private var filled = 0
    private var consumed = 0
    /// Pieces of a regular file that `head` need not read again.
    private var kept: [(start: Int, bytes: [UInt8])] = []
    /// The descriptor's position: after the last byte in `buffer`.
    private var offset: off_t = 0

    /// Opens `source`. What is on the network is waited for; without `access` that is an error too.
    /// - Throws: An error if it is missing, not permitted, not a file, or empty.
    init(_ source: MediaSource, _ access: NetworkAccess? = nil) throws(MediaError) {
        path = source.path
        switch source {
        case .standardInput:
            descriptor = STDIN_FILENO
            ownsDescriptor = false
            size = nil
            network = nil
        case .network(let url):
            guard let access else {
                throw MediaError(
                    .noNetwork, operation: "play \(url)",
                    reason: "There is no access to the network")
            }
            let reader = try NetworkReader(url, access)
            descriptor = reader.stream.descriptor
            ownsDescriptor = false
            size = reader.size
            network = reader
            offset = off_t(size == nil ? reader.start : 0)
            guard size != 0 else {
                throw MediaError(.empty, operation: "play \(url)", reason: "The file is empty")
            }
        case .file(let path):
            descriptor = unsafe path.withPlatformString { unsafe open($0, O_RDONLY | O_CLOEXEC) }
            ownsDescriptor = true
            guard descriptor >= 0 else { throw MediaError(opening: path, errno) }
            var status = stat()
            unsafe fstat(descriptor, &status)
            let kind = status.st_mode & S_IFMT
            guard kind != S_IFDIR && kind != S_IFBLK else {
                close(descriptor)
                let reason = SystemError(EISDIR).reason
                throw MediaError(
                    .notAFile, operation: "open \(path)",
                    reason: kind == S_IFDIR ? reason : "It is a block device")
            }
            size = kind == S_IFREG ? Int(status.st_size) : nil
            network = nil
            guard size != 0 else {
                close(descriptor)
                throw MediaError(.empty, operation: "play \(path)", reason: "The file is empty")
            }
        }
    }

    deinit { if ownsDescriptor { close(descriptor) } }

    /// The first bytes of a regular file, without moving the read position; empty for a pipe.
    func head(_ count: Int, at start: Int = 0) -> [UInt8] {
        guard size != nil else { return [] }
        for piece in kept where start >= piece.start && start - piece.start < piece.bytes.count {
            let offset = start - piece.start
            let isWhole = count <= piece.bytes.count - offset
            guard isWhole || piece.start + piece.bytes.count == size else { continue }
            return Array(piece.bytes[offset...].prefix(count))
        }
        return bytes(count, at: start)
    }

    /// Reads a piece of a regular file, from which `head` is served then.
    func keep(_ count: Int, at start: Int) { kept.append((start, head(count, at: start))) }

    /// The bytes that show which codec the file is for: the first ones after an ID3v2 tag. Empty for
    /// a pipe.
    var signature: [UInt8] {
        size == nil && network != nil
            ? bytes(64, at: Int(offset)) : head(64, at: id3v2Length(head(10)))
    }

    private func bytes(_ count: Int, at start: Int) -> [UInt8] {
        if let network, !network.wait(for: Int64(count), from: Int64(start)) {
            failure = ECANCELED
            return []
        }
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
            let length = unsafe pread(descriptor, bytes.baseAddress, count, off_t(start))
            // An offset that a damaged file gives is not a failure of the disk.
            if length < 0, errno != EINVAL, network == nil { failure = errno }
            initialized = max(length, 0)
        }
    }

    /// Copies at most `count` bytes and returns how many: 0 at the end, -1 if reading failed.
    func read(into target: UnsafeMutableRawPointer, count: Int) -> Int {
        if consumed == filled {
            guard refill() else { return -1 }
        }
        let length = min(count, filled - consumed)
        unsafe buffer.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, length > 0 else { return }
            unsafe target.copyMemory(from: base + consumed, byteCount: length)
        }
        consumed += length
        return length
    }

    /// Moves the read position as `lseek` does; a move within the buffer needs no system call.
    func seek(to target: off_t, whence: Int32) -> off_t {
        guard size != nil else { return -1 }
        let place = offset - off_t(filled - consumed)
        let wanted: off_t
        switch whence {
        case SEEK_SET: wanted = target
        case SEEK_CUR: wanted = place + target
        default: wanted = off_t(size ?? 0) + target
        }
        let distance = Int(wanted - place)
        if consumed + distance >= 0 && consumed + distance <= filled {
            consumed += distance
            return wanted
        }
        let result = network == nil ? lseek(descriptor, wanted, SEEK_SET) : max(-1, wanted)
        guard result >= 0 else { return result }
        offset = result
        filled = 0
        consumed = 0
        return result
    }

    /// True if `count` bytes can be read without waiting for the network, or all up to the end, or
    /// up to where nothing more comes.
    func isReadable(_ count: Int) -> Bool {
        guard let network else { return true }
        return network.stream.status.failure != nil
            || network.isReadable(Int64(count), from: place)
    }

    /// The end of the bytes that can be read from `offset` on without waiting for the network.
    func knownEnd(from offset: Int) -> Int {
        guard let network else { return size ?? 0 }
        return offset + Int(network.stream.readable(from: Int64(offset)))
    }

    /// Asks for the bytes that come next, without waiting for them.
    func follow() { network?.follow(place) }

    /// The reason why reading has failed; nil if it has not.
    func readError() -> MediaError? {
        guard let failure else { return nil }
        return network?.failure
            ?? MediaError(
                .readFailed, operation: "read \(path)",
                reason: SystemError(failure).reason)
    }

    /// The offset in the file of the next byte.
    var place: Int64 { Int64(offset) - Int64(filled - consumed) }

    private func refill() -> Bool {
        guard !isCancelled() else {
            failure = ECANCELED
            return false
        }
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.bufferSize) }
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                guard let network, let base = bytes.baseAddress else {
                    return unsafe Glibc.read(descriptor, bytes.baseAddress, bytes.count)
                }
                return unsafe network.read(into: base, count: bytes.count, at: Int(offset))
            }
            if count < 0 && errno == EINTR { continue }
            consumed = 0
            filled = max(count, 0)
            offset += off_t(filled)
            if count < 0 { failure = network == nil ? errno : ECANCELED }
            return count >= 0
        }
    }
}

extension MediaError {
    /// The error for an item without a single frame, from `start` of a file of this length.
    package init(nothingIn source: MediaSource, from start: CMTime, of length: CMTime) {
        let isBeyond = length.isNumeric && start > .zero && start >= length
        self.init(
            .noFrames, operation: "play \(source.path)",
            reason: isBeyond
                ? "The start at \(clockText(start.seconds)) is past the end of the file "
                    + "(\(clockText(length.seconds)))"
                : "It has nothing between its start and end")
    }

    /// The error for a file that cannot be opened; `code` is that of errno.
    package init(opening path: FilePath, _ code: Int32) {
        var reason = SystemError(code).reason
        var kind = Code.readFailed
        switch code {
        case ENOENT, ENOTDIR:
            kind = .notFound
            if case .remote = NameKind(path.bytes.span) {
                kind = .notAFile
                reason = "Only files, and URLs of HTTP and HTTPS, can be played"
            }
        case EACCES, EPERM: kind = .notPermitted
        default: break
        }
        self.init(kind, operation: "open \(path)", reason: reason)
    }
}
