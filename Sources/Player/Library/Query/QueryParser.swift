/// Parses the written form of a query.
struct QueryParser {
    private typealias Condition = LibraryQuery.Condition

    /// The most bytes of a query.
    private static let longest = 16384
    /// The most conditions of a query, which SQLite can still compare.
    static let mostConditions = 500
    /// The most parentheses and exclusions inside each other.
    private static let deepest = 64

    private let text: [Unicode.Scalar]
    private let isTyped: Bool
    private var offset = 0
    private var depth = 0
    private var conditionCount = 0
    private var query = LibraryQuery()

    /// - Parameter isTyped: True to ignore an end that is not complete yet.
    init(_ text: String, isTyped: Bool = false) throws(QueryError) {
        guard text.utf8.count <= Self.longest else {
            throw QueryError("the query is longer than \(Self.longest) bytes")
        }
        self.text = Array(text.unicodeScalars)
        self.isTyped = isTyped
    }

    mutating func parse() throws(QueryError) -> LibraryQuery {
        query.condition = try parseAlternatives()
        // Only a group ends before the text does.
        return query
    }

    // MARK: Conditions

    /// Parses conditions with `OR` between them, up to the end of the group; nil if there are none.
    private mutating func parseAlternatives() throws(QueryError) -> Condition? {
        var (alternatives, conditions): ([Condition], [Condition]) = ([], [])
        /// The operator that needs a condition, and the number of those before it.
        var pending: (range: Range<Int>, count: Int)?
        func finish() throws(QueryError) {
            guard let pending, conditions.count == pending.count, !(isTyped && isAtEnd) else {
                return
            }
            throw error("nothing after \(string(pending.range))", at: pending.range)
        }
        while skipSpace(), !isAtEnd, !(depth > 0 && text[offset] == ")") {
            let start = offset
            if let word = popOperator(["OR", "AND"]) {
                let range = start..<offset
                try finish()
                guard !conditions.isEmpty else {
                    throw error("nothing before \(word)", at: range)
                }
                if word == "OR" {
                    alternatives.append(Self.all(conditions))
                    conditions = []
                }
                pending = (range, conditions.count)
            } else {
                do {
                    if let condition = try parseTerm() { conditions.append(condition) }
                } catch {
                    guard isTyped, isAtEnd else { throw error }
                }
            }
        }
        try finish()
        if !conditions.isEmpty { alternatives.append(Self.all(conditions)) }
        return alternatives.count > 1 ? .any(alternatives) : alternatives.first
    }

