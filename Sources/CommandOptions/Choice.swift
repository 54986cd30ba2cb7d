package import ArgumentParser

/// What may be written for an option, as one of a few words.
package protocol Choice: RawRepresentable<String>, CaseIterable, Sendable {}

extension Choice {
    /// The choice that `text` names. A word that is none of them is told which one it resembles.
    package static func parse(_ text: String) throws -> Self {
        if let choice = Self(rawValue: text) { return choice }
        let words = Self.allCases.map(\.rawValue)
        let meant = Suggestion.nearest(to: text, among: words).map { "did you mean '\($0)'?" }
        throw ValidationError(meant ?? "it is one of \(words.joined(separator: ", ")).")
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

/// What is played again, as the wire and the events write it.
package enum RepeatOption: String, Choice {
    case off, one, all
}

/// What is done when the device is gone, as the wire and the events write it.
package enum UnplugOption: String, Choice {
    case pause, follow, wait
}

/// How it sounds beside others, as the wire and the events write it.
package enum MixingOption: String, Choice {
    case exclusive, mix, duck, interruptSpoken
}

/// What is kept from happening by itself while sound runs.
package enum InhibitOption: String, Choice {
    case sleep, none
}

/// What items' tags say of their loudness.
package enum ReplayGainOption: String, Choice {
    case off, track, album
}
