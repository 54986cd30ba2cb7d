import ArgumentParser
import UndersongBackground
import UndersongBase
import UndersongCommandOptions

/// The template of `status --format`: text with names in braces, and parts in brackets that are
/// left out if a name in them has no value.
struct StatusTemplate: Sendable {
    /// A name in braces.
    enum Field: String, CaseIterable {
        case artist, title, album, genre, track, year, chapter, name, path, status, reason
        case position, duration, number, count, volume, rate, badge
    }

    private indirect enum Part: Sendable {
        case text(String)
        case field(Field)
        case optional([Part])
    }

    private let parts: [Part]

    /// Parses a template.
    ///
    /// - Throws: an error if a name is unknown, or a brace or bracket is not closed.
    init(_ text: String) throws {
        var rest = Substring(text)
        parts = try Self.parts(of: &rest, until: nil)
    }

    /// True if the text changes while an item plays: it has the position or the chapter.
    var showsPosition: Bool { Self.showsPosition(parts) }

    /// The text for a status, on one line.
    func text(_ status: PlayerStatus) -> String { Columns.printable(Self.text(parts, status).text) }

    // MARK: Reading

    private static func parts(of rest: inout Substring, until end: Character?) throws -> [Part] {
        var parts: [Part] = []
        while let character = rest.popFirst() {
            if character == end { return parts }
            switch character {
            case "\\": if let next = rest.popFirst() { parts.append(.text(String(next))) }
            case "{":
                guard let brace = rest.firstIndex(of: "}") else {
                    throw ValidationError("the '{' before '\(rest)' is not closed")
                }
                parts.append(.field(try field(String(rest[..<brace]))))
                rest = rest[rest.index(after: brace)...]
            case "[":
                parts.append(.optional(try Self.parts(of: &rest, until: "]")))
            default: parts.append(.text(String(character)))
            }
        }
        if let end { throw ValidationError("a bracket is not closed by '\(end)'") }
        return parts
    }

    private static func field(_ name: String) throws -> Field {
        if let field = Field(rawValue: name) { return field }
        let names = Field.allCases.map(\.rawValue)
        throw ValidationError(
            "'{\(name)}' is not one of {\(names.joined(separator: "}, {"))}"
                + Suggestion.text(for: name, among: names))
    }

    private static func showsPosition(_ parts: [Part]) -> Bool {
        parts.contains { part in
            switch part {
            case .text: false
            case .field(let field): field == .position || field == .chapter
            case .optional(let parts): showsPosition(parts)
            }
        }
    }

    // MARK: Writing

    private static func text(_ parts: [Part], _ status: PlayerStatus) -> (
        text: String, isWhole: Bool
    ) {
        var (text, isWhole) = ("", true)
        for part in parts {
            switch part {
            case .text(let plain): text += plain
            case .field(let field):
                let value = value(of: field, status) ?? ""
                text += value
                isWhole = isWhole && !value.isEmpty
            case .optional(let parts):
                let inner = Self.text(parts, status)
                if inner.isWhole { text += inner.text }
            }
        }
        return (text, isWhole)
    }

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
        case .position: item.map { _ in ClockText.text(status.position) }
        case .duration: item?.duration.map { ClockText.text($0) }
        case .number: status.number.map(String.init)
        case .count: String(status.count)
        case .volume: status.settings.volume.map { numberText($0) }
        case .rate: status.settings.rate.map { numberText($0) }
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
        let length = item.duration?.seconds ?? 0
        return JSONLine.text(
            of: Module(
                text: escaped(item.name) + (news.map { " (\($0))" } ?? ""),
                alt: status.status.rawValue,
                tooltip: escaped(lines.filter { !$0.isEmpty }.joined(separator: "\n")),
                class: status.status.rawValue,
                percentage: length > 0
                    ? Int(min(max(status.position.seconds / length, 0), 1) * 100) : nil))
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
