/// A command of the protocol.
struct MPDCommand: Sendable {
    /// A version of the protocol.
    struct Version: Comparable, CustomStringConvertible {
        var minor: Int
        var patch: Int

        init(_ minor: Int, _ patch: Int = 0) {
            self.minor = minor
            self.patch = patch
        }

        /// The version that clients are greeted with: the highest one whose commands are all there.
        static let spoken = Version(23, 5)

        var description: String { "0.\(minor).\(patch)" }

        static func < (left: Version, right: Version) -> Bool {
            (left.minor, left.patch) < (right.minor, right.patch)
        }
    }

    /// Performs the command of a client, and adds its lines to the reply.
    typealias Run =
        @Sendable (isolated MPDFrontEnd, MPDClient, MPDArguments, inout MPDReply) async throws
        -> Void

    /// The command's name.
    let name: String
    /// The version of the protocol that has brought it.
    let since: Version
    /// The permission that it needs.
    let permission: MPDPermissions
    /// The least and the most arguments; nil for as many as there are.
    let counts: (least: Int, most: Int?)
    let run: Run

    /// Creates a command with as many arguments as are in a range.
    init(
        _ name: String, since: Version = Version(0), _ permission: MPDPermissions,
        _ counts: ClosedRange<Int>, _ run: @escaping Run
    ) {
        self.init(name, since, permission, (counts.lowerBound, counts.upperBound), run)
    }

    /// Creates a command with so many arguments or more.
    init(
        _ name: String, since: Version = Version(0), _ permission: MPDPermissions,
        _ counts: PartialRangeFrom<Int>, _ run: @escaping Run
    ) {
        self.init(name, since, permission, (counts.lowerBound, nil), run)
    }

    private init(
        _ name: String, _ since: Version, _ permission: MPDPermissions,
        _ counts: (least: Int, most: Int?), _ run: @escaping Run
    ) {
        self.name = name
        self.since = since
        self.permission = permission
        self.counts = counts
        self.run = run
    }

    /// False for a command that is known, but of which nothing is there.
    var isAvailable: Bool { name != "listneighbors" }

    /// Checks that a client may call the command, and with so many arguments.
    func check(_ count: Int, _ permissions: MPDPermissions) throws(MPDError) {
        guard permissions.isSuperset(of: permission) else {
            throw MPDError(.permission, "you don't have permission for \"\(name)\"")
        }
        if counts.most == counts.least, count != counts.least {
            throw MPDError(.argument, "wrong number of arguments for \"\(name)\"")
        }
        guard count >= counts.least else {
            throw MPDError(.argument, "too few arguments for \"\(name)\"")
        }
        if let most = counts.most, count > most {
            throw MPDError(.argument, "too many arguments for \"\(name)\"")
        }
    }

    /// All commands in the order of their names.
    static let all: [MPDCommand] = [
        connection, database, folders, messages, options, outputs, partitions, pictures, playing,
        queue, queueSearch, status, stickers, storedPlaylists, tags,
    ].flatMap { $0 }.sorted { $0.name < $1.name }

    /// The commands by name.
    static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}

/// The permissions of a client.
struct MPDPermissions: OptionSet, Hashable, Sendable {
    let rawValue: Int

    static let none: MPDPermissions = []
    static let read = MPDPermissions(rawValue: 1)
    static let add = MPDPermissions(rawValue: 2)
    static let control = MPDPermissions(rawValue: 4)
    static let admin = MPDPermissions(rawValue: 8)
    static let player = MPDPermissions(rawValue: 16)
    static let all: MPDPermissions = [.read, .add, .control, .admin, .player]

    /// The permissions by the names that passwords have for them. Who controls may play.
    static let named: [String: MPDPermissions] = [
        "read": .read, "add": .add, "player": .player, "control": [.control, .player],
        "admin": .admin,
    ]
}
