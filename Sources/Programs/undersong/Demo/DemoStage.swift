import CUndersongLinux
import FoundationEssentials
import Glibc
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongDemoScreen
import UndersongLocation

/// The stage of `undersong demo`: a service of its own, the demo's app, which lives under it, and what
/// the system does to that. Nothing of the user's is touched, and nothing is left after `end`.
///
/// Its methods return when their effect is there, which may take seconds.
final class DemoStage: Sendable {
    /// Something that happens on the stage.
    enum Notice: Sendable {
        case message(DemoMessage)
        case event(PlayerEvent.Kind)
        /// The service has ended.
        case lost
    }

    /// The program of the app, which is looked for as the service's.
    private static let program = "undersong-demo-app"
    /// The seconds for which the end of a process may take.
    private static let patience = 10.0

    private struct State {
        var service: ChildProcess?
        var channel: DemoChannel?
        var app: App?
        var modes: Set<BackgroundMode> = []
        /// Simulates the location: known to each process of the app.
        var route = DemoTouch.route(nil, speed: 1)
        /// The tab that the next process of the app opens; nil for its own.
        var tab: DemoTab?
        var isEnded = false
    }

    let surroundings: DemoSurroundings
    private let link = Service()
    private let state = Mutex(State())
    /// Held while it ends.
    private let ending = Mutex(())

    /// Makes the folder. Call `end` after that, whatever happens.
    init() throws { surroundings = try DemoSurroundings() }

    /// Starts the service, whose apps may run in the background for `backgroundTime` seconds, and
    /// installs the app with `modes`, or those of its property list for nil. `receive` is called with
    /// what happens, on any thread.
    func begin(
        backgroundTime: Double, modes: Set<BackgroundMode>? = nil,
        _ receive: @escaping @Sendable (Notice) -> Void
    ) throws {
        let manifest = try prepareBundle()
        state.withLock { $0.modes = modes ?? Set(manifest.knownModes) }
        let channel = try DemoChannel(
            at: surroundings.socket,
            greeting: { [self] in greeting() }
        ) { receive(.message($0)) }
        state.withLock { $0.channel = channel }
        try startService(backgroundTime: backgroundTime)
        try link.connect(at: surroundings.service, as: "undersong demo") { notice in
            switch notice {
            case .event(let event): receive(.event(event.kind))
            case .lost: receive(.lost)
            default: break
            }
        }
        _ = try link.call(Subscribe(interval: nil))
        try install(manifest)
    }

    /// Ends the app and the service, and removes the folder. Returns when that is done, by whichever
    /// call.
    func end() {
        ending.withLock { _ in
            let (isEnded, service) = state.withLock { state in
                defer { state.isEnded = true }
                return (state.isEnded, state.service)
            }
            if isEnded { return }
            DemoProcesses(folder: surroundings.folder).end(service: service)
            surroundings.remove()
        }
    }

    // MARK: The app

    /// The app's identifier; empty before it is installed.
    var identifier: String { app?.identifier ?? "" }

    /// The background modes that it declares.
    var modes: Set<BackgroundMode> { state.withLock(\.modes) }

    private var app: App? { state.withLock(\.app) }

    /// The app as the service sees it.
    func status() throws -> AppStatus {
        let apps = try link.call(GetApps()).apps
        guard let status = apps.first(where: { $0.app.identifier == identifier }) else {
            throw Failure("cannot show the app: The service does not know it")
        }
        return status
    }

    /// Touches the app's screen.
    func touch(_ touch: DemoTouch) { state.withLock(\.channel)?.send(touch) }

    /// Has the app be where a route leads, at `speed` seconds of it per second; nil ends that.
    func replay(_ route: Route?, speed: Double = 1) {
        let path = route.flatMap { ResourceFile.path($0.file) }
        let touch = DemoTouch.route(path, speed: speed)
        let channel = state.withLock { state in
            state.route = touch
            return state.channel
        }
        channel?.send(touch, isKept: false)
    }

    /// Brings the app to the foreground; launches it if it does not run, and then opens `tab`.
    func open(on tab: DemoTab? = nil) throws {
        state.withLock { $0.tab = tab }
        _ = try link.call(OpenApp(identifier))
    }

    /// The first touches of a process that has begun.
    private func greeting() -> [DemoTouch] {
        state.withLock { state in
            defer { state.tab = nil }
            return [state.route] + (state.tab.map { [.tab($0)] } ?? [])
        }
    }

    /// Presses the home button.
    func home() throws { _ = try link.call(SendAppHome(identifier)) }

    /// Ends the app's process, as the system does when it needs memory: the app is launched again for
    /// what is due. Returns when it has ended.
    func kill() throws {
        guard let process = try status().process else { return }
        let descriptor = pidfd_open(process, 0)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard let identity = ProcessCondition(of: process)?.identity else { return }
        try? KnownProcess(identity).end()
        let deadline = SystemClock().now + Int64(Self.patience * 1e9)
        if descriptor >= 0 { Wakeup.wait(for: descriptor, until: deadline) }
    }

    /// Declares a background mode for the app, or withdraws it. Declarations are read at the launch, so
    /// its process is ended, and opened again if it was in front.
    func declare(_ mode: BackgroundMode, isOn: Bool) throws {
        state.withLock { state in
            if isOn { state.modes.insert(mode) } else { state.modes.remove(mode) }
        }
        let wasOpen = [.known(.active), .known(.inactive)].contains(try status().state)
        try kill()
        try install(try Self.manifest())
        if wasOpen { try open() }
    }

