import FoundationEssentials
import UndersongBase

/// Formats answers as JSON.
enum JSONText {
    /// `value` on one line, without a newline.
    static func line(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
