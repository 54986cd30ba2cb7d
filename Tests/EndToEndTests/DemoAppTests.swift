import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongControl
import UndersongDemoScreen

extension EndToEnd {
    /// The tutorials' app under a real service, on a phone that the test plays.
    @Suite struct `The demo's app` {
        @Test(.rule("AP5", "E4", "E7", "E9", "E13", "E16", "DM1"))
        func `The demo's app calculates in the background until its time is over, and continues`()
            throws
        {
            let stage = try DemoAppStage(budget: 7)
            try stage.open()
            stage.phone.touch(.calculation)
            try stage.phone.waitForScreen { $0.whatever.position >= 2 }
            try stage.home()

            try stage.phone.waitForLine { $0.hasPrefix("App is backgrounded. Next number = ") }
            try stage.phone.waitForLine { $0.hasPrefix("Background time remaining = ") }
            try stage.phone.waitForLine { $0 == "iOS has signaled time has expired" }
            try stage.phone.waitForLine { $0 == "Background task ended." }
            let last = try #require(
                stage.phone.lines.last { $0.hasPrefix("App is backgrounded") })
            let process = try stage.waitForSuspension()
            #expect(process.wakeUps() == 0)

            let words = last.split(separator: " ")
            let position = try #require(words.dropLast(2).last.flatMap { Int($0) }, "\(last)")
            try stage.open()
            try stage.phone.waitForScreen {
                $0.whatever.state == .calculating && $0.whatever.position > position
            }
            #expect(stage.phone.lines.last == "Background task ended.")
        }

        @Test(.rule("AP6", "F13", "G8", "K2", "K3", "DM1"))
        func
            `The demo's app is launched for a refresh after its end, and shows it when it is opened`()
            throws
        {
            let stage = try DemoAppStage()
            try stage.open()
            try stage.phone.waitForScreen { _ in true }
            try stage.home()
            let process = try stage.waitForSuspension()
            kill(process.id, SIGKILL)
            try waitUntil { try stage.status().state == .known(.notRunning) }
            let mark = stage.phone.lines.count
            let time = Date().timeIntervalSince1970

            try stage.simulateRefresh()

            #expect(try stage.status().process != process.id)
            try stage.phone.waitForLine(after: mark) { $0 == "refresh occurred" }
            try stage.waitForSuspension()
            // The phone may read the last line after the app was suspended.
            try waitUntil {
                stage.phone.lines.dropFirst(mark).suffix(2)
                    == ["refresh occurred", "background refresh scheduled"]
            }
            try stage.open()
            try stage.phone.waitForScreen { ($0.fetch.lastRefresh ?? 0) > time }
        }

        @Test(.rule("B4", "C8", "C11"))
        func `The demo's app plays on in the background, and writes the time of its song`() throws {
            let stage = try DemoAppStage()
            try stage.open()
            stage.phone.touch(.playPause)
            try stage.phone.waitForScreen { $0.audio.seconds > 0.5 && $0.audio.level != nil }
            #expect(stage.phone.screen?.audio.current == 0)
            let mark = stage.phone.lines.count
            try stage.home()

            try stage.phone.waitForLine(after: mark + 100) { $0.hasPrefix("Background: ") }

            let times = stage.phone.lines.suffix(from: mark).compactMap {
                $0.hasPrefix("Background: ") ? Double($0.dropFirst(12)) : nil
            }
            #expect(times == times.sorted())
            #expect((times.last ?? 0) - (times.first ?? 0) >= 0.9)
            // Times that the app is too slow for are left out, but not all of them.
            let steps = zip(times, times.dropFirst()).map { ($1 - $0) * 100 }
            #expect(steps.contains { $0.rounded() == 1 })
            #expect(try stage.status().state == .known(.background))
            try stage.open()
            stage.phone.touch(.playPause)
            try stage.phone.waitForScreen { !$0.audio.isPlaying }
        }

        @Test func `The demo's app sends no time of a song while another tab is seen`() throws {
            let stage = try DemoAppStage()
            try stage.open()
            stage.phone.touch(.playPause)
            try stage.phone.waitForScreen { $0.audio.seconds > 0 && $0.audio.level != nil }

            stage.phone.touch(.tab(.fetch))
            let hidden = try stage.phone.waitForScreen { $0.tab == .fetch }
            stage.phone.touch(.tab(.audio))
            let shown = try stage.phone.waitForScreen { $0.tab == .audio && $0.audio.seconds > 0 }

            #expect(hidden.audio.isPlaying && shown.audio.isPlaying)
            #expect(hidden.audio.seconds == 0 && hidden.audio.level == nil)
        }

        @Test(.rule("D5", "D7", "D8", "DM2"))
        func `The demo's app follows a route in the background, and finds another phone`() throws {
            let stage = try DemoAppStage()
            try stage.open()
            let route = DemoAppStage.root + "/Resources/Routes/drive.gpx"
            stage.phone.touch(.route(route, speed: 10))
            stage.phone.touch(.locationSwitch)
            try stage.phone.waitForScreen { $0.location.pins.count >= 2 }
            try stage.home()
            try stage.phone.waitForLine {
                $0.hasPrefix("App is backgrounded. New location is <+")
                    || $0.hasPrefix("App is backgrounded. New location is <-")
            }

            stage.phone.vanish()
            try stage.open()

            let screen = try stage.phone.waitForScreen {
                $0.location.pins.contains(where: \.isFromBackground)
            }
            #expect(screen.location.isOn)
            stage.phone.touch(.locationSwitch)
            try stage.phone.waitForScreen { !$0.location.isOn }
        }
    }
}

