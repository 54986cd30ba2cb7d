import UndersongBase

/// Creates entries from the elements of an XSPF document, as reported by an XML parser.
///
/// Names include their namespace: `http://xspf.org/ns/0/|track`. Elements of other namespaces are
/// ignored, except for VLC's track options. A document without a namespace is accepted too.
package struct XSPFElements {
    /// Separates a namespace from a name.
    package static let separator = UInt8(ascii: "|")
    /// The maximum nesting depth; no playlist is deeper.
    private static let depthLimit = 64
    /// The maximum length of a text in bytes.
    private static let textLimit = 1 << 16

    /// The field of a track whose text is being read.
    private enum Field: Equatable {
        case location, title, creator, duration, option
        case meta(XSPFWriter.Meta)
    }

    private enum Element: Equatable {
        case container, track, trackExtension, other
        case field(Field)
    }

    private struct Track {
        var path: FilePath?
        var title = ""
        var creator = ""
        var ownTitle: String?
        var start: CMTime?
        var end: CMTime?
        var duration: CMTime?
    }

    /// The open elements, with the names relative to each one's base.
    private var open: [(element: Element, names: PlaylistNames)] = []
    private var names: PlaylistNames
    private var track = Track()
    private var text: [UInt8] = []

    /// Creates a reader for a playlist in `context`.
    package init(_ context: PlaylistContext) { names = PlaylistNames(context) }

    /// True if text is expected at this point.
    private var isInField: Bool {
        if case .field = open.last?.element { return true }
        return false
    }

    /// Handles the start of an element, with its `xml:base` and `rel` if present.
    package mutating func begin(
        _ name: Span<UInt8>, base: [UInt8]?, rel: [UInt8]?
    ) throws(PlaylistError) {
        let element = element(name, rel)
        guard element == .container || !open.isEmpty else {
            throw PlaylistError("It is not an XSPF playlist")
        }
        guard open.count < Self.depthLimit else { throw PlaylistError("It is nested too deep") }
        if element == .track { track = Track() }
        text.removeAll(keepingCapacity: true)
        open.append((element, names))
        if let base { names = names.relative(to: base) }
    }

    private func element(_ name: Span<UInt8>, _ rel: [UInt8]?) -> Element {
        let start = name.nameStart
        let isOurs = start == 0 || name.has("HTTP://XSPF.ORG/NS/", at: 0)
        func isCalled(_ word: StaticString) -> Bool {
            name.count - start == word.utf8CodeUnitCount && name.has(word, at: start)
        }
        switch open.last?.element ?? .container {
        case .container where isOurs && isCalled("TRACK"): return .track
        case .container where isOurs && (isCalled("PLAYLIST") || isCalled("TRACKLIST")):
            return .container
        case .track where isOurs:
            if isCalled("LOCATION") { return .field(.location) }
            if isCalled("TITLE") { return .field(.title) }
            if isCalled("CREATOR") { return .field(.creator) }
            if isCalled("DURATION") { return .field(.duration) }
            if isCalled("EXTENSION") { return .trackExtension }
            guard isCalled("META"), let rel else { return .other }
            return XSPFWriter.Meta(rawValue: String(decoding: rel, as: UTF8.self))
                .map { .field(.meta($0)) } ?? .other
        case .trackExtension where name.has("HTTP://WWW.VIDEOLAN.ORG/", at: 0):
            return isCalled("OPTION") ? .field(.option) : .other
        default: return .other
        }
    }

    /// Handles text, which may arrive in pieces.
    package mutating func add(_ bytes: Span<UInt8>) {
        guard isInField, text.count <= Self.textLimit else { return }
        text.append(contentsOf: bytes)
    }

    /// Handles the end of the innermost element.
    package mutating func end(into entries: inout [QueueEntry]) {
        guard let (element, names) = open.popLast() else { return }
        switch element {
        case .field(let field) where text.count <= Self.textLimit: store(field)
        case .track:
            guard let path = track.path else { break }
            entries.append(
                QueueEntry(
                    .file(path: path), start: track.start ?? .zero, end: track.end,
                    title: track.ownTitle
                        ?? PlaylistTitle.title(track.title, by: track.creator),
                    duration: track.start == nil && track.end == nil ? track.duration : nil))
        default: break
        }
        self.names = names
    }

    private mutating func store(_ field: Field) {
        let range = text.span.trimmed(text.indices)
        switch field {
        case .location:
            // Further locations are alternatives to the first.
            if track.path == nil { track.path = names.path(ofReference: Array(text[range])) }
        case .title: track.title = text.span.text(range)
        case .creator: track.creator = text.span.text(range)
        case .duration: track.duration = PlaylistTime.length(text.span.text(range), timescale: 1000)
        case .meta(.title): track.ownTitle = PercentCoding.text(text.span.extracting(range))
        case .meta(.start): track.start = PlaylistTime.time(text.span.text(range))
        case .meta(.end): track.end = PlaylistTime.time(text.span.text(range))
        case .option:
            let parts = text.span.text(range).split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { return }
            let time = PlaylistTime.time(parts[1])
            if parts[0] == "start-time" { track.start = track.start ?? time }
            if parts[0] == "stop-time" { track.end = track.end ?? time }
        }
    }
}

extension Span<UInt8> {
    /// The index at which the name begins, after the namespace.
    fileprivate var nameStart: Int {
        indices.last { self[$0] == XSPFElements.separator }.map { $0 + 1 } ?? 0
    }
}
