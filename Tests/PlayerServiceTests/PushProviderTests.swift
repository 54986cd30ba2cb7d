import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongPlayback

@testable import UndersongService

/// Listens nowhere, and is lost when a test says so.
private final class ScriptedProvider: PushProvider {
    private struct State {
        var sources: [PushSource] = []
        var refusal: PushProviderError?
        var losses: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    var sources: [PushSource] { state.withLock(\.sources) }

    /// Refuses to listen from now on.
    func refuse(_ error: PushProviderError?) { state.withLock { $0.refusal = error } }

    /// Says that what was begun at this number of `listen`, from 0, is lost.
    func lose(_ number: Int) { state.withLock { $0.losses[number] }() }

    func listen(
        to source: PushSource, whenLost: @escaping @Sendable () -> Void
    ) async throws(PushProviderError) {
        let refusal = state.withLock { state in
            state.sources.append(source)
            state.losses.append(whenLost)
            return state.refusal
        }
        if let refusal { throw refusal }
    }

    func subscription() async throws(PushProviderError) -> UnifiedPushStatus? { nil }
}

@Suite(.timeLimit(.minutes(2))) struct `The provider of a service's pushes` {
    private static let source = PushSource.ntfy(url: "https://ntfy.example/t")

    private let provider = ScriptedProvider()
    private let clock = ManualClock()
    private let desk: Desk

    init() throws { desk = try Desk(clock: clock, pushProvider: provider) }

    /// Waits until it is to be tried again in exactly so many seconds, and lets them pass.
    private func wait(seconds: Double) async throws {
        let time = clock.now + Int64(seconds * 1e9)
        let count = provider.sources.count
        try await eventually { clock.dueTimes.contains(time) }
        clock.advance(by: seconds)
        try await eventually { provider.sources.count > count }
        // What follows from its answer has happened then.
        _ = await desk.service.pushStatus
    }

    @Test func `A lost push provider listens again after 1 s, and then ever less often`()
        async throws
    {
        try await desk.service.setPushSource(Self.source)

        for (number, seconds) in [1.0, 2, 4, 8, 16, 32].enumerated() {
            provider.lose(number)
            try await wait(seconds: seconds)
        }

        #expect(provider.sources == Array(repeating: Self.source, count: 7))
    }

    @Test func `A push provider that has listened for a minute is retried after 1 s again`()
        async throws
    {
        try await desk.service.setPushSource(Self.source)
        provider.lose(0)
        try await wait(seconds: 1)
        clock.advance(by: 59.9)
        provider.lose(1)
        try await wait(seconds: 2)
        clock.advance(by: 60)

        provider.lose(2)
        try await wait(seconds: 1)

        #expect(provider.sources.count == 4)
    }

    @Test func `A push provider is tried until it can listen, which is reported once`() async throws
    {
        let failures = Mutex<[String]>([])
        desk.service.observe { event in
            if case .error(let failure) = event.kind {
                failures.withLock { $0.append(failure.description) }
            }
        }
        try await desk.service.setPushSource(Self.source)
        provider.refuse(.unavailable("nothing is there"))

        provider.lose(0)
        for seconds in [1.0, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
            try await wait(seconds: seconds)
        }
        provider.refuse(nil)
        try await wait(seconds: 300)

        #expect(failures.withLock(\.self) == ["cannot listen for pushes: Nothing is there"])
        #expect(provider.sources.count == 13)
    }

    @Test func `No push provider is asked after it was set to nothing, or for an old connection`()
        async throws
    {
        try await desk.service.setPushSource(Self.source)
        try await desk.service.setPushSource(Self.source)
        provider.lose(0)
        try await desk.service.setPushSource(.local)
        provider.lose(1)
        provider.lose(2)
        _ = await desk.service.pushStatus
        clock.advance(by: 1000)
        _ = await desk.service.pushStatus

        #expect(provider.sources == [Self.source, Self.source, .local])
    }

    @Test func `A push provider continues with the old source if it refuses a new one`()
        async throws
    {
        try await desk.service.setPushSource(Self.source)
        provider.refuse(.refused("that is not a URL"))
        await #expect(throws: ServiceError.self) {
            try await desk.service.setPushSource(.ntfy(url: "x"))
        }
        provider.refuse(nil)

        try await wait(seconds: 1)

        #expect(provider.sources.last == Self.source)
        #expect(await desk.service.pushStatus.url == "https://ntfy.example/t")
    }
}
