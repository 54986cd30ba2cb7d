import Foundation
import Testing
import UndersongBackground
import UndersongPlayback

@Suite struct `The members of an item event` {
    private let nine = CMTime(value: 396_900, timescale: 44100)
    private let two = CMTime(value: 110_250, timescale: 44100)

    private func item(_ facts: ItemFacts?, end: CMTime? = nil) -> QueueItem {
        var item = QueueItem(
            id: ItemID(1), QueueEntry(.file(path: "/m/01.mp3"), end: end, title: "By the list"))
        item.facts = facts
        return item
    }

    private func line(_ kind: PlayerEvent.Kind) throws -> [String: Any] {
        var event = PlayerEvent(.state)
        event.head.item = ItemID(1)
        event.head.place = 2
        event.kind = kind
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(event))
        return try #require(object as? [String: Any])
    }

    private func seconds(_ time: Any?) -> Double? {
        (time as? [String: Any])?["seconds"] as? Double
    }
    private func isExact(_ time: Any?) -> Bool? { (time as? [String: Any])?["exact"] as? Bool }

    @Test func `An item event has the item's duration when it was left, and the time of that`()
        throws
    {
        let facts = ItemFacts(title: "By the tag", duration: nine, isDurationExact: true)

        let left = try line(.item(.left(item(facts), at: two)))
        let estimated = try line(.item(.left(item(ItemFacts(duration: nine)), at: two)))
        let unknown = try line(.item(.left(item(nil), at: two)))

        #expect(seconds(left["duration"]) == 9 && isExact(left["duration"]) == true)
        #expect(seconds(left["position"]) == two.seconds)
        #expect(isExact(estimated["duration"]) == false)
        #expect(unknown["duration"] == nil && seconds(unknown["position"]) == two.seconds)
    }

    @Test func `An item event has the time heard as duration if that of a whole file was unknown`()
        throws
    {
        let whole = try line(.item(.ended(item(ItemFacts(duration: nine)), at: two)))
        let part = try line(.item(.ended(item(ItemFacts(duration: nine), end: two), at: two)))

        #expect(seconds(whole["duration"]) == two.seconds && isExact(whole["duration"]) == true)
        #expect(seconds(part["duration"]) == 9 && isExact(part["duration"]) == false)
        #expect(seconds(part["position"]) == two.seconds)
    }

    @Test func `An item event has the title that is displayed everywhere`() throws {
        let tagged = item(ItemFacts(title: "By the tag"))

        let lines = [
            try line(.item(.began(tagged, nil))), try line(.item(.left(tagged, at: two))),
            try line(.item(.ended(tagged, at: two))),
        ]
        let queue = try line(.queue([tagged, item(nil)], count: 2))

        #expect(lines.map { $0["title"] as? String } == ["By the tag", "By the tag", "By the tag"])
        let entries = try #require(queue["items"] as? [[String: Any]])
        #expect(entries.map { $0["title"] as? String } == ["By the tag", "By the list"])
    }

    @Test func `An item event has the durations of the queue's items if known`() throws {
        let queue = try line(.queue([item(ItemFacts(duration: nine)), item(nil)], count: 2))

        let entries = try #require(queue["items"] as? [[String: Any]])
        #expect(entries.map { seconds($0["duration"]) } == [9, nil])
        #expect(isExact(entries[0]["duration"]) == false)
    }

    @Test func `An item event has the place from 0 as index and from 1 as number`() throws {
        let began = try line(.item(.began(item(nil), nil)))
        var event = PlayerEvent(.state)
        event.kind = .state
        let none = try JSONEncoder().encode(event)

        #expect(began["place"] as? Int == 2)
        #expect(began["index"] as? Int == 2 && began["number"] as? Int == 3)
        #expect(!String(decoding: none, as: UTF8.self).contains("number"))
    }
}

@Suite struct `The members of a settings event` {
    @Test func `A settings event has every setting, with those of the play order among the modes`()
        throws
    {
        var event = PlayerEvent(.state)
        var settings = PlayerSettings()
        settings.volumeLevel = 0.25
        settings.modes.stopCondition = .queue
        settings.outputDevice = "usb"
        settings.inhibition = .sleep
        event.kind = .settings(SettingsEvent(settings))

        let line = try JSONEncoder().encode(event)
        let fields = try JSONDecoder().decode(Fields.self, from: line)

        #expect(
            fields
                == Fields(
                    event: "settings", rate: 1, volume: 0.25, muted: false,
                    modes: Fields.Modes(
                        repeat: "off", shuffle: false, single: false, consume: false,
                        stopAfter: "queue"), replayGain: "off", crossfade: 0,
                    resumeItems: false, skipBack: 0, outputDevice: "usb", onUnplug: "pause",
                    mixing: "exclusive", inhibit: "sleep"))
        let text = String(decoding: line, as: UTF8.self)
        for name in SettingTable.rows(in: .events).map(\.name) {
            #expect(text.components(separatedBy: "\"\(name)\":").count == 2)
        }
    }

    private struct Fields: Decodable, Equatable {
        struct Modes: Decodable, Equatable {
            var `repeat`: String
            var shuffle, single, consume: Bool
            var stopAfter: String
        }

        var event: String
        var rate, volume: Double
        var muted: Bool
        var modes: Modes
        var replayGain: String
        var crossfade: Double
        var resumeItems: Bool
        var skipBack: Double
        var outputDevice, onUnplug, mixing, inhibit: String
    }
}
