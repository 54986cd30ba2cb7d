package import UndersongBase

/// The machine's properties that the reader of a playlist needs.
package struct PlaylistContext: Sendable {
    /// The folder to which relative names refer; empty for the current one.
    package var folder: FilePath
    /// True if a file exists at this path. May block on the disk.
    package var isThere: @Sendable (FilePath) -> Bool
    /// The text of bytes in a named character set; nil if they are not valid in it, or if the set
    /// is unknown.
    package var text: @Sendable (_ bytes: [UInt8], _ characterSet: String) -> String?

    /// Creates a context, by default of a machine without files.
    package init(
        folder: FilePath, isThere: @escaping @Sendable (FilePath) -> Bool = { _ in false },
        text: @escaping @Sendable (_ bytes: [UInt8], _ characterSet: String) -> String? = {
            $1 == Windows1252.name ? Windows1252.text($0) : nil
        }
    ) {
        self.folder = folder
        self.isThere = isThere
        self.text = text
    }
}
