import UndersongPlayback
import UndersongXML

/// Reads an XSPF playlist as its bytes arrive.
///
/// A playlist may come from anywhere: nothing outside it is accessed. Entities that it declares are
/// an error, and so is a part too long for the parser to keep in memory.
final class XSPFReader: PlaylistReader {
    private let reader: XMLReader<XSPFHandler>

    /// Creates a reader for a playlist in `context`.
    init(_ context: PlaylistContext) {
        var options = XMLOptions()
        options.separator = XSPFElements.separator
        options.partLimit = 1 << 20
        options.characters = CharacterSet.characters
        reader = XMLReader(XSPFHandler(elements: XSPFElements(context)), options)
    }

    func read(_ bytes: Span<UInt8>, into entries: inout [QueueEntry]) throws(PlaylistError) {
        // Entries before an error are still delivered.
        defer { hand(to: &entries) }
        do throws(XMLFailure<PlaylistError>) {
            try reader.read(bytes)
        } catch {
            throw error.refusal { PlaylistError($0.description) }
        }
    }

    func finish(into entries: inout [QueueEntry]) throws(PlaylistError) {
        defer { hand(to: &entries) }
        do throws(XMLFailure<PlaylistError>) {
            try reader.finish()
        } catch {
            throw error.refusal { PlaylistError($0.description) }
        }
    }

    private func hand(to entries: inout [QueueEntry]) {
        entries += reader.elements.found
        reader.elements.found.removeAll(keepingCapacity: true)
    }
}

private struct XSPFHandler: XMLElements {
    typealias Refusal = PlaylistError

    private static let base = "http://www.w3.org/XML/1998/namespace|base"

    var elements: XSPFElements
    var found: [QueueEntry] = []

    var wantsText: Bool { true }

    mutating func begin(_ element: XMLElement) throws(PlaylistError) {
        let name = element.name
        try elements.begin(
            name.utf8Span.span, base: element[Self.base].map { Array($0.utf8) },
            rel: element["rel"].map { Array($0.utf8) })
    }

    mutating func add(_ text: Span<UInt8>) { elements.add(text) }

    mutating func end(_ element: XMLElement) { elements.end(into: &found) }
}
