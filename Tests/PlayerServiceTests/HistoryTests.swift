import Testing
import UndersongAudioSession
import UndersongBackground
import UndersongPlayback

@testable import UndersongService

@Suite(.timeLimit(.minutes(2))) struct `The history` {
    private let desk: Desk

    init() throws { desk = try Desk() }

    @Test func `The history has what scrobblers need`() async throws {
        let listener = await activeListener()
        var order = Play(files: Files([Desk.song], end: WireTime(value: 1, timescale: 10)))
        order.output = .null

        _ = try await desk.service.play(order, for: listener.id)
        _ = await listener.ends.first { _ in true }
        let entry = try #require(await desk.service.history(limit: 1).first)

        #expect(entry.title == "Slack Water" && entry.artist == "Undersong")
        #expect(entry.album != nil && entry.finished == true)
        #expect(entry.duration == 0.1 && entry.seconds == 0.1)
    }

    @Test func `The history says that an item was left before its end`() async throws {
        let listener = await activeListener()
        var order = Play(files: Files([Desk.song]))
        order.output = .null
        _ = try await desk.service.play(order, for: listener.id)
        _ = await desk.service.session.addTimeEvents(.every(CMTime(value: 1, timescale: 10)))
        let heard = AsyncStream<Void>.makeStream()
        desk.service.session.subscribe { event in
            if case .time = event.kind { heard.continuation.yield() }
        }

        _ = await heard.stream.first { _ in true }
        await desk.service.stop()
        _ = await listener.ends.first { _ in true }
        let entry = try #require(await desk.service.history(limit: 1).first)

        #expect(entry.finished == false && entry.seconds > 0)
        #expect(entry.duration.map { $0 > 20 } == true)
    }

    private func activeListener() async -> Listener {
        let listener = Listener()
        await desk.service.connect(listener)
        await desk.service.attach(listener.id, state: .active, source: "test")
        return listener
    }
}
