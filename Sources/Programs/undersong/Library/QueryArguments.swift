import ArgumentParser
import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongLibrary
import UndersongPlayback

/// A query of the library on the command line.
struct QueryArguments: ParsableArguments {
    /// The rules of a query, for help texts.
    static let help = """
        A QUERY has words to find in the path, title, artist or album, and conditions such as \
        artist:björk, album:"Abbey Road", year:1995.., rating:4.., added:30d, is:favourite, -live; \
        @NAME is a saved query. Case and diacritics do not matter.
        """

    @Argument(
        help: ArgumentHelp("What to find; all tracks by default.", valueName: "query"),
        completion: QueryCompletion.kind)
    var words: [String] = []

    /// The query, which is valid. `purpose` names the operation in the error.
    func query(to purpose: String) throws -> CheckedQuery {
        try CheckedQuery(words, to: purpose)
    }
}

/// A query of the library as an option of verbs that take files.
struct LibraryOption: ParsableArguments {
    @Option(
        name: .customLong("library"), parsing: .unconditional,
        help: ArgumentHelp(
            "What this query finds in the library, such as 'artist:björk' or @NAME for a saved one.",
            valueName: "query"), completion: QueryCompletion.kind)
    var query: String?

    /// The query, which is valid and not empty; nil if none is given. `purpose` names the operation
    /// in errors.
    func checked(to purpose: String) throws -> String? {
        try query.map { try CheckedQuery(option: $0, to: purpose).text }
    }
}

/// A query that the service understands, unless it names a saved one that does not exist.
struct CheckedQuery: Equatable {
    /// Its written form.
    let text: String
    private let query: LibraryQuery

    /// True if it finds all tracks, in no order of its own.
    var isEmpty: Bool { query == LibraryQuery() }

    /// Makes a query of words on the command line. If it is wrong, reports that with the words and a
    /// mark below the wrong ones. `purpose` names the operation in that.
    init(_ words: [String], to purpose: String) throws {
        text = Self.text(words)
        do throws(QueryError) {
            query = try LibraryQuery(text)
        } catch {
            complain("cannot \(purpose): \(error.reason)")
            if let range = error.range {
                writeAll(QueryMark.lines(text, range) + "\n", to: STDERR_FILENO)
            }
            throw ExitCode(64)
        }
    }

    /// Makes the query of an option, which may not be empty: an empty variable of a script does not
    /// stand for all tracks.
    init(option: String, to purpose: String) throws {
        try self.init([option], to: purpose)
        guard !isEmpty else {
            throw Failure("cannot \(purpose): The query is empty", status: 64)
        }
    }

    private init(_ query: LibraryQuery) {
        (self.query, text) = (query, query.text)
    }

    /// The query of a condition.
    init(_ condition: LibraryQuery.Condition) { self.init(LibraryQuery(condition)) }

    /// The query with this order, unless it has one of its own.
    func ordered(by key: LibraryQuery.Order.Key, isDescending: Bool = false) -> CheckedQuery {
        guard query.order.isEmpty else { return self }
        var ordered = query
        ordered.order = [LibraryQuery.Order(key, isDescending: isDescending)]
        return CheckedQuery(ordered)
    }

    /// The query with another condition.
    func adding(_ condition: LibraryQuery.Condition) -> CheckedQuery {
        var more = query
        switch query.condition {
        case nil: more.condition = condition
        case .all(let conditions): more.condition = .all(conditions + [condition])
        case let other?: more.condition = .all([other, condition])
        }
        return CheckedQuery(more)
    }

