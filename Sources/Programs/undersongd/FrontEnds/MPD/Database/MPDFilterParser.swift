import UndersongBase

extension MPDFilter {
    /// Parses the arguments of a command: expressions in parentheses, and pairs of a tag and a text.
    /// `ignoresCase` is for `search`, where the text of a pair may also be a part of the tag.
    ///
    /// - Throws: They cannot be understood.
    init(_ arguments: some Collection<String>, ignoresCase: Bool) throws(MPDError) {
        guard !arguments.isEmpty else {
            throw MPDError(.argument, "Incorrect number of filter arguments")
        }
        var conditions: [Condition] = []
        var rest = arguments[...]
        while let first = rest.popFirst() {
            if first.utf8.first == UInt8(ascii: "(") {
                var parser = MPDFilterParser(first, ignoresCase: ignoresCase)
                conditions.append(try parser.parse())
            } else {
                guard let value = rest.popFirst() else {
                    throw MPDError(.argument, "Incorrect number of filter arguments")
                }
                conditions.append(try Self.pair(first, value, ignoresCase: ignoresCase))
            }
        }
        self.init(.all(conditions))
    }

    private static func pair(
        _ name: String, _ value: String, ignoresCase: Bool
    ) throws(MPDError) -> Condition {
        let text = Text(ignoresCase ? .contains : .equals, value, ignoresCase: ignoresCase)
        switch MPDFilterSubject(name) {
        case nil, .format: throw MPDError(.argument, "Unknown filter type")
        case .base:
            guard MPDFolders.isSafe(value) else { throw MPDError(.argument, "Bad URI") }
            return .base(value)
        case .modifiedSince: return .modifiedSince(try MPDFilterParser.time(value))
        case .uri: return .uri(text)
        case .anyTag: return .anyTag(text)
        case .tag(let tag): return .tag(tag, text)
        }
    }
}

/// The subject of a condition.
private enum MPDFilterSubject {
    case tag(MPDTag), anyTag, uri, base, modifiedSince, format

    init?(_ name: String) {
        switch name.lowercased() {
        case "file", "filename": self = .uri
        case "any": self = .anyTag
        case "audioformat": self = .format
        default:
            switch name {
            case "base": self = .base
            case "modified-since": self = .modifiedSince
            default:
                guard let tag = MPDTag(name: name) else { return nil }
                self = .tag(tag)
            }
        }
    }
}

/// Parses an expression such as `((artist == "x") AND (!(album contains 'y')))`.
private struct MPDFilterParser {
    /// The parentheses that may be open at a time.
    private static let mostNested = 64
    /// The bytes of a text in quotes, of which MPD keeps as many.
    private static let longestValue = 4095

    private var rest: Substring.UTF8View
    private let ignoresCase: Bool
    private var depth = 0

    init(_ text: String, ignoresCase: Bool) {
        rest = text[...].utf8
        self.ignoresCase = ignoresCase
    }

    mutating func parse() throws(MPDError) -> MPDFilter.Condition {
        let condition = try expression()
        guard rest.isEmpty else { throw MPDError(.argument, "Unparsed garbage after expression") }
        return condition
    }

    /// Parses from an opening parenthesis to the one that closes it.
    private mutating func expression() throws(MPDError) -> MPDFilter.Condition {
        guard pop("(") else { throw MPDError(.argument, "'(' expected") }
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.mostNested else {
            throw MPDError(.argument, "Too many nested expressions")
        }
        skipSpace()
        if isNext("(") { return try conjunction() }
        if pop("!") {
            skipSpace()
            let inner = try expression()
            try close()
            return .not(inner)
        }
        return try comparison()
    }

