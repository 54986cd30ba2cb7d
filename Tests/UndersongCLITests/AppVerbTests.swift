import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl

@testable import UndersongCLI

/// `undersong app`: its arguments, its texts, and as a program against a scripted service.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `The verb app` {
    /// A program in a folder of its own, and what is beside it.
    private final class Place {
        let folder = NSTemporaryDirectory() + "undersong-app-\(UUID())"
        var program: String { folder + "/player" }

        init(executable: Bool = true) throws {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            try add("player", "#!/bin/sh\n", mode: executable ? 0o755 : 0o644)
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        func add(_ name: String, _ text: String, mode: Int = 0o644) throws {
            let path = folder + "/" + name
            try Data(text.utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }

        func addManifest(_ keys: String, named name: String = "Info.plist") throws {
            try add(
                name, "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(keys)</dict></plist>")
        }

        func installation(
            _ program: FilePath = "./player", manifest: FilePath? = nil, identifier: String? = nil
        ) -> AppInstallation {
            AppInstallation(
                program: program, arguments: ["--quiet"], manifest: manifest,
                identifier: identifier, folder: FilePath(folder), searchPath: "/nowhere:\(folder)")
        }

        /// The message of the failure.
        func problem(
            _ program: FilePath = "./player", manifest: FilePath? = nil, identifier: String? = nil
        ) -> String? {
            let error = #expect(throws: Failure.self) {
                try installation(program, manifest: manifest, identifier: identifier).app()
            }
            #expect(error?.status == 1)
            let start = "cannot install the app: "
            return error.map { $0.message.hasPrefix(start) ? $0.message : "other: \($0.message)" }
                .map { String($0.dropFirst(start.count)) }
        }
    }

    private static let manifest = """
        <key>CFBundleIdentifier</key><string>net.example.player</string>
        <key>CFBundleName</key><string>Player</string>
        <key>CFBundleDisplayName</key><string>The Player</string>
        <key>UIBackgroundModes</key><array><string>audio</string><string>fetch</string></array>
        <key>BGTaskSchedulerPermittedIdentifiers</key>
        <array><string>net.example.feed</string></array>
        <key>NSLocationWhenInUseUsageDescription</key><string>For the map</string>
        <key>NSMicrophoneUsageDescription</key><string>No</string>
        <key>LSRequiresIPhoneOS</key><true/>
        """

    @Test(arguments: ["./player", "player"])
    func `The verb app reads the property list beside the program, found by path or in PATH`(
        name: String
    ) throws {
        let place = try Place()
        try place.addManifest(Self.manifest)

        let app = try place.installation(FilePath(name)).app()

        #expect(
            app
                == App(
                    identifier: "net.example.player", name: "The Player",
                    command: [place.program, "--quiet"], folder: place.folder,
                    manifest: place.folder + "/Info.plist", modes: [.audio, .fetch],
                    permitted: ["net.example.feed"],
                    usage: ["NSLocationWhenInUseUsageDescription": "For the map"]))
    }

    @Test func `The verb app prefers what its options say`() throws {
        let place = try Place()
        try place.addManifest(Self.manifest)
        try place.addManifest(
            "<key>CFBundleName</key><string>Other</string>", named: "Other.plist")

        let app = try place.installation(manifest: "Other.plist", identifier: "org.a").app()

        #expect(app.identifier == "org.a" && app.name == "Other")
        #expect(app.manifest == place.folder + "/Other.plist" && app.modes.isEmpty)
    }

    @Test func `The verb app names an app after its program where nothing else does`() throws {
        let place = try Place()

        let app = try place.installation().app()

        #expect(app.identifier == "player" && app.name == "player")
        #expect(app.manifest == nil && app.modes.isEmpty && app.permitted.isEmpty)
    }

    @Test func `The verb app says what is wrong with a program`() throws {
        let place = try Place(executable: false)
        try place.add("file", "", mode: 0o755)

        // The superuser may run any file that has the permission for somebody.
        #expect(place.problem() == "./player is not executable")
        #expect(place.problem("player") == "\(place.program) is not executable")
        #expect(place.problem("./other") == "./other does not exist")
        #expect(place.problem("other") == "There is no program 'other' in PATH")
        #expect(place.problem("") == "The program has no name")
        #expect(place.problem(FilePath(place.folder)) == "\(place.folder) is a folder")
        #expect(
            place.problem("./file", identifier: "a/b")
                == "'a/b': an identifier has 1 to 200 of the characters A-Z, a-z, 0-9, '.', '-' and "
                + "'_', and does not begin with '.'; give one with --id")
    }

    @Test(arguments: [
        (
            "<key>UIBackgroundModes</key><string>audio</string>",
            "cannot be used: its UIBackgroundModes is not a list of strings"
        ),
        (
            "<key>BGTaskSchedulerPermittedIdentifiers</key><array><integer>1</integer></array>",
            "cannot be used: its BGTaskSchedulerPermittedIdentifiers is not a list of strings"
        ),
        (
            "<key>CFBundleIdentifier</key><integer>1</integer>",
            "cannot be used: its CFBundleIdentifier is not a string"
        ),
        ("<key>", "cannot be used: it is not a property list with a dictionary"),
        (
            "<key>UIBackgroundModes</key><array><string>audo</string></array>",
            "declares 'audo', which is not a background mode; did you mean 'audio'?"
        ),
    ])
    func `The verb app says what is wrong with a property list`(
        keys: String, problem: String
    ) throws {
        let place = try Place()
        try place.addManifest(keys)

        #expect(place.problem() == "\(place.folder)/Info.plist \(problem)")
    }

    @Test func `The verb app refuses a property list that is not there, or not a file`() throws {
        let place = try Place()
        let missing = #expect(throws: Failure.self) {
            try place.installation(manifest: "/nowhere/Info.plist").app()
        }

        #expect(missing?.message == "cannot read /nowhere/Info.plist: No such file or directory")
        #expect(
            place.problem(manifest: "-")
                == "It is read again at each launch, so it has to be a file")
    }

    @Test(arguments: [
        (["a"], nil), (["a", "--events", "s"], AppReason.transfers("s")),
        (["a", "--location"], .location), (["a", "--task", "t"], .task("t")),
        (["a", "--task", "t", "--location"], nil), (["--location"], nil),
    ])
    func `The verb app wakes for one reason`(arguments: [String], reason: AppReason?) throws {
        guard let reason else {
            #expect(throws: (any Error).self) { try AppVerb.Wake.parse(arguments) }
            return
        }
        let call = try AppVerb.Wake.parse(arguments).call()
        #expect(call.identifier == "a" && call.reason == reason)
    }

    private static func status(
        _ identifier: String, _ state: AppState, _ change: (inout AppStatus) -> Void = { _ in }
    ) -> AppStatus {
        var status = AppStatus(
            App(identifier: identifier, name: "A", command: ["/bin/sh"], folder: "/"),
            state: state)
        change(&status)
        return status
    }

    private static let apps = AppList(
        [
            status("net.example.player", .background) {
                ($0.running, $0.timeRemaining, $0.process) = (["audio", "push 3"], 12, 42)
            },
            status("net.feeds", .suspended) {
                $0.next = 1_780_272_000
                $0.lastEnd = AppEnd(.overstayed, time: 1_780_185_600)
            },
            status("org.a", .notRunning) {
                $0.isClosed = true
                $0.lastEnd = AppEnd(.notStarted, reason: "no\tfile", time: 1_780_185_600)
                $0.problem = "/bin/gone does not exist"
            },
            status("org.b", .active),
        ], problems: ["push run (process 7) was stopped by another program"])

    @Test func `The verb app lists the apps in a table`() throws {
        let service = try FakeService { _, _ in ControlReply(Self.apps) }
        defer { service.end() }
        let environment = service.environment.merging(["TZ": "UTC"]) { $1 }

        let program = try Program(["app"], environment: environment)

        #expect(try program.wait() == 0)
        #expect(
            program.text == """
                net.example.player  background   audio, push 3, 12 s left
                net.feeds           suspended    next 2026-06-01 00:00     2026-05-31 00:00: its time in the background was over
                org.a               not running  closed by you             2026-05-31 00:00: it could not be started (no file)
                org.b               active
                note: org.a: /bin/gone does not exist
                note: push run (process 7) was stopped by another program

                """)
        #expect(service.methods == [GetApps.method])
        #expect(AppText.list(AppList([])) == "no apps")
    }

    @Test(
        arguments: [
            (AppEnd(.exited, status: 3, time: 0), "it exited with 3"),
            (AppEnd(.exited, time: 0), "it exited"),
            (AppEnd(.signalled, status: 139, time: 0), "signal 11 ended it"),
            (AppEnd(.killed, time: 0), "you closed it"),
            (AppEnd(.unresponsive, time: 0), "it did not connect in time"),
        ])
    func `The verb app says how an app has ended`(end: AppEnd, text: String) {
        #expect(AppText.end(end).hasSuffix(": \(text)"))
    }

    @Test(arguments: [
        ("open", OpenApp.method), ("home", SendAppHome.method), ("kill", KillApp.method),
    ])
    func `The verb app names the app that it opens, sends home or ends`(
        verb: String, method: String
    ) throws {
        let service = try FakeService { _, _ in ControlReply(Self.apps.apps[0]) }
        defer { service.end() }

        let program = try Program(
            ["app", verb, "net.example.player"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(
            program.text
                == "net.example.player: background, audio, push 3, 12 s left, process 42\n")
        #expect(service.methods == [method])
    }

    @Test func `The verb app installs with arguments, and shows what is declared`() throws {
        let place = try Place()
        try place.addManifest(Self.manifest)
        let service = try FakeService { request, _ in
            ControlReply(AppStatus(try request.decode(InstallApp.self).app, state: .notRunning))
        }
        defer { service.end() }

        let program = try Program(
            ["app", "install", "./player", "--", "-v", "x y"], environment: service.environment,
            in: place.folder)

        #expect(try program.wait() == 0)
        let app = try #require(try service.calls(InstallApp.self).first?.app)
        #expect(app.command == [place.program, "-v", "x y"] && app.folder == place.folder)
        #expect(
            program.text == """
                net.example.player: not running
                program    \(place.program) -v x y
                folder     \(place.folder)
                manifest   \(place.folder)/Info.plist
                modes      audio, fetch
                permitted  net.example.feed

                """)
    }

    @Test func `The verb app shows a log, and follows it while it is written and replaced`() throws
    {
        let place = try Place()
        let path = place.folder + "/a.log"
        let service = try FakeService { _, _ in ControlReply(GetAppLog.Reply(path: path)) }
        defer { service.end() }

        let early = try Program(["app", "log", "a"], environment: service.environment)
        let earlyStatus = try early.wait()
        let follower = try Program(["app", "log", "-f", "a"], environment: service.environment)
        try service.wait { $0.methods.count == 2 }
        try place.add("a.log", "launched\n")
        try follower.waitForOutput { $0.text == "launched\n" }
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        for line in ["one\n", "two\n"] {
            try file.write(contentsOf: Data(line.utf8))
            try follower.waitForOutput { $0.text.hasSuffix(line) }
        }
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data("cut\n".utf8))
        try follower.waitForOutput { $0.text.hasSuffix("cut\n") }
        try place.add("next.log", "new\n")
        #expect(rename(place.folder + "/next.log", path) == 0)
        try follower.waitForOutput { $0.text.hasSuffix("new\n") }
        let whole = try Program(["app", "log", "a"], environment: service.environment)

        #expect(earlyStatus == 1)
        #expect(
            early.errorText
                == "undersong: cannot show the log of a: Nothing has happened to it yet\n")
        #expect(follower.text == "launched\none\ntwo\ncut\nnew\n")
        #expect(try whole.wait() == 0)
        #expect(whole.text == "new\n")
    }

    @Test func `The verb doctor names apps that cannot be launched, and programs that are held`() {
        let locks = """
            1: FLOCK  ADVISORY  WRITE 42 fd:01:7 0 EOF
            1: -> FLOCK  ADVISORY  WRITE 43 fd:01:7 0 EOF
            """
        let gone = Self.status("org.gone", .notRunning) { $0.app.command = ["/nowhere/player"] }
        let held = Self.status("org.held", .suspended) { $0.process = 42 }
        var (waiting, running) = (held, held)
        (waiting.process, running.state) = (43, .known(.background))
        let apps = AppList([gone, held, waiting, running], problems: ["x is stopped"])

        let findings = AppCheck.findings(apps, session: "work", locks: locks)

        #expect(
            findings == [
                .wrong(
                    "app org.gone", "its program /nowhere/player does not exist",
                    "install it again, or forget it: undersong app remove org.gone --session work"),
                .note(
                    "app org.held",
                    "it is suspended, and holds the lock of a file, for which others may wait",
                    "undersong app open org.held --session work"),
                .note("programs of work", "x is stopped", "undersong app --session work"),
            ])
        #expect(
            AppCheck.findings(AppList([running]), session: "default", locks: locks)
                == [.good("apps of default", "1 app can be launched")])
        #expect(AppCheck.findings(AppList([]), session: "default", locks: locks).isEmpty)
        running.problem = "a debugger has stopped it"
        #expect(
            AppCheck.findings(AppList([running]), session: "default", locks: locks)
                == [
                    .note(
                        "app org.held", "a debugger has stopped it", "undersong app log org.held")
                ])
    }

    @Test func `The verb why names apps in the background, and programs that are held`() {
        var reasons = Reasons(Why.backgrounded)
        let without = WhyText(reasons).screen
        reasons.apps = Self.apps
        let lines = WhyText(reasons).screen.split(separator: "\n").map(String.init)

        #expect(!without.contains("apps"))
        #expect(
            lines.suffix(3).first
                == "apps        net.example.player: background, audio, push 3, 12 s left, process 42"
        )
        #expect(lines.suffix(2).first?.hasPrefix("            net.feeds: suspended, next ") == true)
        #expect(lines.last == "held        push run (process 7) was stopped by another program")
    }
}