/// A service with the demo's app, on a phone.
private final class DemoAppStage {
    static let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL.path
    static let identifier = "net.undersong.BackgroundModes"

    let folder: RuntimeFolder
    let phone: DemoPhone
    private let daemon: Daemon
    private let client: ControlClient

    /// Installs the app in a service whose background time is `budget` seconds.
    init(budget: Int = 30) throws {
        folder = try RuntimeFolder()
        phone = try DemoPhone(at: folder.path + "/phone")
        daemon = try Daemon(
            in: folder.path, ["--background-time", "\(budget)"],
            environment: [
                "UNDERSONG_DEMO": phone.path, "UNDERSONG_DEMO_SILENT": "1", "HOME": folder.path,
                "PULSE_SERVER": "unix:\(folder.path)/none",
            ])
        client = try daemon.client()
        let program = folder.path + "/undersong-demo-app"
        try copyExecutable(from: Program.path(of: "undersong-demo-app"), to: program)
        try FileManager.default.copyItem(
            atPath: Self.root + "/Examples/BackgroundModes/Info.plist",
            toPath: folder.path + "/Info.plist")
        let song = Self.root + "/Resources/Demo/01 Slack Water.mp3"
        try undersong("app", "install", program, "--", song)
    }

    deinit {
        if let process = try? status().process { kill(process, SIGKILL) }
    }

    private func undersong(_ words: String...) throws {
        let program = try Program(Program.undersong, words, environment: daemon.environment)
        #expect(try program.wait() == 0, "\(words): \(program.errorText)")
    }

    func status() throws -> AppStatus {
        try #require(try client.call(GetApps()).apps.first { $0.app.identifier == Self.identifier })
    }

    /// Opens the app, and waits until it is active.
    func open() throws {
        try undersong("app", "open", Self.identifier)
        try waitUntil { try status().state == .known(.active) && phone.isConnected }
    }

    func home() throws { try undersong("app", "home", Self.identifier) }

    func simulateRefresh() throws {
        try undersong("fetch", "simulate", Self.identifier + ".refresh")
    }

    @discardableResult
    func waitForSuspension() throws -> ObservedProcess {
        try waitUntil { try status().state == .known(.suspended) }
        let process = ObservedProcess(try #require(try status().process))
        try process.waitUntilStopped()
        return process
    }
}

/// A phone: what the demo's app shows on it, and its console.
private final class DemoPhone: Sendable {
    private struct State {
        var connection: Int32?
        var screen: DemoScreen?
        var lines: [String] = []
    }

    let path: String
    private let listener: Int32
    private let state = Mutex(State())

    init(at path: String) throws {
        self.path = path
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        try #require(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let status = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0 && listen(listener, 4) == 0)
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let self else { return }
                self.state.withLock { $0.connection = connection }
                Thread.detachNewThread { self.read(connection) }
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private func read(_ connection: Int32) {
        let file = FileHandle(fileDescriptor: connection, closeOnDealloc: true)
        var rest = Data()
        while case let data = file.nextData, !data.isEmpty {
            rest += data
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = rest[rest.startIndex..<end]
                rest = Data(rest[(end + 1)...])
                let message = try? JSONDecoder().decode(DemoMessage.self, from: line)
                state.withLock { state in
                    switch message {
                    case .screen(let screen): state.screen = screen
                    case .console(let line, _): state.lines.append(line)
                    case nil:
                        state.lines.append("no message: \(String(decoding: line, as: UTF8.self))")
                    }
                }
            }
        }
        state.withLock { if $0.connection == connection { $0.connection = nil } }
    }

    var isConnected: Bool { state.withLock { $0.connection != nil } }
    var screen: DemoScreen? { state.withLock(\.screen) }
    var lines: [String] { state.withLock(\.lines) }

    func touch(_ touch: DemoTouch) {
        guard let line = try? JSONEncoder().encode(touch) else { return }
        let bytes = Array(line) + [UInt8(ascii: "\n")]
        state.withLock { state in
            _ = state.connection.map { send($0, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
        }
    }

    /// Ends the connection, and forgets the screen.
    func vanish() {
        state.withLock { state in
            if let connection = state.connection { shutdown(connection, Int32(SHUT_RDWR)) }
            state.connection = nil
            state.screen = nil
        }
    }

    /// Waits until the screen satisfies `condition`, and returns it.
    @discardableResult
    func waitForScreen(_ condition: (DemoScreen) -> Bool) throws -> DemoScreen {
        do {
            try waitUntil { screen.map(condition) == true }
        } catch {
            throw Overdue("the screen is \(screen.map { "\($0)" } ?? "dark")")
        }
        return try #require(screen)
    }

    /// Waits for a line after the first so many.
    func waitForLine(after count: Int = 0, _ condition: (String) -> Bool) throws {
        do {
            try waitUntil { lines.dropFirst(count).contains(where: condition) }
        } catch {
            throw Overdue("the console has \(lines.suffix(20))")
        }
    }
}
