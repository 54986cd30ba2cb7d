import Control
import Foundation
import TestSupport
import Testing

@testable import UndersongService

/// The rows of design.md's table that logind has a say in, against a mock of it on a private bus.
@Suite(.serialized) struct `A service and the login session` {
    @Test func `a locked session is inactive, and plays on with and without the capability`()
        async throws
    {
        let stage = try LoginStage()
        try await stage.play(backgroundAudio: false)

        stage.login.tell("update c1 LockedHint true")
        await stage.client.wait { $0.events.last?.state == "inactive" }
        let locked = try stage.client.call(GetWhy())
        stage.login.tell("update c1 LockedHint false")
        await stage.client.wait { $0.events.last?.state == "active" }

        #expect(locked.status.status == "playing" && locked.loginSession == "locked")
        #expect(locked.status.hostSource == "login session locked")
        #expect(
            stage.client.events.compactMap(\.lifecycle).suffix(2) == [
                ["willResignActive"], ["didBecomeActive"],
            ])
    }

    @Test func `another user's turn is the background: silence without the capability`()
        async throws
    {
        let stage = try LoginStage()
        try await stage.play(backgroundAudio: false)

        stage.login.tell("update c1 Active false")
        await stage.client.wait { $0.events.last { $0.event == "state" }?.status == "paused" }
        let away = try stage.client.call(GetStatus())
        stage.login.tell("update c1 Active true")
        await stage.client.wait { $0.events.last { $0.event == "state" }?.status == "playing" }

        #expect(away.reason == "appBackgrounded" && away.suspended)
        #expect(away.host == "background" && away.hostSource == "login session inactive")
    }

    @Test func `another user's turn is the background: music goes on with the capability`()
        async throws
    {
        let stage = try LoginStage()
        try await stage.play(backgroundAudio: true)

        stage.login.tell("update c1 Active false")
        await stage.client.wait { $0.events.last?.state == "background" }
        let away = try stage.client.call(GetStatus())

        #expect(away.status == "playing" && !away.suspended)
        #expect(away.host == "background")
    }

    @Test(arguments: [true, false])
    func `sleep is held back until it is silent, and music goes on behind it`(
        backgroundAudio: Bool
    ) async throws {
        let stage = try LoginStage()
        try await stage.play(backgroundAudio: backgroundAudio)
        let held = stage.login.inhibitors.next()

        stage.login.tell("sleep true")
        let released = stage.login.inhibitors.next()
        let asleep = try stage.client.call(GetStatus())
        stage.login.tell("sleep false")
        await stage.client.wait { $0.events.last { $0.event == "state" }?.status == "playing" }

        #expect(held.hasPrefix("inhibited sleep|") && released.hasPrefix("released"))
        #expect(asleep.status == "paused" && asleep.reason == "interrupted")
        #expect(asleep.host == "inactive" && asleep.hostSource == "system sleep")
    }
}

/// A service in a login session of its own, and a client in its foreground.
private struct LoginStage {
    let login: MockLogin
    let stage: Stage
    let client: Client

    init() throws {
        login = try MockLogin()
        login.tell("add_session c1 active")
        login.tell("set_display c1")
        stage = try Stage(bus: login.address)
        client = try stage.client()
        try client.attach("active")
        _ = try client.call(Subscribe(interval: nil, kinds: ["application", "state"]))
    }

    func play(backgroundAudio: Bool) async throws {
        // A busy machine may need longer than the song lasts.
        var change = Settings.Change()
        change.repeat = "all"
        _ = try client.call(SetSettings(change))
        try client.play(backgroundAudio: backgroundAudio)
        await client.wait { $0.events.last { $0.event == "state" }?.status == "playing" }
        while try client.call(GetWhy()).loginSession == nil {}
    }
}
