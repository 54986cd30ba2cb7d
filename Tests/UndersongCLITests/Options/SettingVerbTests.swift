import Testing
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

@testable import UndersongCLI

/// The verbs of settings, without a service.
@Suite struct `A setting's verb` {
    @Test(arguments: [
        (["volume", "80"], #"{"volume":80}"#), (["volume", "-5"], #"{"volumeBy":-5}"#),
        (["volume", "mute"], #"{"muted":true}"#),
        (["rate", "1.25"], #"{"rate":1.25}"#), (["repeat", "one"], #"{"repeat":"one"}"#),
        (["shuffle", "off"], #"{"shuffle":false}"#),
        (["resume-items", "on"], #"{"resumeItems":true}"#),
        (["skip-back", "15"], #"{"skipBack":15}"#),
        (["on-unplug", "wait"], #"{"onUnplug":"wait"}"#),
        (["mixing", "interruptSpoken"], #"{"mixing":"interruptSpoken"}"#),
        (["inhibit", "sleep"], #"{"inhibit":"sleep"}"#),
        (["volume", "toggle-mute"], #"{"toggleMuted":true}"#),
        (["mute", "on"], #"{"muted":true}"#), (["mute", "toggle"], #"{"toggleMuted":true}"#),
        (["rate", "+0.25"], #"{"rateStep":0.25}"#), (["rate", "-0.25"], #"{"rateStep":-0.25}"#),
        (["repeat", "toggle"], #"{"nextRepeat":true}"#),
        (["shuffle", "toggle"], #"{"toggleShuffle":true}"#),
        (["single", "on"], #"{"single":true}"#), (["single", "toggle"], #"{"toggleSingle":true}"#),
        (["consume", "off"], #"{"consume":false}"#),
        (["consume", "toggle"], #"{"toggleConsume":true}"#),
        (["crossfade", "5"], #"{"crossfade":5}"#),
        (["replay-gain", "album"], #"{"replayGain":"album"}"#),
        (["replay-gain-preamp", "-3"], #"{"replayGainPreamp":-3}"#),
    ])
    func `A setting's verb changes only that setting`(arguments: [String], change: String) throws {
        #expect(try verb(arguments).change.map { JSONLine.text(of: $0) } == change)
    }

    @Test(arguments: [
        ("volume", "volume 80"), ("rate", "rate 1.25"), ("repeat", "repeat all"),
        ("shuffle", "shuffle off"), ("resume-items", "resume items off"),
        ("skip-back", "skip back 0 s"), ("on-unplug", "on unplug pause"),
        ("mixing", "mixing exclusive"), ("inhibit", "inhibit none"),
        ("mute", "volume 80 (not muted)"), ("single", "single off"), ("consume", "consume off"),
        ("crossfade", "crossfade 0 s"), ("replay-gain", "replay gain off"),
        ("replay-gain-preamp", "replay gain preamp 0 dB"),
    ])
    func `A setting's verb shows it without an argument`(name: String, text: String) throws {
        let verb = try verb([name])

        #expect(verb.change == nil)
        #expect(type(of: verb).text(.usual) == text)
    }

    @Test func `A setting's verb exists once for each name`() {
        let names = settingVerbs.map { $0.configuration.commandName }
        let rows = commandSettings.map { $0.texts.row.name }

        #expect(Set(names).count == names.count)
        #expect(rows == SettingTable.rows(in: .wire).map(\.name))
    }

    private func verb(_ arguments: [String]) throws -> any AnySettingVerb {
        let words = Arguments.ordered(arguments)
        let type = settingVerbs.first { $0.configuration.commandName == words[0] }
        return try #require(
            try type?.parseAsRoot(Array(words.dropFirst())) as? any AnySettingVerb)
    }
}
