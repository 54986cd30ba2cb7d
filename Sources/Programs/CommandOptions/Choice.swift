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