    private static func all(_ conditions: [Condition]) -> Condition {
        conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    /// Parses a condition; nil if it is a part of the query as a whole, or of no effect.
    private mutating func parseTerm() throws(QueryError) -> Condition? {
        let start = offset
        // Lists show `Artist - Title`.
        if let dash = peekWord(), ["-", "–", "—"].contains(string(dash)) {
            offset = dash.upperBound
            return nil
        }
        if popOperator(["NOT"]) != nil {
            _ = skipSpace()
            return try parseExclusion(from: start)
        }
        switch text[offset] {
        case "-":
            offset += 1
            return try parseExclusion(from: start)
        case "(": return try parseGroup()
        case ")":
            offset += 1
            throw error("no parenthesis is open", at: start..<offset)
        case "\"":
            let text = try parseQuoted()
            return text.isEmpty && isTyped && isAtEnd ? nil : try counted(.word(text), from: start)
        case "@":
            offset += 1
            let name = try parseValue().text
            guard !name.isEmpty else {
                throw error("@ is followed by the name of a saved query", at: start..<offset)
            }
            return try counted(.saved(name), from: start)
        default:
            if let name = popFieldName() { return try parseField(name, from: start) }
            let word = popWord()
            return try counted(.word(string(word)), from: start)
        }
    }

    private mutating func parseExclusion(from start: Int) throws(QueryError) -> Condition? {
        guard !isAtEnd, text[offset] != ")" || depth == 0 else {
            throw error("nothing after \(string(start..<offset))", at: start..<offset)
        }
        try enter(at: start)
        defer { depth -= 1 }
        return try parseTerm().map { .not($0) }
    }

    private mutating func parseGroup() throws(QueryError) -> Condition? {
        let start = offset
        offset += 1
        try enter(at: start)
        let condition = try parseAlternatives()
        depth -= 1
        guard !isAtEnd else {
            guard isTyped else {
                throw error("the parenthesis is not closed", at: start..<start + 1)
            }
            return condition
        }
        offset += 1
        return condition ?? .all([])
    }

    private mutating func enter(at start: Int) throws(QueryError) {
        depth += 1
        guard depth <= Self.deepest else {
            throw error("more than \(Self.deepest) parentheses", at: start..<start + 1)
        }
    }

    private mutating func counted(
        _ condition: Condition, from start: Int
    ) throws(QueryError) -> Condition {
        conditionCount += 1
        guard conditionCount <= Self.mostConditions else {
            throw error("more than \(Self.mostConditions) conditions", at: start..<offset)
        }
        return condition
    }

    // MARK: Fields

    private mutating func parseField(
        _ name: String, from start: Int
    ) throws(QueryError) -> Condition? {
        guard let field = QueryField(name) else {
            _ = try parseValue()
            let hint = QueryField.similar(to: name).map { "; did you mean \($0):?" } ?? ""
            throw error(
                "\(name): is not a field\(hint.isEmpty ? "; quotes make it a text" : hint)",
                at: start..<start + name.unicodeScalars.count + 1)
        }
        var comparison = LibraryQuery.TextComparison.contains
        if case .text = field, !isAtEnd, text[offset] == "=" || text[offset] == "^" {
            comparison = text[offset] == "=" ? .equals : .begins
            offset += 1
        }
        let value = try parseValue()
        let range = start..<offset
        guard value.isQuoted || !value.text.isEmpty else {
            throw error("nothing after \(string(range))", at: range)
        }
        let condition: Condition?
        do throws(QueryValueError) {
            condition =
                switch field {
                case .text(let field): .text(field, comparison, value.text)
                case .number(let field): .number(field, try field.range(value.text))
                case .time(let field): .time(field, try TimeRange(value.text))
                case .flag(let isPart): .flag(try Self.flag(value.text, isPart: isPart))
                case .sort, .limit: nil
                }
            if condition == nil {
                guard depth == 0 else {
                    throw QueryValueError("it belongs to the query as a whole")
                }
                if case .limit = field {
                    try setLimit(value.text)
                } else {
                    query.order.append(try Self.order(value.text))
                }
            }
        } catch {
            throw self.error("\(name.lowercased()): \(error.reason)", at: range)
        }
        if value.text.isEmpty, isTyped, isAtEnd { return nil }
        return try condition.map { condition throws(QueryError) in
            try counted(condition, from: start)
        }
    }

    private static func flag(
        _ text: String, isPart: Bool
    ) throws(QueryValueError) -> LibraryQuery.Flag {
        if let flag = LibraryQuery.Flag(rawValue: text.lowercased()), flag.isPart == isPart {
            return flag
        }
        let all = LibraryQuery.Flag.allCases.map(\.text).joined(separator: ", ")
        throw QueryValueError("\(text) is not a property; there are \(all)")
    }

    private static func order(_ text: String) throws(QueryValueError) -> LibraryQuery.Order {
        let isDescending = text.hasPrefix("-")
        let name = (isDescending ? String(text.dropFirst()) : text).lowercased()
        if let key = LibraryQuery.Order.Key(rawValue: name) {
            return LibraryQuery.Order(key, isDescending: isDescending)
        }
        let all = LibraryQuery.Order.Key.allCases.map(\.rawValue).joined(separator: ", ")
        throw QueryValueError("\(name) is not an order; there are \(all)")
    }

    private mutating func setLimit(_ text: String) throws(QueryValueError) {
        guard query.limit == nil else { throw QueryValueError("there is another limit") }
        guard let limit = Int(digits: text, at: 9), limit > 0 else {
            throw QueryValueError("\(text) is not a number above 0")
        }
        query.limit = limit
    }

    // MARK: Characters

    private var isAtEnd: Bool { offset == text.count }

    /// Skips white space. Returns true, for use in conditions.
    private mutating func skipSpace() -> Bool {
        while !isAtEnd, text[offset].properties.isWhitespace { offset += 1 }
        return true
    }

    /// The word without quotes at the offset: up to white space or the end of the group; nil if it is
    /// empty.
    private func peekWord() -> Range<Int>? {
        var (end, open) = (offset, 0)
        loop: while end < text.count, !text[end].properties.isWhitespace {
            switch text[end] {
            case "(": open += 1
            case ")" where open > 0: open -= 1
            case ")" where depth > 0: break loop
            default: break
            }
            end += 1
        }
        return end > offset ? offset..<end : nil
    }

    private mutating func popWord() -> Range<Int> {
        let word = peekWord() ?? offset..<offset
        offset = word.upperBound
        return word
    }

    /// Pops one of the operators, in capitals and between spaces; nil if there is none.
    private mutating func popOperator(_ operators: [String]) -> String? {
        guard let word = peekWord(), operators.contains(string(word)) else { return nil }
        offset = word.upperBound
        return string(word)
    }

    /// Pops the name of a field with its colon; nil if there is none. A name that no field has is a
    /// word before a space, as in `Live: Part 2`, or `//`.
    private mutating func popFieldName() -> String? {
        let name = text[offset...].prefix {
            $0.isASCII && ($0.properties.isAlphabetic || $0 == "_")
        }
        let end = name.endIndex
        guard !name.isEmpty, end < text.count, text[end] == ":" else { return nil }
        let next = text[(end + 1)...]
        let field = string(offset..<end)
        let isText = next.first?.properties.isWhitespace != false || next.starts(with: ["/", "/"])
        guard QueryField(field) != nil || !isText else { return nil }
        offset = end + 1
        return field
    }

    private mutating func parseValue() throws(QueryError) -> (text: String, isQuoted: Bool) {
        if !isAtEnd, text[offset] == "\"" { return (try parseQuoted(), true) }
        return (string(popWord()), false)
    }

    /// Parses a text in quotes, in which `\"` is a quote and `\\` a backslash.
    private mutating func parseQuoted() throws(QueryError) -> String {
        let start = offset
        var quoted = String.UnicodeScalarView()
        offset += 1
        while !isAtEnd {
            let scalar = text[offset]
            offset += 1
            if scalar == "\"" { return String(quoted) }
            if scalar == "\\", !isAtEnd, text[offset] == "\"" || text[offset] == "\\" {
                quoted.append(text[offset])
                offset += 1
            } else {
                quoted.append(scalar)
            }
        }
        guard isTyped else { throw error("the quote is not closed", at: start..<start + 1) }
        return String(quoted)
    }

    private func string(_ range: Range<Int>) -> String {
        String(String.UnicodeScalarView(text[range]))
    }

    private func error(_ reason: String, at range: Range<Int>) -> QueryError {
        let (start, end) = (string(0..<range.lowerBound), string(0..<range.upperBound))
        return QueryError(reason, at: start.count..<max(start.count, end.count))
    }
}

/// A name before a colon.
enum QueryField {
    case text(LibraryQuery.TextField)
    case number(LibraryQuery.NumberField)
    case time(LibraryQuery.TimeField)
    /// `has:`, or otherwise `is:`.
    case flag(isPart: Bool)
    case sort
    case limit

