/// The events of a stream of lines, which comes in pieces.
struct NtfyLines: Sendable {
    /// The most bytes of a line. Escaped, a message of 4096 bytes has less.
    static let limit = 64 * 1024

    private var line: [UInt8] = []
    private var isSkippingLine = false

    /// The events of the lines that these bytes complete. What is too long or no event is left out.
    mutating func events(_ bytes: [UInt8]) -> [NtfyEvent] {
        var events: [NtfyEvent] = []
        for piece in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            if piece.offset > 0 {
                if !isSkippingLine, let event = NtfyEvent(line) { events.append(event) }
                (line, isSkippingLine) = ([], false)
            }
            guard line.count + piece.element.count <= Self.limit else {
                (line, isSkippingLine) = ([], true)
                continue
            }
            if !isSkippingLine { line += piece.element }
        }
        return events
    }
}
