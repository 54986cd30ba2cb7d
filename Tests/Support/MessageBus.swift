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

    /// Where it has its socket, `bus`, and the folder of what it starts, `services`.
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

    /// Where it is to be found.
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
