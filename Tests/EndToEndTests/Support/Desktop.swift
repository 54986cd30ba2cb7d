import Foundation
import Synchronization
import TestSupport
import UndersongBackground
import UndersongControl
import UndersongPlayback

/// A message bus with a service on it, and the programs by which desktops show and control players.
final class Desktop {
    static let player = "org.mpris.MediaPlayer2.Player"
    static let trackList = "org.mpris.MediaPlayer2.TrackList"
    static let playlists = "org.mpris.MediaPlayer2.Playlists"

    /// The demo's songs.
    static let songs = ["01 Slack Water", "02 The Tide Turns", "03 Harbour Lights"].map {
        URL(filePath: #filePath).appending(path: "../../../../Resources/Demo/\($0).mp3")
            .standardizedFileURL.path
    }

    let bus: MessageBus
    let daemon: Daemon
    let client: ControlClient
    private let folder: String
    private let log: Times

    /// Starts both, the bus only where it `isBusThere`.
    init(
        _ arguments: [String] = [], isBusThere: Bool = true, environment: [String: String] = [:]
    ) throws {
        bus = try MessageBus()
        folder = bus.folder.path
        if isBusThere { try bus.start() }
        daemon = try Daemon(
            in: folder, arguments,
            environment: [
                "DBUS_SESSION_BUS_ADDRESS": bus.address, "XDG_DATA_HOME": folder + "/data",
            ].merging(environment) { $1 })
        let log = Times()
        self.log = log
        client = try daemon.client { notice in
            guard let event = try? notice.decode(EventNotice.self).data,
                case .time = event.kind
            else { return }
            log.append(event.head.hostTime, event.head.position.seconds)
        }
    }

    /// The times of the current item that were reported, and when they were heard.
    var times: [(monotonic: Int64, seconds: Double)] { log.all }

    /// Adds the songs to the queue, which plays nowhere, in the foreground.
    func load() throws {
        _ = try client.call(Attach(state: .active, source: "test"))
        _ = try client.call(Play(files: Files(Self.songs), output: .null))
        _ = try client.call(Command(.pause))
        try waitUntil { try playerctl("status") == "Paused" }
    }

    /// The output of `playerctl`, errors included.
    func playerctl(_ arguments: String...) throws -> String {
        try run("/usr/bin/playerctl", arguments)
    }

    /// The output of `busctl` for a property.
    func property(_ name: String, _ interface: String = player) throws -> String {
        try busctl("get-property", interface, name)
    }

    /// Sets a property, and returns what `busctl` prints of that.
    func set(_ name: String, _ value: String...) throws -> String {
        try run("/usr/bin/busctl", Self.busctl("set-property", Self.player, name) + value)
    }

    /// Calls a method, and returns what `busctl` prints of that.
    func call(
        _ method: String, _ arguments: String..., of interface: String = player
    ) throws -> String {
        try run("/usr/bin/busctl", Self.busctl("call", interface, method) + arguments)
    }

    /// The names of the players on the bus.
    func players() throws -> [String] {
        try playerctl("-l").split(separator: "\n").map(String.init)
    }

    /// A script that has a player as `player`, its properties as `properties`, and prints.
    func python(_ script: String) throws -> String {
        let head = """
            import dbus, time
            bus = dbus.SessionBus()
            player = bus.get_object("org.mpris.MediaPlayer2.undersong", "/org/mpris/MediaPlayer2")
            properties = dbus.Interface(player, "org.freedesktop.DBus.Properties")

            """
        return try run("/usr/bin/python3", ["-c", head + script])
    }

    /// Starts a program that finds the bus.
    func start(_ path: String, _ arguments: String...) throws -> Program {
        try Program(path, arguments, environment: environment)
    }

    private var environment: [String: String] {
        ["DBUS_SESSION_BUS_ADDRESS": bus.address, "XDG_RUNTIME_DIR": folder]
    }

    private static func busctl(
        _ verb: String, _ interface: String, _ member: String
    ) -> [String] {
        [
            "--user", verb, "org.mpris.MediaPlayer2.undersong", "/org/mpris/MediaPlayer2",
            interface, member,
        ]
    }

    private func busctl(_ verb: String, _ interface: String, _ member: String) throws -> String {
        try run("/usr/bin/busctl", Self.busctl(verb, interface, member))
    }

    private func run(_ path: String, _ arguments: [String]) throws -> String {
        let program = try Program(path, arguments, environment: environment)
        try program.wait()
        return (program.text + program.errorText)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// Times that were reported, from another thread.
private final class Times: Sendable {
    private let times = Mutex<[(monotonic: Int64, seconds: Double)]>([])

    var all: [(monotonic: Int64, seconds: Double)] { times.withLock { $0 } }

    func append(_ monotonic: Int64, _ seconds: Double) {
        times.withLock { $0.append((monotonic, seconds)) }
    }
}
