import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl

@testable import UndersongService

/// Background tasks over the socket.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `A background task` {
    private static let identifier = "net.undersong.refresh"

    private func stage() throws -> Stage { try Stage(modes: ["fetch", "processing"]) }

    private func permit(_ link: Client, _ identifier: String = identifier) throws {
        _ = try link.call(PermitIdentifier(identifier, on: true))
    }

    private func submit(
        _ link: Client, _ identifier: String = identifier, kind: RefreshKind = .refresh,
        after seconds: Double? = nil
    ) throws -> RefreshStatus {
        let now = try link.call(GetRefreshStatus()).now
        return try link.call(
            SubmitRefresh(
                RefreshRequest(
                    identifier, kind: kind, earliestBeginDate: seconds.map { now + $0 })))
    }

    private func complete(
        _ link: Client, _ launch: RefreshLaunch, _ result: RefreshResult, new: Int = 0
    ) throws {
        _ = try link.call(
            CompleteRefresh(launch.run.number, RefreshCompletion(result, new: new)))
    }

    @Test func `A background task is refused with Apple's code if its identifier is not permitted`()
        throws
    {
        let stage = try stage()
        let link = try stage.client()

        let refusal = #expect(throws: ControlError.self) { try submit(link) }
        let registration = #expect(throws: ControlError.self) {
            try link.call(RegisterRefresh(Self.identifier))
        }

        #expect(
            refusal?.message
                == "cannot submit net.undersong.refresh: The identifier net.undersong.refresh is "
                + "not permitted (notPermitted, 3)")
        #expect(registration?.message.contains("undersong capability permit") == true)
        #expect(try link.call(GetRefreshStatus()).pending.isEmpty)
    }

    @Test func `A background task is launched for its client and completed, each once`()
        async throws
    {
        let stage = try stage()
        let link = try stage.client()
        try permit(link)
        _ = try link.call(RegisterRefresh(Self.identifier))

        _ = try submit(link)
        let launch = await link.next(RefreshLaunch.self)
        try complete(link, launch, .newData, new: 2)
        let end = await link.next(RefreshEnded.self)
        let again = #expect(throws: ControlError.self) {
            try complete(link, launch, .noData)
        }
        let status = try link.call(GetRefreshStatus())

        #expect(launch.run.identifier == Self.identifier && launch.run.kind == .refresh)
        #expect(launch.run.cause == .schedule && launch.timeRemaining == 30)
        #expect(end.run.result == .newData && end.run.new == 2)
        #expect(again?.code == .notFound)
        #expect(status.pending.isEmpty)
        #expect(status.runs == [end.run])
        #expect(try link.call(GetLearnedHours()).news.count == LearnedHours.count)
        #expect(try link.call(GetLearnedHours(ofApp: "net.example.player")) == LearnedHours())
        #expect(status.badge == 2)
    }

    @Test func `A background task that is never completed is warned at 25 s and ended at 30 s`()
        async throws
    {
        let stage = try stage()
        let link = try stage.client()
        try permit(link)
        _ = try link.call(RegisterRefresh(Self.identifier))
        _ = try submit(link)
        let launch = await link.next(RefreshLaunch.self)

        stage.clock.advance(by: 25)
        let warning = await link.next(RefreshExpiring.self)
        stage.clock.advance(by: 5.001)
        let end = await link.next(RefreshEnded.self)

        #expect(warning.task == launch.run.number && abs(warning.timeRemaining - 5) < 0.01)
        #expect(end.run.number == launch.run.number && end.run.result == .overran)
    }

    @Test func `A background task that is requested after its completion runs again`() async throws
    {
        let stage = try stage()
        let link = try stage.client()
        try permit(link)
        _ = try link.call(RegisterRefresh(Self.identifier))
        _ = try submit(link)
        let first = await link.next(RefreshLaunch.self)
        try complete(link, first, .done)

        let reply = try submit(link, after: 60)
        let task = try link.call(SimulateRefresh(Self.identifier)).task
        _ = await link.next(RefreshEnded.self)
        let second = await link.next(RefreshLaunch.self, after: 1)

        #expect(reply.pending.map(\.identifier) == [Self.identifier])
        #expect(second.run.number == task && second.run.cause == .simulate)
        #expect(second.run.number > first.run.number)
    }

    @Test func `A background task of a client that goes away has failed`() async throws {
        let stage = try stage()
        let (watcher, link) = (try stage.client(), try stage.client())
        try permit(link)
        _ = try link.call(RegisterRefresh(Self.identifier))
        let task = try watcher.call(RunRefresh()).task
        _ = await link.next(RefreshLaunch.self)

        link.close()
        let end = await watcher.next(RefreshEnded.self)

        #expect(end.run.number == task && end.run.result == .failed)
    }

    @Test
    func `A fetch by interval without the mode is not an error, and says what is missing`()
        throws
    {
        let stage = try Stage(modes: [])
        let link = try stage.client()

        let reply = try link.call(SetFetchInterval(.minimum))

        #expect(reply.interval == .minimum)
        #expect(
            reply.missing == [
                "undersong capability fetch on",
                "undersong capability permit net.undersong.refresh",
            ])
        let wish = try #require(reply.pending.first)
        #expect(wish.due == nil)
        #expect(
            Set(wish.obstacles.map(\.reason.known)) == [.noHandler, .notDeclared, .notPermitted])
    }

    @Test
    func `A background task outlives the service, and is held by shutdown until it is opened`()
        throws
    {
        let stage = try stage()
        let link = try stage.client()
        try permit(link)
        _ = try submit(link, after: 1_000_000)

        _ = try link.call(Shutdown())
        let held = try link.call(GetRefreshStatus())
        _ = try link.call(Attach(state: .active, source: "option"))
        let opened = try link.call(GetRefreshStatus())

        #expect(
            held.shutDown && held.pending[0].obstacles.contains { $0.reason == .known(.shutDown) })
        #expect(!opened.shutDown)
        #expect(opened.pending.map(\.identifier) == [Self.identifier])
    }

    @Test func `A background task is refused while the user denies it, and runs when allowed`()
        async throws
    {
        let stage = try stage()
        let link = try stage.client()
        try permit(link)
        _ = try link.call(RegisterRefresh(Self.identifier))
        _ = try submit(link, after: 60)

        let denied = try link.call(DenyRefresh())
        let refusal = #expect(throws: ControlError.self) { try submit(link) }
        stage.clock.advance(by: 120)
        let waiting = try link.call(GetRefreshStatus())
        let allowed = try link.call(AllowRefresh())
        let launch = await link.next(RefreshLaunch.self)

        #expect(denied.availability == .denied)
        #expect(
            refusal?.message
                == "cannot submit net.undersong.refresh: Background refresh is switched off "
                + "(unavailable, 1)")
        #expect(
            waiting.pending.first?.obstacles == [
                RefreshForecast.Obstacle(
                    reason: .known(.denied), text: "background refresh is switched off",
                    remedy: "undersong fetch allow")
            ])
        #expect(allowed.availability == .available)
        #expect(launch.run.identifier == Self.identifier)
    }

    @Test func `A processing task says that nobody knows whether the session is idle`() throws {
        let stage = try stage()
        let link = try stage.client()
        try permit(link)

        let refresh = try submit(link, after: 1000)
        try permit(link, "night")
        let both = try submit(link, "night", kind: .processing)

        #expect(refresh.fallbacks.isEmpty)
        #expect(
            both.fallbacks == [
                "logind does not say whether the session is idle: the machine is in use while clients "
                    + "are connected, music plays or the processors are busy"
            ])
    }
}

extension Client {
    /// The next notice of a kind that has not been returned yet.
    fileprivate func next<Notice: ControlNotice>(
        _ type: Notice.Type, after count: Int = 0
    ) async -> Notice {
        await wait { $0.notices(type).count > count }
        return notices(type)[count]
    }
}
