import ArgumentParser
import UndersongCommandOptions

/// A template of `--format`: text with names in braces, and parts in brackets that are left out if a
/// name in them has no value.
struct Template<Field: RawRepresentable<String> & CaseIterable & Sendable>: Sendable {
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

    /// The rules of a template, for help texts.
    static var help: String {
        "In a TEMPLATE, the names in braces are replaced: "
            + Field.allCases.map(\.rawValue).joined(separator: ", ")
            + ". Text in brackets is left out if a name in it has no value, as in "
            + "'[{artist} - ]{title}'; a backslash makes the next character literal."
    }

    /// True if a name in braces fulfils the condition.
    func contains(where isWanted: (Field) -> Bool) -> Bool { Self.contains(parts, isWanted) }

    /// The text with the values of the names, on one line.
    func text(_ value: (Field) -> String?) -> String {
        Columns.printable(Self.text(parts, value).text)
    }

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

    private static func contains(_ parts: [Part], _ isWanted: (Field) -> Bool) -> Bool {
        parts.contains { part in
            switch part {
            case .text: false
            case .field(let field): isWanted(field)
            case .optional(let parts): contains(parts, isWanted)
            }
        }
    }

    // MARK: Writing

    private static func text(_ parts: [Part], _ value: (Field) -> String?) -> (
        text: String, isWhole: Bool
    ) {
        var (text, isWhole) = ("", true)
        for part in parts {
            switch part {
            case .text(let plain): text += plain
            case .field(let field):
                let value = value(field) ?? ""
                text += value
                isWhole = isWhole && !value.isEmpty
            case .optional(let parts):
                let inner = Self.text(parts, value)
                if inner.isWhole { text += inner.text }
            }
        }
        return (text, isWhole)
    }
}
