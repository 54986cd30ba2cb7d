import Glibc

/// Cuts what was received into lines.
struct LineBuffer: ~Copyable {
    /// How much memory an empty one keeps.
    static let kept = 4096

    private var bytes: [UInt8] = []
    /// Where the first line that was not taken begins.
    private var start = 0
    /// Up to where there is no line feed.
    private var searched = 0

    /// Bytes that were not taken.
    var count: Int { bytes.count - start }

    /// Adds what was received.
    mutating func append(_ more: UnsafeRawBufferPointer) {
        if start > 0 {
            bytes.removeSubrange(..<start)
            searched -= start
            start = 0
        }
        unsafe bytes.append(contentsOf: more)
    }

    /// Takes the next line, without its line feed; nil where there is no whole one.
    mutating func next() -> [UInt8]? {
        guard let end else {
            searched = bytes.count
            return nil
        }
        let line = Array(bytes[start..<end])
        start = end + 1
        searched = start
        if start == bytes.count { clear() }
        return line
    }

    /// Where the first line ends.
    private var end: Int? {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, searched < bytes.count,
                let feed = unsafe memchr(base + searched, 0x0a, bytes.count - searched)
            else { return nil }
            return unsafe UnsafeRawPointer(feed) - base
        }
    }

    private mutating func clear() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.kept)
        start = 0
        searched = 0
    }
}
