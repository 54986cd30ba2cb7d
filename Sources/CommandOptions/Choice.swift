package import ArgumentParser

/// What may be written for an option, as one of a few words.
package protocol Choice: RawRepresentable<String>, CaseIterable, Sendable {}

extension Choice {
    /// The choice that `text` names. Errors: it names none.
    package static func parse(_ text: String) throws -> Self {
        guard let choice = Self(rawValue: text) else {
            throw refusal(of: text, among: allCases.map(\.rawValue))
        }
        return choice
    }

    /// What a shell offers.
    package static var completion: CompletionKind { .list(allCases.map(\.rawValue)) }
}

/// `on` or `off`.
package enum Switch: String, Choice {
    case on, off

    package var isOn: Bool { self == .on }
}

/// Where the host's state comes from.
package enum HostOption: String, Choice {
    case auto, active, inactive, background
}

/// The one of `words` that `text` is. Errors: it is none, and which one it resembles.
package func chosen(_ text: String, among words: [String]) throws -> String {
    guard words.contains(text) else { throw refusal(of: text, among: words) }
    return text
}

private func refusal(of text: String, among words: [String]) -> ValidationError {
    let meant = Suggestion.nearest(to: text, among: words).map { "did you mean '\($0)'?" }
    return ValidationError(meant ?? "it is one of \(words.joined(separator: ", ")).")
}
