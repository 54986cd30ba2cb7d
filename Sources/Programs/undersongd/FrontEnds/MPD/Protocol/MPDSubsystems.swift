/// The parts of a server of which `idle` reports changes.
struct MPDSubsystems: OptionSet, Hashable, Sendable {
    let rawValue: Int

    static let database = MPDSubsystems(rawValue: 1)
    static let storedPlaylist = MPDSubsystems(rawValue: 1 << 1)
    static let playlist = MPDSubsystems(rawValue: 1 << 2)
    static let player = MPDSubsystems(rawValue: 1 << 3)
    static let mixer = MPDSubsystems(rawValue: 1 << 4)
    static let output = MPDSubsystems(rawValue: 1 << 5)
    static let options = MPDSubsystems(rawValue: 1 << 6)
    static let sticker = MPDSubsystems(rawValue: 1 << 7)
    static let update = MPDSubsystems(rawValue: 1 << 8)
    static let subscription = MPDSubsystems(rawValue: 1 << 9)
    static let message = MPDSubsystems(rawValue: 1 << 10)
    static let all = MPDSubsystems(rawValue: (1 << names.count) - 1)

    /// The names on the wire, each at the index of its bit.
    private static let names = [
        "database", "stored_playlist", "playlist", "player", "mixer", "output", "options",
        "sticker", "update", "subscription", "message", "neighbor", "mount", "partition",
    ]

    /// The names of those in the set.
    var names: [String] {
        Self.names.enumerated().filter { rawValue & 1 << $0.offset != 0 }.map(\.element)
    }

    /// The subsystem of a name in any case; nil if there is none.
    init?(name: String) {
        guard let index = Self.names.firstIndex(of: name.lowercased()) else { return nil }
        self.init(rawValue: 1 << index)
    }

    init(rawValue: Int) { self.rawValue = rawValue }
}
