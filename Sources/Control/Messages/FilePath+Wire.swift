package import FoundationEssentials
package import Playback

extension FilePath {
    /// A path by its text on the wire, and by its bytes where those came with it.
    package init(text: String, bytes: Data?) {
        self = bytes.map { FilePath(bytes: Array($0)) } ?? FilePath(text)
    }

    /// The bytes of a path that is not UTF-8, and so is not what its text says.
    package var exactBytes: Data? { string == nil ? Data(bytes) : nil }
}
