/// Reads a feed, RSS or Atom, as its bytes arrive, and hands out its entries one by one. Its memory
/// does not grow with the document.
package final class FeedReader {
    /// The maximum length of a document in bytes.
    package static let sizeLimit = 16 << 20
    /// The maximum number of entries that are read; what follows is left out.
    package static let entryLimit = 5000

    private let elements: FeedElements
    private let reader: FeedXMLReader<FeedElements>

    /// Creates a reader of the document at `url`, which relative URLs in it refer to. `charset` is the
    /// character set that the server names. `characters` has the character for each byte of a
    /// single-byte set, by the set's name, -1 for none; nil for an unknown set. UTF-8, UTF-16 and
    /// ISO 8859-1 are known.
    package init(
        at url: String = "", charset: String? = nil,
        characters: @escaping (String) -> [Int32]? = { _ in nil }
    ) {
        elements = FeedElements(at: url)
        reader = FeedXMLReader(elements, charset: charset, characters: characters)
    }

    /// The feed's description of itself, as far as it was read.
    package var head: FeedHead { elements.head }

    /// Reads the next bytes, and adds the entries that end in them to `entries`.
    ///
    /// - Throws: An error if it is not a feed, or is refused; the entries before that are added.
    package func read(
        _ bytes: Span<UInt8>, into entries: inout [FeedEntry]
    ) throws(FeedError) {
        defer { entries += elements.removeEntries() }
        try reader.read(bytes)
    }

    /// Ends the document.
    ///
    /// - Throws: An error if it is not a feed, or not complete.
    package func finish(into entries: inout [FeedEntry]) throws(FeedError) {
        defer { entries += elements.removeEntries() }
        try reader.finish()
    }
}
