import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl

/// A service with apps, whose events are followed.
final class AppStage {
    let jobs: JobStage
    let events = AppEvents()

    var daemon: Daemon { jobs.daemon }
    var terminal: Terminal { jobs.terminal }

    /// Starts a service whose background time is `budget` seconds.
    init(shell: [String] = Terminal.bash, budget: Int = 6) throws {
        jobs = try JobStage(shell: shell, arguments: ["--background-time", "\(budget)"])
        try events.connect(to: jobs.daemon)
    }

    deinit {
        let list = try? daemon.client().call(GetApps())
        for process in (list?.apps ?? []).compactMap(\.process) { kill(process, SIGKILL) }
    }

    /// The output of the client, which has to succeed.
    @discardableResult
    func undersong(_ words: String...) throws -> String {
        let program = try Program(Program.undersong, words, environment: daemon.environment)
        #expect(try program.wait() == 0, "\(words): \(program.errorText)")
        return program.text
    }

    /// An app as the service sees it.
    func status(_ identifier: String) throws -> AppStatus {
        let list = try daemon.client().call(GetApps())
        return try #require(list.apps.first { $0.app.identifier == identifier })
    }

    /// A description of an app and its pushes, for failures.
    func report(_ identifier: String) throws -> String {
        let pushes = try daemon.client().call(GetPushStatus())
        let log = try? String(
            contentsOfFile: daemon.environment["XDG_STATE_HOME", default: ""]
                + "/undersong/apps/\(identifier).log", encoding: .utf8)
        return "\(try status(identifier)) \(pushes.waiting) \(pushes.counts) \(log ?? "no log")"
    }

    /// The process of an app that runs.
    func process(_ identifier: String) throws -> ObservedProcess {
        ObservedProcess(try #require(try status(identifier).process))
    }

    /// Waits until an app is suspended, and nothing of it runs. Returns its process.
    @discardableResult
    func waitForSuspension(_ identifier: String) throws -> ObservedProcess {
        do { try waitUntil { try status(identifier).state == .known(.suspended) } } catch {
            throw Overdue("not suspended: \(try status(identifier))")
        }
        let process = try process(identifier)
        try process.waitUntilStopped()
        return process
    }

    /// Waits until the process of an app has ended, and returns its end: another one than `earlier`.
    func waitForEnd(_ identifier: String, after earlier: AppEnd? = nil) throws -> AppEnd {
        try waitUntil {
            let status = try status(identifier)
            return status.process == nil && status.lastEnd != earlier
        }
        return try #require(try status(identifier).lastEnd)
    }

    /// Sends a silent push to an app, and returns its number.
    @discardableResult
    func push(to identifier: String) throws -> Int {
        var push = SendPush("{\"aps\":{\"content-available\":1}}", topic: identifier)
        push.now = true
        return try daemon.client().call(push).push
    }
}

/// The program under Apple's names in `Examples/App`, as a user installs it: with its property list
/// beside it.
struct ExampleApp {
    static let program = "UndersongExampleApp"
    static let identifier = "net.undersong.ExampleApp"
    static let refresh = identifier + ".refresh"

    let path: String

    init(_ stage: AppStage) throws {
        let folder = stage.jobs.folder.path + "/app"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        path = folder + "/" + Self.program
        try copyExecutable(from: Program.path(of: Self.program), to: path)
        let manifest = URL(filePath: #filePath)
            .appending(path: "../../../../Examples/App/Info.plist").standardizedFileURL.path
        try FileManager.default.copyItem(atPath: manifest, toPath: folder + "/Info.plist")
    }
}

/// The program `mock-app`, whose manners a test chooses.
struct MockApp {
    let identifier: String
    let folder: String
    let path: String
    let lines: TextFile
    private let stage: AppStage

    /// Installs it. `manners` are described in the program.
    init(_ stage: AppStage, _ identifier: String = "org.example.mock", _ manners: String...) throws
    {
        self.identifier = identifier
        self.stage = stage
        folder = stage.jobs.folder.path + "/" + identifier
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        let source = URL(filePath: #filePath)
            .appending(path: "../../../Support/Mocks/mock-app").standardizedFileURL.path
        path = folder + "/mock-app"
        try copyExecutable(from: source, to: path)
        lines = TextFile(folder + "/lines")
        try """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>\(identifier)</string>
        <key>UIBackgroundModes</key>
        <array><string>fetch</string><string>remote-notification</string></array>
        <key>BGTaskSchedulerPermittedIdentifiers</key>
        <array><string>\(identifier).refresh</string></array>
        </dict></plist>
        """.write(toFile: folder + "/Info.plist", atomically: true, encoding: .utf8)
        let words = ["app", "install", path, "--", folder, identifier] + manners
        let program = try Program(Program.undersong, words, environment: stage.daemon.environment)
        #expect(try program.wait() == 0, "\(program.errorText)")
    }

    /// The number of lines that begin with `word`.
    func count(of word: String) throws -> Int {
        try lines.text.split(separator: "\n").count { $0 == word || $0.hasPrefix(word + " ") }
    }

    /// Waits until so many lines begin with `word`.
    func wait(for word: String, _ count: Int = 1) throws {
        do { try lines.wait { _ in try self.count(of: word) >= count } } catch {
            throw Overdue("\(word) is not in \(try lines.text); \(try stage.report(identifier))")
        }
    }
}

/// Follows a file that programs write to.
struct TextFile {
    let path: String

    init(_ path: String) {
        self.path = path
        _ = FileManager.default.createFile(atPath: path, contents: nil)
    }

    var text: String { get throws { try String(contentsOfFile: path, encoding: .utf8) } }

    /// Waits until the text so far satisfies `condition`, checking whenever the file grows.
    func wait(until condition: (String) throws -> Bool) throws {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC))
        defer { close(descriptor) }
        inotify_add_watch(descriptor, path, UInt32(IN_MODIFY))
        var buffer = [UInt8](repeating: 0, count: 4096)
        while try !condition(text) {
            var awaited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&awaited, 1, Int32(patience * 1000)) == 1 else {
                throw Overdue("nothing more is written after \(try text.suffix(500))")
            }
            _ = read(descriptor, &buffer, buffer.count)
        }
    }
}

/// The events of apps, as a client receives them.
final class AppEvents: Sendable {
    /// The notice, of which only the app's part is read.
    private struct Notice: ControlNotice {
        static let method = EventNotice.method
        var data: AppEvent
    }

    private let inbox = Inbox<AppEvent>()
    private let client = Mutex<ControlClient?>(nil)

    /// Follows a service from now on.
    func connect(to daemon: Daemon) throws {
        let client = try daemon.client { [inbox] message in
            if message.method == Notice.method, let notice = try? message.decode(Notice.self) {
                inbox.put(notice.data)
            }
        }
        _ = try client.call(Subscribe(interval: nil, kinds: ["app"]))
        self.client.withLock { $0 = client }
    }

    /// The next event of this phase that is about `app`.
    @discardableResult
    func wait(for phase: AppEvent.Phase, of app: String) throws -> AppEvent {
        while true {
            let event = try inbox.next()
            if event.phase == .known(phase), event.app == app { return event }
        }
    }
}
