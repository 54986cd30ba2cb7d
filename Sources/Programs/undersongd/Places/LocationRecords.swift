import UndersongBase
import UndersongLocation
import UndersongStore

/// The records of locations, which survive the service.
enum LocationRecords {
    /// The user's decision: the desk's record without the regions.
    static let desk = "location.desk"
    /// The places, by name.
    static let places = "location.places"
    static let settings = "location.settings"
    /// One list, in the order in which they were made.
    static let rules = "location.rules"
    /// The newest fixes, by number.
    static let fixes = "location.fixes"

    /// Keeps a desk's record in place of one that has places with the names `old`.
    static func keep(
        _ record: LocationDesk.Record, beside old: Set<String>
    ) throws -> [RecordChange] {
        var head = record
        head.regions = []
        return try [.keep(head, in: desk, as: "")]
            + old.subtracting(record.names).map { .remove(namespace: places, key: $0) }
            + record.regions.map { try .keep($0, in: places, as: $0.region.identifier) }
    }

    static func keep(_ change: LocationSettings) throws -> RecordChange {
        try .keep(change, in: settings, as: "")
    }

    static func keep(_ change: [LocationRule]) throws -> RecordChange {
        try .keep(change, in: rules, as: "")
    }

    /// Keeps fixes so that those with `numbers` are kept, the newest last; those of `old` that are
    /// not among them make room.
    static func keep(
        _ change: [LocationFix], as numbers: Range<Int>, beside old: Range<Int>
    ) throws -> [RecordChange] {
        try zip(change.suffix(numbers.count), numbers.suffix(change.count)).map { fix, number in
            try .keep(fix, in: fixes, as: RecordChange.key(number))
        } + removeFixes(old.lowerBound..<min(old.upperBound, numbers.lowerBound))
    }

    static func removeFixes(_ numbers: Range<Int>) -> [RecordChange] {
        numbers.map { .remove(namespace: fixes, key: RecordChange.key($0)) }
    }
}

extension LocationDesk.Record {
    /// The names of the regions.
    var names: [String] { regions.map(\.region.identifier) }
}

extension Range<Int> {
    /// The numbers of what is kept after this many more.
    func adding(_ count: Int, capacity: Int) -> Range {
        Swift.max(lowerBound, upperBound + count - capacity)..<upperBound + count
    }
}

extension PlayerService {
    /// The shell as an earlier service has left it.
    func restoredLocations() async -> LocationShell {
        let desk = await store.records(LocationDesk.Record.self, in: LocationRecords.desk)
        var record = desk.first?.value ?? LocationDesk.Record()
        record.regions = await store.records(WatchedRegion.self, in: LocationRecords.places)
            .map(\.value)
        let settings = await store.records(LocationSettings.self, in: LocationRecords.settings)
        let rules = await store.records([LocationRule].self, in: LocationRecords.rules)
        let fixes = await store.records(LocationFix.self, in: LocationRecords.fixes)
        var shell = LocationShell(
            record, settings.first?.value ?? LocationSettings(), clock: configuration.clock)
        shell.keptPlaces = Set(record.names)
        shell.rules = rules.first?.value ?? []
        for fix in fixes { shell.recent.append(fix.value) }
        if let last = fixes.last.flatMap({ Int($0.key) }) {
            shell.keptFixes = max(0, last + 1 - shell.recent.capacity)..<last + 1
        }
        return shell
    }
}
