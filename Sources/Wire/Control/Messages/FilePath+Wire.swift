package import FoundationEssentials
import UndersongBase
import UndersongPlayback

extension FilePath {
    /// Creates a path from its text on the wire and, if present, its bytes.
    package init(text: String, bytes: Data?) {
        self = bytes.map { FilePath(bytes: Array($0)) } ?? FilePath(text)
    }

    /// The bytes of a path that is not UTF-8 and therefore differs from its text.
    package var exactBytes: Data? { string == nil ? Data(bytes) : nil }
}