    /// The names of all.
    static let names =
        LibraryQuery.TextField.allCases.map(\.rawValue)
        + LibraryQuery.NumberField.allCases.map(\.rawValue)
        + LibraryQuery.TimeField.allCases.map(\.rawValue) + ["is", "has", "sort", "limit"]

    /// - Parameter name: Its case does not matter.
    init?(_ name: String) {
        let name = name.lowercased()
        if let field = LibraryQuery.TextField(rawValue: name) {
            self = .text(field)
        } else if let field = LibraryQuery.NumberField(rawValue: name) {
            self = .number(field)
        } else if let field = LibraryQuery.TimeField(rawValue: name) {
            self = .time(field)
        } else {
            switch name {
            case "is": self = .flag(isPart: false)
            case "has": self = .flag(isPart: true)
            case "sort": self = .sort
            case "limit": self = .limit
            default: return nil
            }
        }
    }

    /// The name that was probably meant by one with at most two wrong letters; nil if there is none.
    static func similar(to name: String) -> String? {
        let name = Array(name.lowercased().utf8)
        let distances = names.map { (name: $0, distance: distance(name, Array($0.utf8))) }
        return distances.filter { $0.distance <= min(2, name.count / 2) }
            .min { $0.distance < $1.distance }?.name
    }

    /// The fewest letters to insert, remove, replace or swap with the next.
    private static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var rows = [Array(0...second.count)]
        for (i, letter) in first.enumerated() {
            var row = [i + 1]
            for (j, other) in second.enumerated() {
                var best = min(
                    row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (letter == other ? 0 : 1))
                if i > 0, j > 0, letter == second[j - 1], first[i - 1] == other {
                    best = min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[first.count][second.count]
    }
}
