/// The reason a combination of category, mode, policy and options does not exist: in words, with
/// what to use instead.
package struct SessionSetupProblem: Error, Hashable, Sendable {
    /// The reason, to follow a colon.
    package let reason: String

    package init(_ reason: String) { self.reason = reason }

    static func mode(_ mode: SessionMode, _ category: SessionCategory) -> Self {
        let others = SessionCategory.allCases.filter { mode.isValid(with: $0) }
        return Self("the mode \(mode.rawValue) is " + foreign(category, others))
    }

    static func options(_ options: SessionCategoryOptions, _ category: SessionCategory) -> Self {
        let others = SessionCategory.allCases.filter { options.isSubset(of: .valid(with: $0)) }
        let names = options.names
        let subject =
            names.count == 1 ? "the option \(names[0]) is " : "the options \(list(names)) are "
        return Self(subject + foreign(category, others))
    }

    private static func foreign(_ category: SessionCategory, _ others: [SessionCategory]) -> String
    {
        let instead = others.isEmpty ? "" : ", only for \(list(others.map(\.rawValue)))"
        return "not for the category \(category.rawValue)\(instead)"
    }

    static func policy(_ policy: SessionSharingPolicy) -> Self {
        guard policy != .independent else {
            return Self("the policy independent is set by the system alone")
        }
        return Self(
            "the policy \(policy) is only for the category playback without options, in the mode "
                + "default, moviePlayback or spokenAudio")
    }

    private static func list(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return "\(names.dropLast().joined(separator: ", ")) and \(last)"
    }
}

extension SessionCategoryOptions {
    /// Apple's names of the options, and bits that have none as numbers.
    fileprivate var names: [String] {
        let named: [(SessionCategoryOptions, String)] = [
            (.interruptSpokenAudioAndMixWithOthers, "interruptSpokenAudioAndMixWithOthers"),
            // Where only its own bit is left, mixing is allowed.
            (.init(rawValue: 0x10), "interruptSpokenAudioAndMixWithOthers"),
            (.mixWithOthers, "mixWithOthers"), (.duckOthers, "duckOthers"),
            (.allowBluetoothHFP, "allowBluetoothHFP"), (.defaultToSpeaker, "defaultToSpeaker"),
            (.allowBluetoothA2DP, "allowBluetoothA2DP"), (.allowAirPlay, "allowAirPlay"),
            (.overrideMutedMicrophoneInterruption, "overrideMutedMicrophoneInterruption"),
        ]
        var rest = self
        var names: [String] = []
        for (option, name) in named where rest.isSuperset(of: option) {
            names.append(name)
            rest.subtract(option)
        }
        return names + (rest.isEmpty ? [] : ["0x\(String(rest.rawValue, radix: 16))"])
    }
}
