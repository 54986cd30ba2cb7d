import CommandOptions

/// What `undersong doctor` has found out about one thing.
struct Finding: Codable, Equatable {
    /// How it is.
    enum Verdict: String, Codable {
        /// As it should be.
        case good
        /// Not there, and not needed.
        case note
        /// Wrong.
        case wrong
    }

    /// The thing.
    var subject: String
    var verdict: Verdict
    /// How it is, in a clause.
    var text: String
    /// What to do, where something can be done.
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

    /// As people read it: a line, and what to do on a second one.
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
