package import Foundation
import Glibc

/// A D-Bus message bus of the test's own, which can be killed and started again at the same address.
/// It ends with this object.
package final class MessageBus {
    private static let configuration = """
        <busconfig><type>session</type><listen>unix:path=%@/bus</listen><auth>EXTERNAL</auth>
        <servicedir>%@/services</servicedir>
        <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/>
        <allow own="*"/></policy></busconfig>
        """

    /// The folder of its socket, `bus`, and of the programs that it starts, `services`.
    package let folder: URL
    private var daemon: Child?

    /// Makes one that does not run before `start`.
    package init() throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "undersong-bus-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "services"), withIntermediateDirectories: true)
        try Self.configuration.replacing("%@", with: folder.path)
            .write(to: folder.appending(path: "bus.conf"), atomically: true, encoding: .utf8)
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Its address.
    package var address: String { "unix:path=\(folder.path)/bus" }

    /// Starts it and waits until it listens. What it starts has `environment` besides the test's.
    package func start(environment: [String: String] = [:]) throws {
        let output = Pipe()
        let silence = FileHandle.nullDevice.fileDescriptor
        daemon = try Child(
            "/usr/bin/dbus-daemon",
            ["--nofork", "--print-address=1", "--config-file=\(folder.path)/bus.conf"],
            environment,
            [silence, output.fileHandleForWriting.fileDescriptor, silence])
        try output.fileHandleForWriting.close()
        guard !output.fileHandleForReading.nextData.isEmpty else {
            throw Overdue("the message bus does not start")
        }
    }

    /// Kills it, and waits until it has gone.
    package func stop() {
        guard let daemon else { return }
        daemon.end()
        self.daemon = nil
        try? FileManager.default.removeItem(at: folder.appending(path: "bus"))
    }
}

/// The players on a test's bus, by `busctl`.
extension MessageBus {
    /// The names of players.
    package func names() throws -> [String] {
        try busctl(["list", "--no-legend", "--acquired"]).split(separator: "\n")
            .compactMap { $0.split(separator: " ").first.map(String.init) }
            .filter { $0.hasPrefix("org.mpris.") }
    }

    /// A property of the only player, with its type.
    package func property(_ name: String) throws -> String {
        try busctl(["get-property"] + target() + [name])
    }

    /// The output of a call of the only player, errors included.
    package func call(_ method: String, _ arguments: String...) throws -> String {
        try busctl(["call"] + target() + [method] + arguments)
    }

    private func target() throws -> [String] {
        guard let name = try names().first else { throw Overdue("there is no player") }
        return [name, "/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2.Player"]
    }

    private func busctl(_ arguments: [String]) throws -> String {
        let output = Pipe()
        let writing = output.fileHandleForWriting.fileDescriptor
        let program = try Child(
            "/usr/bin/busctl", ["--address=\(address)"] + arguments, [:],
            [FileHandle.nullDevice.fileDescriptor, writing, writing])
        try output.fileHandleForWriting.close()
        var text = Data()
        while case let data = output.fileHandleForReading.nextData, !data.isEmpty { text += data }
        _ = try program.wait()
        return String(decoding: text, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
