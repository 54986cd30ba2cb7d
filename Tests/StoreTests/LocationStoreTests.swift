import Testing
import UndersongBase
import UndersongLocation
import UndersongPlayback

@testable import UndersongStore

@Suite struct `Locations in the store` {
    let folder = TemporaryFolder()
    let notices = Notices()

    private func fix(_ number: Int) -> LocationFix {
        LocationFix(
            Coordinate(latitude: -52.5 + Double(number) / 1000, longitude: 13.25),
            horizontalAccuracy: 5.5, altitude: 34.5, verticalAccuracy: 8, speed: 1.5,
            course: 255.75,
            time: 1e9 + Double(number), arrival: 0, source: .gpsd)
    }

    private let record = LocationDesk.Record(
        status: .always, hasAskedForUpgrade: true,
        regions: [
            LocationDesk.Record.Region(
                region: CircularRegion(
                    identifier: "büro", center: Coordinate(latitude: 1.5, longitude: -2.25),
                    radius: 150.5), state: .inside),
            LocationDesk.Record.Region(
                region: CircularRegion(
                    identifier: "home", center: Coordinate(latitude: 0, longitude: 0), radius: 1),
                state: .unknown),
        ])
    private let rules = [
        LocationRule(.exit, "home", .pause), LocationRule(.enter, "home", .volume(12.5)),
        LocationRule(.enter, "home", .load("evening")), LocationRule(.enter, "büro", .resume),
    ]
    private var settings: LocationSettings {
        var settings = LocationSettings()
        settings.isUpdating = true
        settings.accuracy = .bestForNavigation
        settings.backgroundAccuracy = .kilometer
        settings.distance = 25.5
        settings.source = .gpsd(host: "gps.example", port: 2948)
        settings.keepsFixes = true
        return settings
    }

    @Test func `are there for the next service`() async throws {
        let store = folder.open(notices)
        try await store.keep([.record(record), .rules(rules), .settings(settings), .fix(fix(1))])
        store.close()

        let later = await folder.open(notices).locations()

        #expect(later.record == record)
        #expect(later.rules == rules)
        #expect(later.settings == settings)
        #expect(later.fixes == [fix(1)])
        #expect(notices.all.isEmpty)
    }

    @Test func `are as if nothing was set in a new file`() async {
        #expect(await folder.open(notices).locations() == StoredLocations())
    }

    @Test func `have no places and rules that were removed`() async throws {
        let store = folder.open(notices)
        try await store.keep([.record(record), .rules(rules), .settings(settings)])

        try await store.keep([
            .record(LocationDesk.Record(status: .denied)), .rules([]),
            .settings(LocationSettings()),
        ])

        let now = await store.locations()
        #expect(now.record == LocationDesk.Record(status: .denied))
        #expect(now.rules.isEmpty)
        #expect(now.settings == LocationSettings())
    }

    @Test func `have the newest hundred fixes, until they are not to be kept`() async throws {
        let store = folder.open(notices)
        for number in 1...105 { try await store.keep([.fix(fix(number))]) }

        let kept = await store.locations().fixes
        try await store.keep([.noFixes])

        #expect(kept == (6...105).map(fix))
        #expect(await store.locations().fixes.isEmpty)
    }

    @Test func `are not read from damaged rows`() async throws {
        let store = folder.open(notices)
        try await store.keep([.record(record), .rules(rules), .fix(fix(1)), .fix(fix(2))])
        store.close()
        try folder.edit {
            try $0.execute("UPDATE places SET radius = 9 WHERE name = 'home'")
            try $0.execute("UPDATE place_rules SET command = 'resume' WHERE number = 1")
            try $0.execute("UPDATE fixes SET latitude = 0 WHERE number = 1")
            try $0.execute("UPDATE location_state SET value = 4 WHERE name = 'status'")
        }

        let found = await folder.open(notices).locations()

        #expect(found.record.regions == [record.regions[0]])
        #expect(found.record.status == .notDetermined)
        #expect(found.rules == Array(rules.dropFirst()))
        #expect(found.fixes == [fix(2)])
    }

    @Test func `survive a file that is set aside because of other damage`() async throws {
        let store = folder.open(notices)
        try await store.keep([.record(record), .rules(rules), .settings(settings), .fix(fix(1))])
        store.keep(PlayerRecord(store.add([QueueEntry("one.mp3")])))
        await store.flush()
        store.close()
        try folder.edit { try $0.execute("UPDATE state SET sequence = 99") }

        let found = await folder.open(notices).locations()

        #expect(notices.all.count == 1)
        #expect(found.record == record)
        #expect(found.rules == rules)
        #expect(found.settings == settings)
        #expect(found.fixes == [fix(1)])
    }

    @Test func `are refused without a place for them`() async {
        let store = StateStore(folder: nil, clock: SystemClock()) { _ in }

        await #expect(throws: QueueError.self) { try await store.keep([.rules([])]) }
        #expect(await store.locations() == StoredLocations())
    }
}
