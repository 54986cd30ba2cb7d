/// Writes a query so that `QueryParser` understands it.
struct QueryWriter {
    let text: String

    init(_ query: LibraryQuery) {
        var parts = query.condition.map { [Self.text($0, in: .query)] } ?? []
        parts += query.order.map { "sort:" + ($0.isDescending ? "-" : "") + $0.key.rawValue }
        if let limit = query.limit {
            // With alternatives it would seem to belong to the last one only.
            parts.append("limit:\(limit)")
        }
        text = parts.joined(separator: " ")
    }

    /// The surroundings of a condition, which decide on parentheses.
    private enum Context { case query, alternative, condition }

    private static func text(_ condition: LibraryQuery.Condition, in context: Context) -> String {
        switch condition {
        case .all(let conditions) where conditions.count == 1:
            return text(conditions[0], in: context)
        case .any(let conditions) where conditions.count == 1:
            return text(conditions[0], in: context)
        case .all([]): return "()"
        case .any([]): return "-()"
        case .all(let conditions):
            let list = conditions.map { text($0, in: .condition) }.joined(separator: " ")
            return context == .condition ? "(\(list))" : list
        case .any(let conditions):
            let list = conditions.map { text($0, in: .alternative) }.joined(separator: " OR ")
            return context == .query ? list : "(\(list))"
        case .not(let condition): return "-" + text(condition, in: .condition)
        case .word(let text): return word(text)
        case .text(let field, let comparison, let text):
            let sign =
                switch comparison {
                case .contains: ""
                case .equals: "="
                case .begins: "^"
                }
            return "\(field.rawValue):\(sign)\(value(text))"
        case .number(let field, let range): return "\(field.rawValue):\(field.text(range))"
        case .time(let field, let range): return "\(field.rawValue):\(range)"
        case .flag(let flag): return flag.text
        case .saved(let name): return "@" + value(name)
        }
    }

    /// A text after a colon, in quotes if it needs them.
    static func value(_ text: String) -> String {
        isPlain(text) && !begins(text, with: "=^") ? text : quoted(text)
    }

    /// A text on its own, in quotes if it would mean something else without them.
    static func word(_ text: String) -> String {
        let isOperator = ["OR", "AND", "NOT", "–", "—"].contains(text)
        return isPlain(text) && !isOperator && !begins(text, with: "-@")
            && !text.unicodeScalars.contains(":")
            ? text : quoted(text)
    }

    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                !$0.properties.isWhitespace && !"()\"".unicodeScalars.contains($0)
            }
    }

    private static func begins(_ text: String, with scalars: String) -> Bool {
        text.unicodeScalars.first.map { scalars.unicodeScalars.contains($0) } ?? false
    }

    private static func quoted(_ text: String) -> String {
        var quoted = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
            quoted.append(scalar)
        }
        return String(quoted) + "\""
    }
}
