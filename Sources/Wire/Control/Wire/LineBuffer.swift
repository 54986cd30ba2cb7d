import Glibc

/// Splits received data into lines.
package struct LineBuffer: ~Copyable {
    /// The memory kept by an empty buffer, in bytes.
    static let kept = 4096

    private var bytes: [UInt8] = []
    /// The offset at which the first remaining line begins.
    private var start = 0
    /// The position up to which there is no line feed.
    private var searched = 0

    package init() {}

    /// The number of remaining bytes.
    var count: Int { bytes.count - start }

    /// Appends received data.
    package mutating func append(_ more: UnsafeRawBufferPointer) {
        if start > 0 {
            bytes.removeSubrange(..<start)
            searched -= start
            start = 0
        }
        unsafe bytes.append(contentsOf: more)
    }

    /// Removes the next line and returns it without its line feed; nil if there is no complete one.
    package mutating func next() -> [UInt8]? {
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

    /// The end of the first line.
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
