/// A terminal's reply about itself.
enum TerminalReport: Hashable, Sendable {
    /// True if it has drawn the picture of the question, by kitty's protocol.
    case kitty(Bool)
    /// The size of a cell in pixels.
    case cell(width: Int, height: Int)
    /// Its primary device attributes.
    case attributes([Int])

    /// The report whose escape sequence has these bytes after the escape; nil for others.
    init?(_ bytes: ArraySlice<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        if text.hasPrefix("_G") {
            guard text.contains("i=\(PictureStyle.number)") else { return nil }
            self = .kitty(text.contains(";OK"))
        } else if text.hasPrefix("[?"), text.hasSuffix("c") {
            self = .attributes(
                text.dropFirst(2).dropLast().split(separator: ";").compactMap { Int($0) })
        } else if text.hasPrefix("[6;"), text.hasSuffix("t") {
            let size = text.dropFirst(3).dropLast().split(separator: ";").compactMap { Int($0) }
            guard size.count == 2, size.allSatisfy({ (1...200).contains($0) }) else { return nil }
            self = .cell(width: size[1], height: size[0])
        } else {
            return nil
        }
    }
}

/// Asks a terminal whether it shows pictures. Every terminal answers the last part, so that nothing
/// is waited for: what has not been answered by then, it does not know.
struct PictureQuestion {
    private static let kitty = "\u{1B}_Gi=\(PictureStyle.number),s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
    private static let cellAndAttributes = "\u{1B}[16t\u{1B}[c"
    /// The attribute of terminals that draw sixels.
    private static let sixel = 4

    private var drawsKitty = false
    private var cell: PictureStyle.Cell?

    /// The question for a terminal of this type, the value of `TERM`; nil for one to ask nothing,
    /// since it would show the question or take it for a title.
    static func text(terminal: String?) -> String? {
        let name = terminal ?? ""
        if ["", "dumb", "linux"].contains(name) { return nil }
        // Multiplexers take for a title what kitty's protocol begins with.
        let isMultiplexer = name.hasPrefix("screen") || name.hasPrefix("tmux")
        return (isMultiplexer ? "" : kitty) + cellAndAttributes
    }

    /// Handles a report. `cell` is the size of a cell if the system knows it. Returns how pictures
    /// are shown, nil for not at all, once that is known.
    mutating func receive(_ report: TerminalReport, cell known: PictureStyle.Cell?)
        -> PictureStyle??
    {
        switch report {
        case .kitty(let isDrawn): drawsKitty = isDrawn
        case .cell(let width, let height): cell = PictureStyle.Cell(width: width, height: height)
        case .attributes(let attributes):
            guard let cell = cell ?? known, drawsKitty || attributes.contains(Self.sixel) else {
                return .some(nil)
            }
            return PictureStyle(way: drawsKitty ? .kitty : .sixel, cell: cell)
        }
        return nil
    }
}
