import UndersongBackground
import UndersongBase
import UndersongCommandOptions

/// The template of `status --format`.
struct StatusTemplate: Sendable {
    /// A name in braces.
    enum Field: String, CaseIterable {
        case artist, title, album, genre, track, year, chapter, name, path, status, reason
        case position, duration, number, count, volume, rate, rating, favourite, badge
    }

    private let template: Template<Field>

    /// Parses a template.
    ///
    /// - Throws: an error if a name is unknown, or a brace or bracket is not closed.
    init(_ text: String) throws { template = try Template(text) }

    /// True if the text changes while an item plays: it has the position or the chapter.
    var showsPosition: Bool { template.contains { $0 == .position || $0 == .chapter } }

    /// The text for a status, on one line.
    func text(_ status: PlayerStatus) -> String { template.text { Self.value(of: $0, status) } }

    private static func value(of field: Field, _ status: PlayerStatus) -> String? {
        let item = status.item
        return switch field {
        case .artist: item?.artist
        case .title: item?.title
        case .album: item?.album
        case .genre: status.genre
        case .track: status.track
        case .year: status.year
        case .chapter: status.chapter
        case .name: item?.name
        case .path: item?.path
        case .status: status.status.rawValue
        case .reason: ReasonText.words(status)
        case .position: status.elapsed.map { ClockText.text($0) }
        case .duration: item?.length.map { ClockText.text($0) }
        case .number: status.number.map(String.init)
        case .count: String(status.count)
        case .volume: status.settings.volume.map { numberText($0) }
        case .rate: status.settings.rate.map { numberText($0) }
        case .rating: status.rating.map(String.init)
        case .favourite: status.favourite == true ? "favourite" : nil
        case .badge: status.badge.map(String.init)
        }
    }
}

/// Formats a status for a custom module of Waybar.
enum WaybarText {
    private struct Module: Encodable {
        var text: String
        var alt: String
        var tooltip: String
        var `class`: String
        var percentage: Int?
    }

    /// `{"alt":"playing","class":"playing","percentage":17,"text":"A - B","tooltip":"…"}`; without
    /// an item and news, the text is empty, which hides the module. Texts are escaped as Pango's
    /// markup.
    static func line(_ status: PlayerStatus) -> String {
        let news = status.badge.map { "\($0) new" }
        guard let item = status.item else {
            guard let news else { return emptyLine }
            return JSONLine.text(
                of: Module(text: news, alt: "stopped", tooltip: news, class: "stopped"))
        }
        let lines = [StatusText.line(status), item.album.map(Columns.printable) ?? "", news ?? ""]
        let length = item.length ?? 0
        return JSONLine.text(
            of: Module(
                text: escaped(item.name) + (news.map { " (\($0))" } ?? ""),
                alt: status.status.rawValue,
                tooltip: escaped(lines.filter { !$0.isEmpty }.joined(separator: "\n")),
                class: status.status.rawValue,
                percentage: length > 0
                    ? Int(min((status.elapsed ?? 0) / length, 1) * 100) : nil))
    }

    /// The line without an item, or without a service.
    static var emptyLine: String {
        JSONLine.text(
            of: Module(text: "", alt: "stopped", tooltip: "nothing is playing", class: "stopped"))
    }

    private static func escaped(_ text: String) -> String {
        let escapes: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;"]
        return text.map { escapes[$0] ?? String($0) }.joined()
    }
}
