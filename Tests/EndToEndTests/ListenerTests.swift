import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongPlayback

@testable import UndersongAudioIO

extension EndToEnd {
    @Suite struct `A listener to the sound server` {
        @Test(arguments: SoundServer.Kind.installed)
        func `A sound server listener keeps the rules of its port`(kind: SoundServer.Kind)
            async throws
        {
            let server = try SoundServer(kind)
            let (first, second) = (connection(server.address), connection(server.address))

            try await expectSoundServerContract(
                first, peer: second, unreachable: connection("unix:\(server.folder.path)/none")
            ) {
                server.stop()
                try server.start()
            }
        }

        private func connection(_ address: String) -> PulseServer {
            PulseServer(PulseServer.Configuration(server: address, clock: SystemClock()))
        }

        @Test(arguments: SoundServer.Kind.installed)
        func `A sound server listener reports the server's devices when connected`(
            kind: SoundServer.Kind
        ) throws {
            let server = try SoundServer(kind)
            let ear = Ear(server)

            let state = try ear.nextState()

            #expect(state.defaultDevice == "test")
            #expect(state.currentDevice?.name == "test")
            #expect(state.currentDevice?.sampleRate == 44100)
            #expect(state.currentDevice?.port == .virtual)
            #expect(state.streams == [])
        }

        @Test(arguments: SoundServer.Kind.installed)
        func `A listener reports that the server is lost, and reconnects as soon as it is back`(
            kind: SoundServer.Kind
        ) throws {
            let server = try SoundServer(kind)
            let ear = Ear(server)
            _ = try ear.nextState()

            for _ in 0..<3 {
                server.stop()
                while true { if case .lost = try ear.next() { break } }
                try server.start()
                let back = try ear.next()

                guard case .connected(let state) = back else {
                    Issue.record("\(back)")
                    return
                }
                #expect(state.currentDevice?.name == "test")
            }
        }

        @Test(arguments: ["unix:", ""])
        func `A listener notices the first socket in a folder that does not exist yet`(
            prefix: String
        ) throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())/a").path
            let ear = Ear(
                PulseServer.Configuration(
                    server: "\(prefix)\(folder)/native", clock: SystemClock()))

            let first = try ear.next()
            let server = try SoundServer()
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            try server.pactl(
                "load-module", "module-native-protocol-unix", "socket=\(folder)/native")

