package import ArgumentParser

/// An option's value, one of a few words.
package protocol Choice: RawRepresentable<String>, CaseIterable, Sendable {}

extension Choice {
    /// The choice named `text`. Throws if there is none.
    package static func parse(_ text: String) throws -> Self {
        guard let choice = Self(rawValue: text) else {
            throw refusal(of: text, among: allCases.map(\.rawValue))
        }
        return choice
    }

    /// The words that a shell offers.
    package static var completion: CompletionKind { .list(allCases.map(\.rawValue)) }
}

extension Argument {
    /// An argument that is one of a few words.
    package init(choice help: ArgumentHelp) where Value: Choice {
        self.init(help: help, completion: Value.completion, transform: Value.parse)
    }

    /// An argument that is one of a few words, with a default.
    package init(wrappedValue: Value, choice help: ArgumentHelp) where Value: Choice {
        self.init(
            wrappedValue: wrappedValue, help: help, completion: Value.completion,
            transform: Value.parse)
    }

    /// An argument that is one of a few words, or is not given.
    package init<Word: Choice>(choice help: ArgumentHelp) where Value == Word? {
        self.init(help: help, completion: Word.completion, transform: Word.parse)
    }
}

extension Option {
    /// An option whose value is one of a few words, with a default.
    package init(wrappedValue: Value, choice help: ArgumentHelp) where Value: Choice {
        self.init(
            wrappedValue: wrappedValue, help: help, completion: Value.completion,
            transform: Value.parse)
    }

    /// An option whose value is one of a few words, or is not given.
    package init<Word: Choice>(choice help: ArgumentHelp) where Value == Word? {
        self.init(help: help, completion: Word.completion, transform: Word.parse)
    }
}

/// `on` or `off`.
package enum Switch: String, Choice {
    case on, off

    package var isOn: Bool { self == .on }
}

/// The source of the host's state.
package enum HostOption: String, Choice {
    case auto, active, inactive, background
}

/// The word among `words` that `text` is. Throws if there is none, and names the most similar one.
package func chosen(_ text: String, among words: [String]) throws -> String {
    guard words.contains(text) else { throw refusal(of: text, among: words) }
    return text
}

private func refusal(of text: String, among words: [String]) -> ValidationError {
    ValidationError(
        "'\(text)' is not \(words.joined(or: 8))" + Suggestion.text(for: text, among: words))
}

extension [String] {
    /// `off, one or all`; for more than `most`, `one of off, one …`, since the help lists them.
    fileprivate func joined(or most: Int) -> String {
        guard count <= most, let last else {
            return "one of \(prefix(3).joined(separator: ", ")) …"
        }
        return (count > 1 ? dropLast().joined(separator: ", ") + " or " : "") + last
    }
}

/// Finds the word that was meant by a mistyped one.
package enum Suggestion {
    /// "; did you mean 'repeat'?", or an empty text if no word is similar enough.
    package static func text(for word: String, among words: [String]) -> String {
        nearest(to: word, among: words).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// The word most similar to `word`, with at most one slip for every three letters. A word that
    /// starts with `word`, or that `word` abbreviates, counts as similar.
    package static func nearest(to word: String, among words: [String]) -> String? {
        let word = word.lowercased()
        if word.count > 1, let whole = words.first(where: { $0.hasPrefix(word) }) { return whole }
        let near = words.map { (slips(from: word, to: $0), $0) }
            .filter { $0.0 <= max($0.1.count, 3) / 3 }
            .min { $0.0 < $1.0 }?.1
        return near ?? words.first { abbreviates(word, $0) }
    }

    /// True if `short` is `word` without some letters after the first one, as `rm` is `remove`.
    private static func abbreviates(_ short: String, _ word: String) -> Bool {
        guard short.count > 1, short.first == word.first else { return false }
        var rest = word[...]
        return short.allSatisfy { letter in
            guard let place = rest.firstIndex(of: letter) else { return false }
            rest = rest[rest.index(after: place)...]
            return true
        }
    }

    /// The number of letters that are wrong, missing, extra or swapped with their neighbour.
    package static func slips(from first: String, to second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        var before: [Int] = []
        var last = Array(0...second.count)
        for row in first.indices {
            var next = [row + 1]
            for column in second.indices {
                let isSame = first[row] == second[column]
                var least = min(
                    last[column] + (isSame ? 0 : 1), last[column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, first[row] == second[column - 1],
                    first[row - 1] == second[column]
                {
                    least = min(least, before[column - 1] + 1)
                }
                next.append(least)
            }
            (before, last) = (last, next)
        }
        return last[second.count]
    }
}
