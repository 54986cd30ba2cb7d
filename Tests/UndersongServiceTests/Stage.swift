import Foundation
import Synchronization
import TestSupport
import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongLinuxPlatform
import UndersongLocation
import UndersongPlayback

@testable import UndersongService

/// A service in this process that plays on no device, with its own socket and manifest.
final class Stage: Sendable {
    let folder: URL
    private let ownsFolder: Bool
    let service: Service
    let memory = TransientFileMemory()
    /// The clock for the service's own timers; the session uses the system's.
    let clock = ManualClock(now: SystemClock().now)
    private let socket: String

    /// Creates a service. `modes` are declared in the user's own manifest, if there is one; `bus`
    /// is where to look for the login session, `location` the source of locations, if there are any,
    /// and `folder` what an earlier service has left.
    init(
        modes: [String]? = nil, backgroundBudget: Double = 30, bus: String = "unix:path=/nowhere",
        location: (any LocationSource)? = nil, keeping folder: URL? = nil,
        settings change: (inout SettingsChange) -> Void = { _ in }
    ) throws {
        var settings = SettingsChange()
        change(&settings)
        ownsFolder = folder == nil
        self.folder = folder ?? URL(filePath: "/tmp/service-\(UUID().uuidString.prefix(8))")
        let folder = self.folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let manifest = folder.appending(path: "config/undersong/Info.plist").path
        if let modes {
            try FileManager.default.createDirectory(
                at: URL(filePath: manifest).deletingLastPathComponent(),
                withIntermediateDirectories: true)
            let keys: [String: Any] = [
                "UIBackgroundModes": modes, "CFBundleName": "Mine", "Number": 7,
            ]
            try PropertyListSerialization.data(fromPropertyList: keys, format: .xml, options: 0)
                .write(to: URL(filePath: manifest))
        }
        let listener = try ControlSocket(session: "default", runtimeFolder: folder.path).listen()
        socket = ControlSocket(session: "default", runtimeFolder: folder.path).path
        var configuration = PlayerService.Configuration(
            manifest: ManifestFile(ownPath: manifest, paths: [manifest]),
            backgroundBudget: backgroundBudget, idleSeconds: nil,
            clock: clock, cookies: SoundServerCookie(), savedQueueFolder: folder.path + "/queues",
            log: { _ in })
        if let location { configuration.locations = LocationEnvironment { _ in location } }
        service = Service(
            configuration, sessionName: "default",
            state: ServiceStore(
                folder: folder.path + "/state", clock: SystemClock(), memory: memory),
            settings: settings, soundClock: SystemClock(), listener: listener,
            runtimeFolder: folder.path,
            login: LoginMonitor.Configuration(address: bus)
        ) {}
        service.start()
    }

    deinit {
        service.stop()
        if ownsFolder { try? FileManager.default.removeItem(at: folder) }
    }

    var manifest: [String: Any] {
        let path = folder.appending(path: "config/undersong/Info.plist")
        let data = (try? Data(contentsOf: path)) ?? Data()
        let list = try? PropertyListSerialization.propertyList(from: data, format: nil)
        return list as? [String: Any] ?? [:]
    }

    /// The path of a song of half a minute.
    static let song = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Resources/Demo/01 Slack Water.mp3").path

    /// The path of a silent file of 21 minutes, with chapters that begin at these milliseconds.
    func longFile(_ name: String = "long.mp3", chapters: [UInt32] = []) throws -> String {
        // MPEG 1 Layer III, 32 kbit/s, 44100 Hz, mono: 104 bytes for 1152 frames, all of them zero.
        let frame = Data([0xFF, 0xFB, 0x10, 0xC4] + [UInt8](repeating: 0, count: 100))
        let file = folder.appending(path: name)
        let count = 21 * 60 * 44_100 / 1152 + 1
        var data = Self.tag(chapters)
        data.reserveCapacity(data.count + count * frame.count)
        for _ in 0..<count { data.append(frame) }
        try data.write(to: file)
        return file.path
    }

    /// An ID3v2.3 tag with a CHAP frame for each chapter, which ends where the next one begins.
    private static func tag(_ starts: [UInt32]) -> Data {
        guard !starts.isEmpty else { return Data() }
        let ends = starts.dropFirst() + [21 * 60 * 1000]
        var frames = Data()
        for (start, end) in zip(starts, ends) {
            var body = Data("c\(start)\0".utf8)
            for number in [start, end, .max, .max] {
                withUnsafeBytes(of: number.bigEndian) { body.append(contentsOf: $0) }
            }
            frames += Data("CHAP\0\0\0".utf8) + [UInt8(body.count), 0, 0] + body
        }
        return Data("ID3\u{3}\0\0\0\0".utf8)
            + [UInt8(frames.count >> 7), UInt8(frames.count & 0x7F)] + frames
    }

    func client() throws -> Client { try Client(socket) }
}

/// A client that records everything sent to it.
final class Client: Sendable {
    private let client: Mutex<ControlClient?> = Mutex(nil)
    private let log = Mutex<[ControlNoticeMessage]>([])
    private let signals: AsyncStream<Void>

    init(_ socket: String) throws {
        let (signals, signal) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.signals = signals
        let made = try ControlClient(
            socket: socket, name: "test",
            onNotice: { [weak self] notice in
                self?.log.withLock { $0.append(notice) }
                signal.yield()
            })
        client.withLock { $0 = made }
    }

    func call<Call: ControlCall>(_ call: Call, descriptors: [Int32] = []) throws -> Call.Reply {
        guard let client = client.withLock({ $0 }) else {
            throw ControlError(.unavailable, "closed")
        }
        return try client.call(call, descriptors: descriptors)
    }

    func close() { client.withLock { $0.take()?.close() } }

    func attach(_ state: ApplicationState) throws {
        _ = try call(Attach(state: state, source: "terminal"))
    }

    /// Plays the song, or this many seconds of it, on no device.
    @discardableResult
    func play(seconds: Double? = nil, backgroundAudio: Bool? = nil) throws -> Int {
        let end = seconds.map { WireTime(value: Int64($0 * 1000), timescale: 1000) }
        return try call(
            Play(
                files: Files([FilePath(Stage.song)], end: end), output: .null,
                backgroundAudio: backgroundAudio)
        ).run
    }

    /// The events so far.
    var events: [PlayerEvent] { notices(EventNotice.self).map(\.data) }

    func notices<Notice: ControlNotice>(_ type: Notice.Type) -> [Notice] {
        log.withLock { $0 }.filter { $0.method == type.method }
            .compactMap { try? $0.decode(type) }
    }

    /// Waits until a condition is met.
    func wait(until isReached: (Client) -> Bool) async {
        if isReached(self) { return }
        for await _ in signals where isReached(self) { return }
    }
}

extension PlayerEvent {
    var lifecycle: [LifecycleEvent]? {
        if case .application(let events, _) = kind { events } else { nil }
    }
    var beginsItem: Bool { if case .item(.began) = kind { true } else { false } }
    var leavesItem: Bool { if case .item(.left) = kind { true } else { false } }
    var failure: SessionFailure? { if case .error(let failure) = kind { failure } else { nil } }
    var stopAfter: StopCondition? {
        if case .settings(let settings) = kind { settings.stopAfter } else { nil }
    }
    var isExact: Bool? { if case .time(let isExact) = kind { isExact } else { nil } }
    var seconds: Double? {
        switch kind {
        case .time, .boundary: head.position.seconds
        default: nil
        }
    }
}
