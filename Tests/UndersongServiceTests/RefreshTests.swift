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
        _ = try link.call(Capability(identifier: identifier, on: true))
    }

    private func submit(
        _ link: Client, _ identifier: String = identifier, kind: String = "refresh",
        after seconds: Double? = nil
    ) throws -> Refresh.Reply {
        var call = Refresh(.submit, identifier: identifier)
        call.kind = kind
        let now = try link.call(Refresh(.status)).now
        call.earliestBeginDate = seconds.map { now + $0 }
        return try link.call(call)
    }

    private func complete(_ link: Client, _ task: Int, _ result: String, new: Int = 0) throws {
        var call = Refresh(.complete)
        (call.task, call.result, call.new) = (task, result, new)
        _ = try link.call(call)
    }

    @Test func `is refused with Apple's code where its identifier is not permitted`() throws {
        let stage = try stage()
        let link = try stage.client()

        let refusal = #expect(throws: ControlError.self) { try submit(link) }
        let registration = #expect(throws: ControlError.self) {
            try link.call(Refresh(.register, identifier: Self.identifier))
        }

        #expect(
            refusal?.message
                == "cannot submit net.undersong.refresh: The identifier net.undersong.refresh is "
                + "not permitted (notPermitted, 3)")
        #expect(registration?.message.contains("undersong capability permit") == true)
        #expect(try link.call(Refresh(.status)).pending.isEmpty)
    }

    @Test func `is refused where its mode is not declared, and the second refresh as too many`()
        throws
    {
        let stage = try Stage(modes: ["audio"])
        let link = try stage.client()
        try permit(link)
        try permit(link, "other")
        let undeclared = #expect(throws: ControlError.self) { try submit(link) }
        _ = try link.call(Capability("fetch", on: true))

        _ = try submit(link)
        let second = #expect(throws: ControlError.self) { try submit(link, "other") }

        #expect(
            undeclared?.message
                == "cannot submit net.undersong.refresh: The background mode 'fetch' is not "
                + "declared (notPermitted, 3)")
        #expect(second?.message.hasSuffix("(tooManyPendingTaskRequests, 2)") == true)
        #expect(try link.call(Refresh(.status)).pending.map(\.identifier) == [Self.identifier])
    }

    @Test func `is launched for the client that registered, once, and completed once`() async throws
    {
        let stage = try stage()
        let link = try stage.client()
        try permit(link)
        _ = try link.call(Refresh(.register, identifier: Self.identifier))

        _ = try submit(link)
        let launch = await link.next(RefreshLaunch.self)
        try complete(link, launch.task, "newData", new: 2)
        let end = await link.next(RefreshEnded.self)
        let again = #expect(throws: ControlError.self) {
            try complete(link, launch.task, "noData")
        }
        let status = try link.call(Refresh(.status))

        #expect(launch.identifier == Self.identifier && launch.kind == "refresh")
        #expect(launch.cause == "schedule" && launch.timeRemaining == 30)
        #expect(end.result == "newData" && end.new == 2)
        #expect(again?.code == .notFound)
        #expect(status.pending.isEmpty)
        #expect(status.runs.map(\.result) == ["newData"])
        #expect(status.badge == 2)
    }

    @Test func `that is never completed is warned at 25 s and ended at 30 s`() async throws {
        let stage = try stage()
        let link = try stage.client()
        try permit(link)
        _ = try link.call(Refresh(.register, identifier: Self.identifier))
        _ = try submit(link)
        let launch = await link.next(RefreshLaunch.self)

        stage.clock.advance(by: 25)
        let warning = await link.next(RefreshExpiring.self)
        stage.clock.advance(by: 5.001)
        let end = await link.next(RefreshEnded.self)

        #expect(warning.task == launch.task && abs(warning.timeRemaining - 5) < 0.01)
        #expect(end.task == launch.task && end.result == "overran")
    }

    @Test func `that is requested after its completion runs again`() async throws {
        let stage = try stage()
        let link = try stage.client()
        try permit(link)
        _ = try link.call(Refresh(.register, identifier: Self.identifier))
        _ = try submit(link)
        let first = await link.next(RefreshLaunch.self)
        try complete(link, first.task, "done")

        let reply = try submit(link, after: 60)
        var simulation = Refresh(.simulate, identifier: Self.identifier)
        simulation.kind = "refresh"
        let task = try link.call(simulation).task
        _ = await link.next(RefreshEnded.self)
        let second = await link.next(RefreshLaunch.self, after: 1)

        #expect(reply.pending.map(\.identifier) == [Self.identifier])
        #expect(second.task == task && second.cause == "simulate")
        #expect(second.task > first.task)
    }

    @Test func `of a client that goes away has failed`() async throws {
        let stage = try stage()
        let (watcher, link) = (try stage.client(), try stage.client())
        try permit(link)
        _ = try link.call(Refresh(.register, identifier: Self.identifier))
        let task = try watcher.call(Refresh(.run)).task
        _ = await link.next(RefreshLaunch.self)

        link.close()
        let end = await watcher.next(RefreshEnded.self)

        #expect(end.task == task && end.result == "failed")
    }

    @Test func `by interval without the mode is not an error, and says what is missing`() throws {
        let stage = try Stage(modes: [])
        let link = try stage.client()
        var call = Refresh(.interval)
        call.interval = "minimum"

        let reply = try link.call(call)

        #expect(reply.interval == "minimum")
        #expect(
            reply.missing == [
                "undersong capability fetch on",
                "undersong capability permit net.undersong.refresh",
            ])
        let wish = try #require(reply.pending.first)
        #expect(wish.due == nil)
        #expect(wish.reasons == ["noHandler", "notDeclared", "notPermitted"])
    }

    @Test func `is kept over the end of the service, which shutdown holds until it is opened`()
        throws
    {
        let stage = try stage()
        let link = try stage.client()
        try permit(link)
        _ = try submit(link, after: 1_000_000)

        _ = try link.call(Shutdown())
        let held = try link.call(Refresh(.status))
        _ = try link.call(Attach(state: "active", source: "option"))
        let opened = try link.call(Refresh(.status))

        #expect(held.shutDown && held.pending.first?.reasons.contains("shutDown") == true)
        #expect(!opened.shutDown)
        #expect(opened.pending.map(\.identifier) == [Self.identifier])
    }

    @Test func `is refused while the user denies it, and runs again when it is allowed`()
        async throws
    {
        let stage = try stage()
        let link = try stage.client()
        try permit(link)
        _ = try link.call(Refresh(.register, identifier: Self.identifier))
        _ = try submit(link, after: 60)

        let denied = try link.call(Refresh(.deny))
        let refusal = #expect(throws: ControlError.self) { try submit(link) }
        stage.clock.advance(by: 120)
        let waiting = try link.call(Refresh(.status))
        let allowed = try link.call(Refresh(.allow))
        let launch = await link.next(RefreshLaunch.self)

        #expect(denied.availability == "denied")
        #expect(
            refusal?.message
                == "cannot submit net.undersong.refresh: Background refresh is switched off "
                + "(unavailable, 1)")
        #expect(
            waiting.pending.first?.because.contains(
                "background refresh is switched off ('undersong fetch allow' changes that)") == true
        )
        #expect(allowed.availability == "available")
        #expect(launch.identifier == Self.identifier)
    }

    @Test func `that processes says that nobody knows whether the session is idle`() throws {
        let stage = try stage()
        let link = try stage.client()
        try permit(link)

        let refresh = try submit(link, after: 1000)
        try permit(link, "night")
        let both = try submit(link, "night", kind: "processing")

        #expect(refresh.fallbacks.isEmpty)
        #expect(
            both.fallbacks == [
                "logind does not say whether the session is idle: the machine is in use while clients "
                    + "are connected, music plays or the processors are busy"
            ])
    }

    @Test func `with a wrong word is refused by name`() throws {
        let stage = try stage()
        let link = try stage.client()
        var interval = Refresh(.interval)
        interval.interval = "soon"
        var kind = Refresh(.submit, identifier: "x")
        kind.kind = "fetch"

        let messages = [interval, kind, Refresh(.submit), Refresh(.complete)].map { call in
            #expect(throws: ControlError.self) { try link.call(call) }?.message
        }

        #expect(
            messages == [
                "cannot use the interval 'soon': It is not one of never, minimum, a number of seconds",
                "cannot use the kind 'fetch': It is not one of refresh, processing",
                "cannot submit a background task: 'identifier' is missing",
                "cannot complete a background task: 'task' is missing",
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