            #expect(try ear.nextState().defaultDevice == "test")
            guard case .unavailable = first else {
                Issue.record("\(first)")
                return
            }
        }

        @Test(arguments: SoundServer.Kind.installed)
        func `A listener detects a server that hangs, and does not wait for it`(
            kind: SoundServer.Kind
        )
            async throws
        {
            let server = try SoundServer(kind)
            let ear = Ear(server)
            _ = try ear.nextState()

            #expect(await ear.listener.ping(deadline: 60_000_000_000))
            server.freeze()
            #expect(await !ear.listener.ping(deadline: 50_000_000))
            ear.listener.announce(SessionAnnouncement(identifier: "1", name: "ours"))
            ear.listener.move(1, to: "nowhere")
            server.thaw()
            #expect(await ear.listener.ping(deadline: 60_000_000_000))
        }

        @Test(arguments: SoundServer.Kind.installed)
        func `A listener reports devices that are added and removed`(kind: SoundServer.Kind) throws
        {
            let server = try SoundServer(kind)
            let ear = Ear(server)
            _ = try ear.nextState()

            let module = try server.pactl(
                "load-module", "module-null-sink", "sink_name=second", "rate=48000")
            let both = try ear.state { $0.devices.count == 2 }
            try server.pactl("unload-module", module)
            let last = try ear.state { $0.devices.count == 1 }

            #expect(both.devices.map(\.name) == ["test", "second"])
            #expect(both.devices.map(\.sampleRate) == [44100, 48000])
            #expect(both.currentDevice?.name == "test")
            #expect(last.currentDevice?.name == "test")
        }

        // PipeWire 0.3 keeps reporting the old default to some connections, for unknown reasons.
        @Test func `A listener reports a new default device`() throws {
            let server = try SoundServer()
            try server.pactl("load-module", "module-null-sink", "sink_name=second")
            let ear = Ear(server)

            #expect(try ear.nextState().currentDevice?.name == "test")
            try server.pactl("set-default-sink", "second")

            #expect(try ear.nextState().currentDevice?.name == "second")
        }

        @Test(arguments: SoundServer.Kind.installed)
        func `A listener follows an output's stream: its device, volume and mute`(
            kind: SoundServer.Kind
        ) throws {
            let server = try SoundServer(kind)
            try server.pactl("load-module", "module-null-sink", "sink_name=second")
            let ear = Ear(server)
            _ = try ear.state { $0.devices.count == 2 }
            let silence = try Silence(server)
            defer { silence.stop() }

            let own = try #require(ear.state { $0.ownStream != nil }.ownStream)
            #expect(own.volume == 1 && !own.isMuted, "\(own)")
            #expect(own.application == "Undersong")

            try server.pactl("set-sink-input-volume", "\(own.index)", "50%")
            let softer = try ear.state { $0.ownStream?.volume != 1 }
            // 50 % on the server's cubic scale.
            #expect(abs((softer.ownStream?.volume ?? 0) - 0.125) < 0.001)

            try server.pactl("set-sink-input-mute", "\(own.index)", "1")
            _ = try ear.state { $0.ownStream?.isMuted == true }

            // WirePlumber 0.4 sometimes does not move a stream.
            guard kind == .pulseAudio else { return }
            try server.pactl("move-sink-input", "\(own.index)", "second")
            _ = try ear.state {
                $0.currentDevice?.name == "second" && $0.ownStream?.isCorked == false
            }
        }

        @Test(arguments: SoundServer.Kind.installed)
        func `A listener moves a stream, sets its volume and mute, and reports success`(
            kind: SoundServer.Kind
        ) throws {
            let server = try SoundServer(kind)
            try server.pactl("load-module", "module-null-sink", "sink_name=second")
            let ear = Ear(server)
            let silence = try Silence(server)
            defer { silence.stop() }
            let own = try #require(
                ear.state { $0.ownStream != nil && $0.devices.count == 2 }.ownStream)
            let answers = Inbox<Bool>()

            ear.listener.move(own.index, to: "second") { answers.put($0) }
            #expect(try answers.next())
            _ = try ear.state { $0.currentDevice?.name == "second" }

            ear.listener.setVolume(of: own.index, 0.3) { answers.put($0) }
            #expect(try answers.next())
            let softer = try ear.state { $0.ownStream?.volume != 1 }
            #expect(abs((softer.ownStream?.volume ?? 0) - 0.3) < 0.001)

            ear.listener.move(own.index, to: "nowhere") { answers.put($0) }
            #expect(try !answers.next())
        }

        @Test(arguments: SoundServer.Kind.installed)
        func `A listener reports a call`(kind: SoundServer.Kind) throws {
            let server = try SoundServer(kind)
            let ear = Ear(server)
            _ = try ear.nextState()

            let call = try Program(
                "/usr/bin/pacat",
                ["--property=media.role=phone", "--client-name=Phone", "/dev/zero"],
                environment: server.environment)
            let state = try ear.state { $0.streams.contains { $0.role == "phone" && !$0.isCorked } }
            call.signal(SIGKILL)
            let end = try ear.state { $0.streams.isEmpty }

            #expect(state.streams.map(\.application) == ["Phone"])
            #expect(state.streams.map(\.isOwn) == [false])
            #expect(end.ownStream == nil)
        }

        @Test func `A listener reports a call together with the mute by module-role-cork`() throws {
            let server = try SoundServer(modules: ["module-role-cork cork_roles=no_role"])
            let ear = Ear(server)
            let silence = try Silence(server)
            defer { silence.stop() }
            let own = try #require(ear.state { $0.ownStream != nil }.ownStream)
            #expect(!own.isMuted)

            let call = try Program(
                "/usr/bin/pacat", ["--property=media.role=phone", "/dev/zero"],
                environment: server.environment)
            let state = try ear.state { $0.streams.count == 2 }
            #expect(state.ownStream?.isMuted == true)
            call.signal(SIGKILL)
            let end = try ear.state { $0.streams.count == 1 }

            #expect(end.ownStream?.isMuted == false)
        }

        @Test(arguments: SoundServer.Kind.installed)
        func `A listener lets two sessions see each other, also after a lost connection`(
            kind: SoundServer.Kind
        )
            throws
        {
            let server = try SoundServer(kind)
            let (first, second) = (Ear(server, process: "1001"), Ear(server, process: "1002"))
            var session = SessionAnnouncement(identifier: "1001.1", name: "first")

            first.listener.announce(session)
            _ = try second.state { $0.sessions.map(\.name) == ["first"] }
            session.isActive = true
            session.ducksOthers = true
            session.activationTime = 1_234_567_890_123
            first.listener.announce(session)
            let seen = try second.state { $0.sessions.first?.isActive == true }

            #expect(seen.sessions == [session])
            #expect(!first.events.rest.contains { $0.hasSessions })

            server.stop()
            try server.start()
            #expect(try second.state { !$0.sessions.isEmpty }.sessions == [session])
            first.stop()
            _ = try second.state { $0.sessions.isEmpty }
        }

        @Test
        func `A listener combines a burst into one event, and reports nothing without a change`()
            throws
        {
            let server = try SoundServer()
            let ear = Ear(server)
            _ = try ear.nextState()

            // Each of these is a client that connects and disconnects.
            for _ in 0..<5 { try server.pactl("info") }
            try server.pactl("load-module", "module-null-sink", "sink_name=second")

            #expect(try ear.nextState().devices.count == 2)
        }

        /// In a process of its own, where nothing else listens.
        @Test func `A listener leaves no thread and no descriptor open`() async {
            await #expect(processExitsWith: .success) {
                let server = try SoundServer()
                let before = try resources()

                for _ in 0..<20 { _ = try Ear(server).nextState() }
                server.stop()
                for _ in 0..<5 { _ = try Ear(server).next() }

                try waitUntil { try listeningThreads() == 0 }
                #expect(try resources() <= before)
            }
        }

        @Test func `A listener may be released by its own handler`() async {
            await #expect(processExitsWith: .success) {
                let server = try SoundServer()
                let handled = Inbox<Void>()
                let box = Mutex<PulseServer?>(
                    PulseServer(.init(server: server.address, clock: SystemClock())))
                let queue = DispatchQueue(label: "test")

                box.withLock { listener in
                    listener?.listen { _ in
                        queue.async {
                            box.withLock { $0 = nil }
                            handled.put(())
                        }
                    }
                }

                try handled.next()
                try server.pactl("load-module", "module-null-sink")
                try waitUntil { try listeningThreads() == 0 }
                #expect(handled.rest.isEmpty)
            }
        }
    }
}