    /// The words in one text. A word that the shell has got as `album:"Abbey Road"` has lost its
    /// quotes, and gets them again.
    static func text(_ words: [String]) -> String {
        words.map(quoted).filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func quoted(_ word: String) -> String {
        guard
            let match = word.wholeMatch(
                of: #/(-?)([A-Za-z_]+):([=^]?)(\S.*)/#.dotMatchesNewlines()),
            let field = LibraryQuery.TextField(rawValue: match.2.lowercased())
        else { return word }
        let value = String(match.4)
        guard isUnquotedText(value) else { return word }
        let comparison: LibraryQuery.TextComparison =
            switch match.3 {
            case "=": .equals
            case "^": .begins
            default: .contains
            }
        return match.1 + LibraryQuery(.text(field, comparison, value)).text
    }

    /// True for several words that are nothing but text: without quotes, parentheses, other fields,
    /// exclusions and operators.
    private static func isUnquotedText(_ value: String) -> Bool {
        let words = value.split(whereSeparator: \.isWhitespace)
        guard words.count > 1, !value.contains(where: { "\"()".contains($0) }) else { return false }
        return words.dropFirst().allSatisfy { word in
            !["OR", "AND", "NOT"].contains(word) && !(word.hasPrefix("-") && word.count > 1)
                && !word.hasPrefix("@") && word.prefixMatch(of: #/[A-Za-z_]+:\S/#) == nil
        }
    }
}

/// The mark below the wrong part of a query.
enum QueryMark {
    /// The query, and a line with a mark below the characters of `range`:
    ///
    ///     artist:björk yaer:1995
    ///                  ^~~~~
    static func lines(_ text: String, _ range: Range<Int>) -> String {
        let characters = Array(text)
        let range = range.clamped(to: 0..<characters.count)
        let (start, end) = (range.lowerBound, range.upperBound)
        // Each character by itself, so that both lines have the same widths.
        func shown(_ characters: ArraySlice<Character>) -> String {
            characters.map { $0.isWhitespace ? " " : Columns.printable(String($0)) }.joined()
        }
        let width = max(Columns.width(of: shown(characters[start..<end])), 1)
        return "  \(shown(characters[...]))\n  "
            + String(repeating: " ", count: Columns.width(of: shown(characters[..<start])))
            + "^" + String(repeating: "~", count: width - 1)
    }
}

/// Completes the words of a query.
enum QueryCompletion {
    /// The most values of a field that are offered.
    private static let most = 200

    /// The names of all fields, with their colons.
    static let fields =
        (LibraryQuery.TextField.allCases.map(\.rawValue)
        + LibraryQuery.NumberField.allCases.map(\.rawValue)
        + LibraryQuery.TimeField.allCases.map(\.rawValue) + ["sort", "limit"]).map { $0 + ":" }
        + ["is:", "has:"]

    /// Completes a word by the fields, their words, the saved queries, and the values in the library.
    static let kind = CompletionKind.custom { _, _, prefix in words(for: prefix) { ask($0) } }

    /// The words that may be meant by the beginning of one. `ask` asks the service for groups.
    static func words(for prefix: String, _ ask: (GroupTracks) -> [LibraryGroup]) -> [String] {
        if prefix.hasPrefix("@") { return savedNames().map { "@\($0)" } }
        guard let colon = prefix.firstIndex(of: ":") else {
            return fields + LibraryQuery.Flag.allCases.map(\.text)
        }
        let field = String(prefix[..<colon])
        switch field {
        case "sort": return LibraryQuery.Order.Key.allCases.map { "sort:\($0.rawValue)" }
        case "is", "has": return LibraryQuery.Flag.allCases.map(\.text)
        default: break
        }
        guard let grouping = LibraryGrouping(rawValue: field == "albumartist" ? "artist" : field)
        else { return [] }
        let begun = String(prefix[prefix.index(after: colon)...])
        let query =
            LibraryQuery.TextField(rawValue: field).flatMap { field in
                begun.isEmpty ? nil : LibraryQuery(.text(field, .begins, begun)).text
            } ?? ""
        return ask(GroupTracks(by: grouping, QueryPage(query, limit: most))).compactMap(\.name)
            .map { "\(field):\($0)" }.filter { $0.hasPrefix(prefix) }
    }

    /// The names of the saved queries of the default session, if its service runs.
    static func savedNames() -> [String] {
        let service = try? Service(to: "complete", session: SessionName.standard)
        return (try? service?.call(ListQueries()).queries.map(\.name)) ?? []
    }

    private static func ask(_ call: GroupTracks) -> [LibraryGroup] {
        let service = try? Service(to: "complete", session: SessionName.standard)
        return (try? service?.call(call).groups) ?? []
    }
}
