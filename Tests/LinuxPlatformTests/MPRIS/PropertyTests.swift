import Testing

@testable import UndersongLinuxPlatform

/// The properties of a player, and those that can be changed.
@Suite struct `A player's properties` {
    private let state = MediaPlayerState.playing

    @Test func `A player's properties have the types that their description says`() throws {
        for name in state.interfaces {
            let properties = state.properties(of: name)
            let described = MPRISInterface.named(name).properties.filter { $0.name != "Position" }

            #expect(Set(described.map(\.name)) == Set(properties.keys))
            for property in described {
                #expect(properties[property.name]?.signature == property.signature)
            }
        }
    }

    @Test func `A player's properties are read one by one, and all of an interface`() {
        #expect(state.property("PlaybackStatus") == .answer([.variant(.string("Playing"))]))
        #expect(state.property("Volume", "") == .answer([.variant(.double(0.5))]))
        #expect(state.property("Position") == .answerPosition)
        #expect(
            state.reaction(to: "GetAll", of: propertiesInterface, .string(playerInterface))
                == .answerPlayerProperties)
        #expect(
            state.reaction(to: "GetAll", of: propertiesInterface, .string(rootInterface))
                == .answer([.dictionary(state.properties(of: .root))]))
    }

    @Test func `A player's properties are refused by names that do not exist`() {
        let plain = state.with { $0.loopStatus = nil }

        #expect(state.property("Fame").error == "UnknownProperty")
        #expect(state.property("Volume", rootInterface).error == "UnknownProperty")
        #expect(state.property("Volume", "org.example").error == "UnknownInterface")
        #expect(plain.property("LoopStatus").error == "UnknownProperty")
        #expect(plain.setting("LoopStatus", .string("None")).error == "UnknownProperty")
    }

    @Test func `A player's properties become commands where they are set`() {
        #expect(state.setting("LoopStatus", .string("Track")) == .perform(.setLoopStatus(.track)))
        #expect(state.setting("Shuffle", .boolean(true)) == .perform(.setShuffled(true)))
        #expect(state.setting("Rate", .double(1.5)) == .perform(.setRate(1.5)))
        #expect(state.setting("Volume", .double(0.25)) == .perform(.setVolume(0.25)))
    }

    @Test func `A player's properties handle what is out of range as the specification says`() {
        #expect(state.setting("Volume", .double(-1)) == .perform(.setVolume(0)))
        #expect(state.setting("Volume", .double(7)) == .perform(.setVolume(1)))
        #expect(state.setting("Rate", .double(0)) == .perform(.player(.pause)))
        #expect(state.setting("Rate", .double(2.5)).error == "InvalidArgs")
        #expect(state.setting("Volume", .double(.nan)).error == "InvalidArgs")
        #expect(state.setting("LoopStatus", .string("Twice")).error == "InvalidArgs")
    }

    @Test func `A player's properties cannot be set to other types, nor if they are read-only`() {
        #expect(state.setting("Volume", .string("1")).error == "InvalidArgs")
        #expect(state.setting("Shuffle", .int32(1)).error == "InvalidArgs")
        #expect(state.setting("Metadata", .dictionary([:])).error == "PropertyReadOnly")
        #expect(state.setting("Position", .int64(1)).error == "PropertyReadOnly")
    }

    @Test func `A player's properties show a position that advances at the rate, within the track`()
    {
        let position = PlaybackPosition(microseconds: 2_000_000, hostTime: 5_000_000_000, rate: 1.5)
        let playing = state.with { $0.position = position }
        let paused = playing.with { $0.position.rate = 0 }

        #expect(playing.position(at: 7_000_000_000) == 5_000_000)
        #expect(playing.position(at: 4_000_000_000) == 2_000_000)
        #expect(playing.position(at: 99_000_000_000) == 30_000_000)
        #expect(paused.position(at: 99_000_000_000) == 2_000_000)
        #expect(!position.isStale(at: 5_050_000_000) && position.isStale(at: 5_050_000_001))
        #expect(!paused.position.isStale(at: .max))
    }

    @Test func `A player's properties name a session by what a bus allows`() {
        #expect(
            BusName.names(["undersong"], process: 7) == [
                "org.mpris.MediaPlayer2.undersong", "org.mpris.MediaPlayer2.undersong.instance7",
            ])
        #expect(
            BusName.names(["undersong", "9.b-c"], process: 7).first
                == "org.mpris.MediaPlayer2.undersong._9_b-c")
    }
}