    private mutating func conjunction() throws(MPDError) -> MPDFilter.Condition {
        var conditions = [try expression()]
        skipSpace()
        while !pop(")") {
            guard try word() == "AND" else { throw MPDError(.argument, "'AND' expected") }
            conditions.append(try expression())
            skipSpace()
        }
        skipSpace()
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    private mutating func comparison() throws(MPDError) -> MPDFilter.Condition {
        let name = try word()
        guard let subject = MPDFilterSubject(name) else {
            throw MPDError(.argument, "Unknown filter type: \(name)")
        }
        let condition: MPDFilter.Condition
        switch subject {
        case .base: condition = .base(try quoted())
        case .modifiedSince: condition = .modifiedSince(try Self.time(try quoted()))
        case .format: condition = .format(try format())
        case .uri: condition = .uri(try text())
        case .anyTag: condition = .anyTag(try text())
        case .tag(let tag): condition = .tag(tag, try text())
        }
        try close()
        return condition
    }

    private mutating func format() throws(MPDError) -> MPDFilter.FormatMask {
        let isMask: Bool
        if pop("==") {
            isMask = false
        } else if pop("=~") {
            isMask = true
        } else {
            throw MPDError(.argument, "'==' or '=~' expected")
        }
        skipSpace()
        return try MPDFilter.FormatMask(try quoted(), isMask: isMask)
    }

    private mutating func text() throws(MPDError) -> MPDFilter.Text {
        for (name, isNegated) in [("contains ", false), ("!contains ", true)] where popWord(name) {
            skipSpace()
            return MPDFilter.Text(
                .contains, try quoted(), isNegated: isNegated, ignoresCase: ignoresCase)
        }
        let isPattern = pop("=~")
        if isPattern || pop("!~") {
            skipSpace()
            let value = try quoted()
            let pattern: MPDPattern
            do throws(MPDPattern.Mistake) {
                pattern = try MPDPattern(value, ignoresCase: ignoresCase)
            } catch {
                throw MPDError(.argument, error.reason)
            }
            return MPDFilter.Text(
                .matches(pattern), value, isNegated: !isPattern, ignoresCase: ignoresCase)
        }
        let isEqual = pop("==")
        guard isEqual || pop("!=") else { throw MPDError(.argument, "'==' or '!=' expected") }
        skipSpace()
        return MPDFilter.Text(.equals, try quoted(), isNegated: !isEqual, ignoresCase: ignoresCase)
    }

    /// The time of ISO 8601, or in seconds since 1970.
    static func time(_ text: String) throws(MPDError) -> Double {
        if let date = CalendarDate(feed: text) { return date.secondsSince1970 }
        guard let seconds = UInt64(text) else {
            throw MPDError(.argument, "Failed to parse date")
        }
        return Double(seconds)
    }

    // MARK: Words

    private mutating func close() throws(MPDError) {
        guard pop(")") else { throw MPDError(.argument, "')' expected") }
        skipSpace()
    }

    private mutating func word() throws(MPDError) -> String {
        func isOfName(_ byte: UInt8) -> Bool {
            let letter = byte | 0x20
            return UInt8(ascii: "a")...UInt8(ascii: "z") ~= letter && byte < 0x80
                || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
        }
        let name = rest.prefix(while: isOfName)
        guard !name.isEmpty else { throw MPDError(.argument, "Word expected") }
        rest = rest.dropFirst(name.count)
        skipSpace()
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func quoted() throws(MPDError) -> String {
        guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        else { throw MPDError(.argument, "Quoted string expected") }
        rest = rest.dropFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == quote {
                skipSpace()
                return String(decoding: value, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst() else { break }
                value.append(escaped)
            } else {
                value.append(byte)
            }
            guard value.count <= Self.longestValue else {
                throw MPDError(.argument, "Quoted value is too long")
            }
        }
        throw MPDError(.argument, "Closing quote not found")
    }

    private mutating func skipSpace() {
        rest = rest.drop {
            $0 == UInt8(ascii: " ") || UInt8(ascii: "\t")...UInt8(ascii: "\r") ~= $0
        }
    }

    private func isNext(_ text: StaticString) -> Bool { rest.starts(with: "\(text)".utf8) }

    private mutating func pop(_ text: StaticString) -> Bool {
        guard isNext(text) else { return false }
        rest = rest.dropFirst(text.utf8CodeUnitCount)
        return true
    }

    /// Removes a word in any case.
    private mutating func popWord(_ text: String) -> Bool {
        let next = rest.prefix(text.utf8.count)
        guard String(decoding: next, as: UTF8.self).lowercased() == text else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }
}