    /// The identifier of the app's background refresh.
    private func refreshIdentifier() throws -> String {
        guard let identifier = app?.permitted.first else {
            throw Failure("cannot simulate a refresh: The app permits none")
        }
        return identifier
    }

    /// Simulates a background refresh of the app.
    func simulate() throws { _ = try link.call(SimulateRefresh(try refreshIdentifier())) }

    /// Ends the time of the app's background refresh.
    func expire() throws { _ = try link.call(ExpireRefresh(try refreshIdentifier())) }

    /// Sends a call to the service. The answer goes to `completion`, on a thread of its own.
    func send<Call: ControlCall>(
        _ call: Call,
        _ completion: @escaping @Sendable (Result<Call.Reply, ControlError>) -> Void
    ) { link.send(call, completion) }

    // MARK: Beginning

    private func startService(backgroundTime: Double) throws {
        guard let program = ServiceProgram.found else {
            throw Failure(
                "cannot begin the demo: There is no \(ServiceLocation.programName)",
                status: Failure.unavailable)
        }
        let listener = try surroundings.service.socket.listen()
        defer { close(listener) }
        let owner = try lifeline()
        defer { close(owner) }
        let words = [
            "serve", "--session", DemoSurroundings.session, "--listen-fd", "3", "--owner-fd", "4",
            "--no-mpris", "--background-time", "\(backgroundTime)",
        ]
        var process = NewProcess(FilePath(program), words)
        process.descriptors = [
            .null, .null, .log(surroundings.folder + "/service.log"), .duplicate(of: listener),
            .duplicate(of: owner),
        ]
        process.folder = "/"
        process.variables = surroundings.variables.mapValues { Array($0.utf8) }
        process.removedVariables = DemoSurroundings.removedVariables
        do throws(NewProcess.StartError) {
            let child = try process.start()
            state.withLock { $0.service = child }
        } catch {
            throw Failure("cannot begin the demo: \(error)", status: Failure.unavailable)
        }
    }

    /// The read end of a pipe, above the descriptors of the service. Its other end is open until this
    /// process ends, however it does.
    private func lifeline() throws -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else {
            throw Failure("cannot begin the demo: \(SystemError.last.reason)")
        }
        defer { close(ends[0]) }
        return fcntl(ends[0], F_DUPFD_CLOEXEC, 16)
    }

    /// Puts the app's program into a folder of its own, beside which its property list can be changed,
    /// and its songs. Returns the declarations that come with it.
    private func prepareBundle() throws -> AppManifest {
        let name = Self.program
        guard let program = ServiceStarter.program(named: name, searchPath: Environment["PATH"])
        else {
            throw Failure("cannot begin the demo: There is no \(name)", status: Failure.unavailable)
        }
        let copy = surroundings.bundle + "/" + name
        // A link is the same file, which may be on another file system, or somebody else's.
        if unsafe Glibc.link(program, copy) != 0 {
            do {
                try FileManager.default.copyItem(atPath: program, toPath: copy)
            } catch {
                throw Failure("cannot begin the demo: \(program) cannot be copied: \(error)")
            }
        }
        return try Self.manifest()
    }

    /// The declarations that come with the app.
    private static func manifest() throws -> AppManifest {
        let name = "BackgroundModes/Info.plist"
        guard let path = ResourceFile.path(name) ?? ResourceFile.path("../Examples/" + name) else {
            throw Failure("cannot begin the demo: The app's property list is missing")
        }
        return try AppInstallation.manifest(at: path)
    }

    /// The paths of the songs that come with the program.
    private static func songs() throws -> [String] {
        let folder = ResourceFile.path("Demo") ?? ""
        let songs = Folder.names(in: folder).filter { $0.hasSuffix(".mp3") }.sorted()
        if songs.isEmpty { throw Failure("cannot begin the demo: The songs are missing") }
        return songs.map { folder + "/" + $0 }
    }

    /// Writes the app's property list, and installs the app.
    private func install(_ manifest: AppManifest) throws {
        let path = surroundings.bundle + "/Info.plist"
        do {
            let list = DemoManifest(manifest, modes: modes)
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .xml
            try encoder.encode(list).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw Failure("cannot begin the demo: \(path) cannot be written: \(error)")
        }
        let songs = try Self.songs()
        let app = try AppInstallation(
            program: FilePath(surroundings.bundle + "/" + Self.program), arguments: songs,
            manifest: FilePath(path), folder: FilePath(surroundings.bundle)
        ).app()
        _ = try link.call(InstallApp(app))
        state.withLock { $0.app = app }
    }
}

/// A property list with an app's declarations.
private struct DemoManifest: Encodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let manifest: AppManifest
    private let modes: Set<BackgroundMode>

    /// The declarations of `manifest` with other `modes`.
    init(_ manifest: AppManifest, modes: Set<BackgroundMode>) {
        self.manifest = manifest
        self.modes = modes
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encodeIfPresent(
            manifest.identifier, forKey: Key(stringValue: "CFBundleIdentifier"))
        try values.encodeIfPresent(manifest.name, forKey: Key(stringValue: "CFBundleName"))
        try values.encode(
            modes.map(\.rawValue).sorted(), forKey: Key(stringValue: "UIBackgroundModes"))
        try values.encode(
            manifest.permitted, forKey: Key(stringValue: "BGTaskSchedulerPermittedIdentifiers"))
        for (name, text) in manifest.usage {
            try values.encode(text, forKey: Key(stringValue: name))
        }
    }
}
