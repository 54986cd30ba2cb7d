import Foundation
import TestSupport
import Testing

@testable import UndersongPlayback

@Suite struct `The table of settings` {
    @Test func `The table of settings contains all settings`() {
        let members = Mirror(reflecting: SettingTable.standard).children
            .compactMap { $0.value as? any SettingTableMember }

        #expect(
            Set(members.flatMap(\.entries).map(\.name)) == Set(SettingTable.entries.map(\.name)))
        #expect(members.flatMap(\.rows).count == SettingTable.rows.count)
    }

    @Test func `The table of settings has each name once`() {
        for names in [SettingTable.entries.map(\.name), SettingTable.rows.map(\.name)] {
            #expect(Set(names).count == names.count)
        }
    }

    @Test(arguments: SettingTable.rows(in: .wire).map(\.name))
    func `The table of settings returns what was set`(name: String) throws {
        let row = try #require(SettingTable.rows.first { $0.name == name })
        let entry = try #require(SettingTable.entries.first { $0.name == name })
        var (settings, restored) = (PlayerSettings(), PlayerSettings())

        entry.apply(&settings, row.otherValue)

        #expect(entry.problem(row.otherValue) == nil)
        #expect(row.wireValue(in: settings) == row.otherValue)
        #expect(row.restore(row.storedValue(in: settings), in: &restored))
        #expect(restored == settings && restored != PlayerSettings())
    }

    @Test(arguments: SettingTable.rows.compactMap { $0.wireRange == nil ? nil : $0.name })
    func `The table of settings clamps numbers to their ranges`(name: String) throws {
        let row = try #require(SettingTable.rows.first { $0.name == name })
        let entry = try #require(SettingTable.entries.first { $0.name == name })
        let range = try #require(row.wireRange)

        for (number, nearest) in [
            (range.lowerBound - 1, range.lowerBound), (range.upperBound + 1, range.upperBound),
        ] {
            var settings = PlayerSettings()
            entry.apply(&settings, .number(number))
            row.clamp(&settings)

            #expect(row.wireValue(in: settings) == .number(nearest))
            #expect(entry.problem(.number(number)) == .outOfRange(noun: row.noun, number, range))
        }
    }

    @Test(arguments: SettingTable.rows(in: .wire).map(\.name))
    func `The table of settings has a noun for wrong values, and refuses other words`(name: String)
        throws
    {
        let row = try #require(SettingTable.rows.first { $0.name == name })

        switch row.kind {
        case .flag, .name: #expect(row.noun.isEmpty)
        case .number: #expect(!row.noun.isEmpty)
        case .word(let words):
            #expect(!row.noun.isEmpty)
            #expect(
                row.entry.problem(.text("x")) == .unknown(noun: row.noun, "x", words))
        }
    }
}

/// The JSON of settings, changes and events.
@Suite struct `The values of settings` {
    @Test func `The values of settings are the same after coding`() throws {
        var change = SettingsChange()
        for row in SettingTable.rows(in: .wire) { change[row.name] = row.otherValue }
        (change.volumeBy, change.toggleMuted) = (-5, true)

        try expectSame(change)
        try expectSame(Settings(.other))
        try expectSame(SettingsEvent(.other))
    }

    private func expectSame<Values: SettingValues>(_ values: Values) throws {
        let data = try JSONEncoder().encode(values)
        #expect(try JSONDecoder().decode(Values.self, from: data) == values)
    }

    @Test func `The values of settings keep a word that a later version has added`() throws {
        let json = Data(#"{"repeat":"twice","lyrics":true}"#.utf8)

        let settings = try JSONDecoder().decode(Settings.self, from: json)

        #expect(settings.repeat == nil && settings["repeat"] == .text("twice"))
    }
}
