import UndersongBase
import UndersongLocation
import UndersongStore

/// The settings, rules and newest fixes of locations, with their records in the store, and with those
/// of the policy. One that is damaged loses itself only.
struct LocationRecords: Sendable {
    /// A rule with the key of its record. Keys are in the order in which rules were added.
    struct Rule: Sendable {
        var key: String
        var rule: LocationRule
    }

    /// An edit of the rules, which can be undone.
    struct RuleEdit {
        fileprivate(set) var removed: [Rule]
        fileprivate(set) var added: Rule?
    }

    /// The namespaces. That of the policy has its record without the regions, and that of places the
    /// regions by name.
    private static let (policy, places, settings) = (
        "location.desk", "location.places", "location.settings"
    )
    private static let (rules, fixes) = ("location.rules", "location.fixes")

    var settings = LocationSettings()
    private var keyedRules: [Rule] = []
    private var nextRule = 0
    private(set) var recent = RecentFixes()
    /// The names of the places that may be on the disk.
    private var keptPlaces: Set<String> = []
    /// The numbers of the fixes that may be on the disk.
    private var keptFixes = 0..<0

    init() {}

    /// Reads what an earlier service has kept, with the record of its policy.
    static func read(_ store: StateStore) async -> (LocationRecords, LocationPolicy.Record) {
        var records = LocationRecords()
        let policy = await store.records(LocationPolicy.Record.self, in: Self.policy)
        var record = policy.first?.value ?? LocationPolicy.Record()
        record.regions = await store.records(WatchedRegion.self, in: places).map(\.value)
        let settings = await store.records(LocationSettings.self, in: Self.settings)
        let rules = await store.records(LocationRule.self, in: Self.rules)
        let fixes = await store.records(LocationFix.self, in: Self.fixes)
        records.settings = settings.first?.value ?? LocationSettings()
        records.keptPlaces = Set(record.names)
        records.keyedRules = rules.map { Rule(key: $0.key, rule: $0.value) }
        records.nextRule = (rules.last.flatMap { Int($0.key) } ?? -1) + 1
        for fix in fixes { records.recent.append(fix.value) }
        if let last = fixes.last.flatMap({ Int($0.key) }) {
            records.keptFixes = max(0, last + 1 - records.recent.capacity)..<last + 1
        }
        return (records, record)
    }

    // MARK: The policy and the settings

    /// Returns the changes that keep the policy's record, in place of an earlier one.
    mutating func keep(_ record: LocationPolicy.Record) throws -> [RecordChange] {
        // Before the disk has them, so that a change in between removes them.
        keptPlaces.formUnion(record.names)
        var head = record
        head.regions = []
        return try [.keep(head, in: Self.policy, as: "")]
            + keptPlaces.subtracting(record.names)
            .map { .remove(namespace: Self.places, key: $0) }
            + record.regions.map { try .keep($0, in: Self.places, as: $0.region.identifier) }
    }

    static func keep(_ settings: LocationSettings) throws -> [RecordChange] {
        [try .keep(settings, in: Self.settings, as: "")]
    }

    // MARK: Rules

    /// The rules in the order in which they were added.
    var rules: [LocationRule] { keyedRules.map(\.rule) }

    /// Removes the rules for which `isRemoved` returns true, and adds one.
    mutating func editRules(
        removing isRemoved: (LocationRule) -> Bool, adding rule: LocationRule? = nil
    ) -> RuleEdit {
        var edit = RuleEdit(removed: keyedRules.filter { isRemoved($0.rule) })
        keyedRules.removeAll { isRemoved($0.rule) }
        if let rule {
            let added = Rule(key: RecordChange.key(nextRule), rule: rule)
            nextRule += 1
            edit.added = added
            keyedRules.append(added)
        }
        return edit
    }

    /// Undoes an edit that the disk has not taken.
    mutating func undo(_ edit: RuleEdit) {
        if let added = edit.added { keyedRules.removeAll { $0.key == added.key } }
        keyedRules = (keyedRules + edit.removed).sorted { $0.key < $1.key }
    }

    static func keep(_ edit: RuleEdit) throws -> [RecordChange] {
        let added = try edit.added.map { try RecordChange.keep($0.rule, in: rules, as: $0.key) }
        return edit.removed.map { .remove(namespace: rules, key: $0.key) }
            + [added].compactMap(\.self)
    }

    // MARK: Fixes

    /// Adds a fix to those in memory.
    mutating func append(_ fix: LocationFix) { recent.append(fix) }

    /// Returns the changes that keep more fixes, the newest last, for which the oldest make room.
    mutating func keep(_ fixes: [LocationFix]) throws -> [RecordChange] {
        let old = keptFixes
        let end = old.upperBound + fixes.count
        keptFixes = max(old.lowerBound, end - recent.capacity)..<end
        let numbers = keptFixes.suffix(fixes.count)
        return try zip(fixes.suffix(numbers.count), numbers).map { fix, number in
            try .keep(fix, in: Self.fixes, as: RecordChange.key(number))
        } + Self.removal(of: old.lowerBound..<min(old.upperBound, keptFixes.lowerBound))
    }

    /// Returns the changes that keep no fixes. Call `forgetFixes` when they are made.
    var removalOfFixes: [RecordChange] { Self.removal(of: keptFixes) }

    mutating func forgetFixes() { keptFixes = keptFixes.upperBound..<keptFixes.upperBound }

    private static func removal(of numbers: Range<Int>) -> [RecordChange] {
        numbers.map { .remove(namespace: fixes, key: RecordChange.key($0)) }
    }
}

extension LocationPolicy.Record {
    /// The names of the regions.
    fileprivate var names: [String] { regions.map(\.region.identifier) }
}
