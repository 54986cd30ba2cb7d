import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBackground
import UndersongControl

extension EndToEnd {
    /// A program under Apple's names, and what `undersong-transferd` does for it.
    @Suite struct `An app with work in the program that downloads` {
        private static let file = [UInt8](repeating: 7, count: 10_000)
        private let identifier = ExampleApp.identifier

        @Test(.rule("AP5", "AP7", "J14"))
        func `A suspended app is woken by its download, and is suspended again`() throws {
            let stage = try AppStage()
            let transfers = TransferProgram(stage)
            let gate = DispatchSemaphore(value: 0)
            let server = try server(after: gate)
            defer { gate.signal() }
            let app = try transfers.app()
            stage.terminal.type("\(app.path) 0 \(server.url("/file"))\n")
            try stage.terminal.waitFor("\r\nactive")
            stage.terminal.type("\u{1A}")
            try stage.terminal.waitFor("download begins")
            let process = try stage.waitForSuspension(identifier)
            try waitUntil { server.requests.count == 1 }
            try stage.terminal.waitFor("ready> ")

            stage.terminal.type("")
            gate.signal()

            try stage.terminal.waitFor("events background")
            try stage.terminal.waitFor("downloaded 10000 background")
            #expect(try stage.waitForSuspension(identifier).id == process.id)
            // A second event of the same work may still come.
            try waitUntil { process.wakeUps() == 0 }
            #expect(!stage.terminal.text.contains("foreground"))
        }

        @Test(.rule("AP12", "A11", "J14"))
        func `An app that does not run is launched by its download, and suspended`() throws {
            let stage = try AppStage()
            let transfers = TransferProgram(stage)
            let gate = DispatchSemaphore(value: 0)
            let server = try server(after: gate)
            defer { gate.signal() }
            let app = try transfers.app()
            stage.terminal.type("\(app.path) 0 \(server.url("/file"))\n")
            try stage.terminal.waitFor("\r\nactive")
            stage.terminal.type("\u{1A}")
            try stage.terminal.waitFor("download begins")
            let first = try stage.waitForSuspension(identifier)
            try waitUntil { server.requests.count == 1 }
            kill(first.id, SIGKILL)
            _ = try stage.waitForEnd(identifier)

            gate.signal()

            try stage.events.wait(for: .launched, of: identifier)
            try waitUntil { try stage.undersong("app", "log", identifier).contains("downloaded") }
            let process = try stage.waitForSuspension(identifier)
            let log = try stage.undersong("app", "log", identifier)
            try waitUntil { process.wakeUps() == 0 }
            #expect(process.id != first.id)
            #expect(log.contains("launched for "))
            #expect(log.contains("downloaded 10000 background"))
            #expect(!log.contains("\nactive"))
        }

        @Test(.rule("AP12", "A11", "LO12"))
        func `An app is launched by its region, suspended, and woken by it`() throws {
            let stage = try AppStage()
            let transfers = TransferProgram(stage)
            let drive = try Drive()
            let app = try transfers.app()
            stage.terminal.type("\(app.path) 0 '' \(drive.port)\n")
            try drive.drive(to: 2000) { stage.terminal.text.contains("away from home") }
            stage.terminal.type("\u{1A}")
            let first = try stage.waitForSuspension(identifier)
            kill(first.id, SIGKILL)
            _ = try stage.waitForEnd(identifier)

            try drive.drive(to: 0) {
                try stage.undersong("app", "log", identifier).contains("entered home background")
            }
            let process = try stage.waitForSuspension(identifier)
            try waitUntil { process.wakeUps() == 0 }
            try drive.drive(to: 2000) {
                try stage.undersong("app", "log", identifier).contains("left home background")
            }

            #expect(try stage.waitForSuspension(identifier).id == process.id)
            let log = try stage.undersong("app", "log", identifier)
            #expect(log.contains("launched for the location"))
            #expect(log.contains("woken for the location"))
            #expect(log.components(separatedBy: "\nlaunched background").count == 2)
            #expect(!log.contains("\nactive"))
        }

        /// A server that answers once `gate` is opened.
        private func server(after gate: DispatchSemaphore) throws -> ScriptedHTTPServer {
            try ScriptedHTTPServer { request in
                gate.wait()
                return ScriptedHTTPServer.Response(file: Self.file, to: request)
            }
        }
    }
}

/// The program that downloads, as an app of a stage starts it.
private final class TransferProgram {
    private let stage: AppStage

    init(_ stage: AppStage) { self.stage = stage }

    deinit {
        let socket = ControlSocket(
            session: ControlSocket.transfers(of: "default"), runtimeFolder: stage.daemon.folder)
        let client = try? ControlClient(socket: socket.path, name: "test")
        if let process = try? client?.call(Hello(client: "test")).process {
            kill(process, SIGKILL)
        }
    }

    /// The example, with the programs of Undersong beside it.
    func app() throws -> ExampleApp {
        let app = try ExampleApp(stage)
        let folder = URL(filePath: app.path).deletingLastPathComponent()
        for name in ["undersong", "undersong-transferd"] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.appending(path: name).path,
                withDestinationPath: Program.path(of: name))
        }
        return app
    }
}

/// A gpsd whose receiver a test moves.
private final class Drive {
    private let gpsd: FakeGpsd
    private let formatter = ISO8601DateFormatter()
    /// Seconds since 1970 of the last position.
    private var second = Date().timeIntervalSince1970.rounded()
    /// Meters to the north of home.
    private var position = 2000.0

    init() throws { gpsd = try FakeGpsd() }

    var port: UInt16 { gpsd.port }

    /// Drives to a place so many meters to the north of home, at 20 m/s, and stays there until
    /// `condition` is met.
    func drive(to meters: Double, until condition: () throws -> Bool) throws {
        try waitUntil {
            second += 1
            position += min(max(meters - position, -20), 20)
            let time = formatter.string(from: Date(timeIntervalSince1970: second))
            gpsd.send(
                "{\"class\":\"TPV\",\"mode\":3,\"time\":\"\(time)\","
                    + "\"lat\":\(52.5 + position / 111_260),\"lon\":13.4,\"eph\":8}\r\n")
            return try position == meters && condition()
        }
    }
}