/// The descriptors open in this process.
private func resources() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}

/// The threads of this process that listen to a sound server.
private func listeningThreads() throws -> Int {
    let folder = "/proc/self/task"
    return try FileManager.default.contentsOfDirectory(atPath: folder)
        .count { thread in
            let name = try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8)
            return name?.hasPrefix("sound-server") == true
        }
}

extension SoundServerEvent {
    fileprivate var hasSessions: Bool {
        switch self {
        case .connected(let state), .changed(let state): !state.sessions.isEmpty
        case .lost, .unavailable: false
        }
    }
}

/// An output of this process that plays silence until it is stopped.
private final class Silence: Sendable {
    private let isStopped = Mutex(false)
    private let ended = DispatchGroup()

    init(_ server: SoundServer) throws {
        let format = StreamFormat(sampleRate: 44100, channelCount: 2)
        let started = DispatchSemaphore(value: 0)
        let address = server.address
        Thread.detachNewThread(in: ended) { [self] in
            do {
                var output = try PulseOutput(format: format, server: address, device: "test")
                started.signal()
                let samples = [Int16](repeating: 0, count: 4410)
                while !isStopped.withLock({ $0 }) {
                    try samples.withUnsafeBytes { try output.write($0) }
                }
            } catch { started.signal() }
        }
        try started.waitPatiently()
    }

    func stop() {
        isStopped.withLock { $0 = true }
        ended.wait()
    }
}

/// A connection to a server, with its reports one by one.
private final class Ear: Sendable {
    let events = Inbox<SoundServerEvent>()
    private let server: Mutex<PulseServer?>

    convenience init(_ server: SoundServer, process: String? = nil) {
        var configuration = PulseServer.Configuration(
            server: server.address, clock: SystemClock())
        if let process { configuration.process = process }
        self.init(configuration)
    }

    init(_ configuration: PulseServer.Configuration) {
        let (events, server) = (events, PulseServer(configuration))
        server.listen { events.put($0) }
        self.server = Mutex(server)
    }

    var listener: PulseServer {
        guard let server = server.withLock({ $0 }) else { preconditionFailure("it has stopped") }
        return server
    }

    func stop() { server.withLock { $0 = nil } }

    func next() throws -> SoundServerEvent { try events.next() }

    /// The server's state in the next event.
    func nextState() throws -> SoundServerState {
        while true {
            switch try next() {
            case .connected(let state), .changed(let state): return state
            case .lost, .unavailable: continue
            }
        }
    }

    /// The first state from now on that satisfies `condition`.
    func state(where condition: (SoundServerState) -> Bool) throws -> SoundServerState {
        while true {
            let state = try nextState()
            if condition(state) { return state }
        }
    }
}
