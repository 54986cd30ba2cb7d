import Foundation
import TestSupport
import Testing
import UndersongBackground
import UndersongControl
import UndersongPlayback

@testable import UndersongService

/// The rows of behaviour 4 that involve logind, tested with a mock of it on a private bus.
@Suite(.blockingThreads, .serialized, .timeLimit(.minutes(2)))
struct `A service and the login session` {
    @Test func `A locked session is inactive, and keeps playing with and without the capability`()
        async throws
    {
        let stage = try LoginStage()
        try await stage.play(backgroundAudio: false)

        try stage.login.send("update c1 LockedHint true")
        await stage.client.wait { $0.events.last?.head.applicationState == .inactive }
        let locked = try stage.client.call(GetWhy())
        try stage.login.send("update c1 LockedHint false")
        await stage.client.wait { $0.events.last?.head.applicationState == .active }

        #expect(locked.status.status == .playing && locked.loginSession == "locked")
        #expect(locked.status.hostSource == "login session locked")
        #expect(
            stage.client.events.compactMap(\.lifecycle).suffix(2) == [
                [.willResignActive], [.didBecomeActive],
            ])
    }

    @Test func `Switching users means the background: silence without the capability`()
        async throws
    {
        let stage = try LoginStage()
        try await stage.play(backgroundAudio: false)

        try stage.login.send("update c1 Active false")
        await stage.client.wait {
            $0.events.last { $0.kind.name == "state" }?.head.status == .paused
        }
        let away = try stage.client.call(GetStatus())
        try stage.login.send("update c1 Active true")
        await stage.client.wait {
            $0.events.last { $0.kind.name == "state" }?.head.status == .playing
        }

        #expect(away.reason == .known(.appBackgrounded) && away.suspended)
        #expect(away.host == .background && away.hostSource == "login session inactive")
    }

    @Test func `Switching users means the background: music continues with the capability`()
        async throws
    {
        let stage = try LoginStage()
        try await stage.play(backgroundAudio: true)

        try stage.login.send("update c1 Active false")
        await stage.client.wait { $0.events.last?.head.applicationState == .background }
        let away = try stage.client.call(GetStatus())

        #expect(away.status == .playing && !away.suspended)
        #expect(away.host == .background)
    }

    @Test(arguments: [true, false])
    func `Sleep is delayed until there is silence, and music resumes after it`(
        backgroundAudio: Bool
    ) async throws {
        let stage = try LoginStage()
        try await stage.play(backgroundAudio: backgroundAudio)
        let held = try stage.login.inhibitors.next()

        try stage.login.send("sleep true")
        let released = try stage.login.inhibitors.next()
        let asleep = try stage.client.call(GetStatus())
        try stage.login.send("sleep false")
        await stage.client.wait {
            $0.events.last { $0.kind.name == "state" }?.head.status == .playing
        }

        #expect(held.hasPrefix("inhibited sleep|") && released.hasPrefix("released"))
        #expect(asleep.status == .paused && asleep.reason == .known(.interrupted))
        #expect(asleep.host == .inactive && asleep.hostSource == "system sleep")
    }

    @Test func `The machine is kept awake while playing, and only then`() async throws {
        let stage = try LoginStage()
        await stage.inhibitSleep()
        try await stage.play(backgroundAudio: true)
        #expect(try stage.login.inhibitors.next().hasPrefix("inhibited sleep|"))

        for _ in 0..<2 {
            #expect(try stage.login.inhibitors.next() == Self.block)
            try await stage.settle()
            _ = try stage.client.call(Command(.pause))
            #expect(try stage.login.inhibitors.next() == "released idle:sleep")
            _ = try stage.client.call(Command(.resume))
        }
        #expect(try stage.login.inhibitors.next() == Self.block)
        try await stage.settle()
        _ = try stage.client.call(Command(.stop))

        #expect(try stage.login.inhibitors.next() == "released idle:sleep")
        #expect(stage.login.inhibitors.rest == [])
    }

    @Test func `The machine may sleep once the queue has ended`() async throws {
        let stage = try LoginStage()
        await stage.inhibitSleep()
        #expect(try stage.login.inhibitors.next().hasPrefix("inhibited sleep|"))

        try stage.client.play(seconds: 1, backgroundAudio: true)

        #expect(try stage.login.inhibitors.next() == Self.block)
        #expect(try stage.login.inhibitors.next() == "released idle:sleep")
    }

    @Test func `The machine is kept awake as soon as the settings say so, and no longer`()
        async throws
    {
        let stage = try LoginStage()
        try await stage.play(backgroundAudio: true)
        #expect(try stage.login.inhibitors.next().hasPrefix("inhibited sleep|"))
        try await stage.settle()
        #expect(stage.login.inhibitors.rest == [])

        await stage.inhibitSleep()
        #expect(try stage.login.inhibitors.next() == Self.block)
        try await stage.settle()
        await stage.inhibitSleep(false)

        #expect(try stage.login.inhibitors.next() == "released idle:sleep")
        let status = try stage.client.call(GetStatus())
        #expect(status.status == .playing)
    }

    @Test func `Music that keeps the machine awake is still silenced before it sleeps`()
        async throws
    {
        let stage = try LoginStage()
        await stage.inhibitSleep()
        try await stage.play(backgroundAudio: true)
        #expect(try stage.login.inhibitors.next().hasPrefix("inhibited sleep|"))
        #expect(try stage.login.inhibitors.next() == Self.block)
        try await stage.settle()

        try stage.login.send("sleep true")
        let released = [try stage.login.inhibitors.next(), try stage.login.inhibitors.next()]
        let asleep = try stage.client.call(GetStatus())
        try stage.login.send("sleep false")
        let held = [try stage.login.inhibitors.next(), try stage.login.inhibitors.next()]

        #expect(Set(released) == ["released idle:sleep", "released sleep"])
        #expect(asleep.status == .paused)
        #expect(Set(held.map { $0.prefix(11) }) == ["inhibited s", "inhibited i"])
    }

    private static let block = "inhibited idle:sleep|Undersong|Music is playing|block"
}

/// A service in its own login session, with a client in its foreground.
private struct LoginStage {
    let login: MockLogin
    let stage: Stage
    let client: Client

    init() throws {
        login = try MockLogin()
        try login.send("add_session c1 active")
        try login.send("set_display c1")
        stage = try Stage(bus: login.address)
        client = try stage.client()
        try client.attach(.active)
        _ = try client.call(Subscribe(interval: nil, kinds: ["application", "state"]))
    }

    /// Sets whether to keep the machine awake while playing.
    func inhibitSleep(_ isWanted: Bool = true) async {
        var change = SettingsChange()
        change.inhibit = isWanted ? .sleep : .nothing
        _ = try? await stage.service.player.set(change)
    }

    /// Returns when the service has received what it requested from logind, which the mock reports
    /// earlier.
    func settle() async throws {
        for isLocked in [true, false] {
            try login.send("update c1 LockedHint \(isLocked)")
            let state = isLocked ? ApplicationState.inactive : .active
            await client.wait {
                $0.events.last { $0.kind.name == "application" }?.head.applicationState == state
            }
        }
    }

    func play(backgroundAudio: Bool) async throws {
        // A busy machine may need longer than the song lasts.
        var change = SettingsChange()
        change.repeat = .all
        _ = try client.call(SetSettings(change))
        try client.play(backgroundAudio: backgroundAudio)
        await client.wait { $0.events.last { $0.kind.name == "state" }?.head.status == .playing }
        try await settle()
    }
}
