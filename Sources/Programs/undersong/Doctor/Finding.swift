import UndersongCommandOptions

/// A result of `undersong doctor` about one subject.
struct Finding: Codable, Equatable {
    /// How the subject is rated.
    enum Verdict: String, Codable {
        /// As it should be.
        case good
        /// Missing, but not needed.
        case note
        /// Wrong.
        case wrong
    }

    /// What was checked.
    var subject: String
    var verdict: Verdict
    /// The result, as a clause.
    var text: String
    /// What to do, if anything.
    var advice: String?

    static func good(_ subject: String, _ text: String) -> Finding {
        Finding(subject: subject, verdict: .good, text: text)
    }

    static func note(_ subject: String, _ text: String, _ advice: String? = nil) -> Finding {
        Finding(subject: subject, verdict: .note, text: text, advice: advice)
    }

    static func wrong(_ subject: String, _ text: String, _ advice: String) -> Finding {
        Finding(subject: subject, verdict: .wrong, text: text, advice: advice)
    }

    /// The finding as text: one line, and a second one with the advice.
    var lines: String {
        let mark =
            switch verdict {
            case .good: "ok   "
            case .note: "note "
            case .wrong: "WRONG"
            }
        let line = "\(mark)  \(subject): \(Columns.printable(text))"
        return line + (advice.map { "\n       \(Columns.printable($0))" } ?? "")
    }
}
