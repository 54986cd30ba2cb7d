/// What the reader of a playlist asks about the machine that the playlist is on.
package struct PlaylistContext: Sendable {
    /// The folder that relative names begin at; empty: the current one.
    package var folder: FilePath
    /// Whether there is a file by this path. May block on the disk.
    package var isThere: @Sendable (FilePath) -> Bool
    /// The text of bytes in the character set of this name; nil where they are not text in it, or
    /// where there is no such set.
    package var text: @Sendable (_ bytes: [UInt8], _ characterSet: String) -> String?

    /// Makes a context, by default of a machine without any file.
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
