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
        guard let end = bytes[searched...].firstIndex(of: 0x0a) else {
            searched = bytes.count
            return nil
        }
        let line = Array(bytes[start..<end])
        start = end + 1
        searched = start
        if start == bytes.count { clear() }
        return line
    }

    private mutating func clear() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.kept)
        start = 0
        searched = 0
    }
}
