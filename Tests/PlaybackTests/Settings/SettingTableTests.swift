import TestSupport
import Testing

@testable import UndersongPlayback

@Suite struct `The table of settings` {
    @Test func `contains all settings`() {
        let members = Mirror(reflecting: SettingTable.standard).children
            .compactMap { $0.value as? any SettingTableMember }

        #expect(
            Set(members.flatMap(\.entries).map(\.name)) == Set(SettingTable.entries.map(\.name)))
        #expect(members.flatMap(\.rows).count == SettingTable.rows.count)
    }

    @Test func `has each name once`() {
        let names = SettingTable.entries.map(\.name)
        let columns = SettingTable.rows.map(\.names.column.name)
        let options = SettingTable.rows.compactMap(\.names.option?.name)
        let verbs = SettingTable.rows.compactMap(\.names.verb?.name)

        for names in [names, columns, options, verbs] {
            #expect(Set(names).count == names.count)
        }
    }

    @Test(arguments: SettingTable.rows.filter { $0.name != nil }.map(\.names.column.name))
    func `returns what was set`(column: String) throws {
        let row = try #require(SettingTable.rows.first { $0.names.column.name == column })
        let entry = try #require(SettingTable.entries.first { $0.name == row.name })
        var (settings, restored) = (PlayerSettings(), PlayerSettings())

        entry.apply(&settings, row.otherValue)

        #expect(entry.problem(row.otherValue) == nil)
        #expect(row.wireValue(in: settings) == row.otherValue)
        #expect(row.restore(row.storedValue(in: settings), in: &restored))
        #expect(restored == settings && restored != PlayerSettings())
    }

    @Test(arguments: SettingTable.rows.compactMap { $0.wireRange == nil ? nil : $0.name })
    func `clamps numbers to their ranges`(name: String) throws {
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
            #expect(
                entry.problem(.number(number))
                    == .outOfRange(noun: row.names.noun, number, range))
        }
    }
}
