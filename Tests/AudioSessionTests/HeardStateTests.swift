import Testing
import UndersongAudioIO
import UndersongBackground
import UndersongBase
import UndersongPlayback

@testable import UndersongAudioSession

@Suite struct `Heard state` {
    typealias Effect = HeardState.Effect

    private var state = HeardState()
    private let first = QueueItem(id: ItemID(1), source: .file(path: "/1"))
    private let second = QueueItem(id: ItemID(2), source: .file(path: "/2"))
    private let description = MediaDescription(
        format: StreamFormat(sampleRate: 44_100, channelCount: 2), encoding: "test",
        duration: CMTime(value: 9, timescale: 1), isDurationExact: false)

    // MARK: Items

    @Test mutating func `An item that begins is published with its place and its description`() {
        var queue = PlaybackQueue()
        queue.append([QueueEntry(first.source), QueueEntry(second.source)])
        state.handleAll(.queue(queue), .opened(first, description), .opened(second, description))

        #expect(
            begin(second, at: 3) == [
                .publish(
                    .item(.began(known(second), description)),
                    [.position(seconds(3)), .rate(1), .item(second.id, place: 1)])
            ])
    }

    @Test mutating func `A passage without an item that was opened is not published`() {
        #expect(begin(first).isEmpty)
    }

    @Test mutating func `A jump within an item keeps it and starts a generation`() {
        play(first)

        #expect(
            left(first, at: 4)
                == [.publish(.time(isExact: true), [.position(seconds(4))])])
        #expect(
            begin(first, at: 7, isJump: true) == [
                .publish(.jump, [.position(seconds(7)), .rate(1), .jump]),
                .publish(.time(isExact: true)), .callPeriodicObservers(seconds(7)),
            ])
    }

    @Test mutating func `A skip publishes the item that it left before the next one`() {
        play(first)
        state.handleAll(.opened(second, description))
        _ = left(first, at: 4)

        #expect(
            begin(second, isJump: true) == [
                .publish(.item(.left(known(first), at: seconds(4)))),
                .publish(
                    .item(.began(known(second), description)),
                    [.position(.zero), .rate(1), .item(second.id, place: nil), .jump]),
                .publish(.time(isExact: true)), .callPeriodicObservers(.zero),
            ])
        #expect(state.handle(.clock(.finished)).isEmpty)
    }

    @Test mutating func `The end of the stream publishes an item that was left, once`() {
        play(first)
        _ = left(first, at: 4)

        #expect(
            state.handle(.clock(.finished))
                == [.publish(.item(.left(known(first), at: seconds(4))))])
        #expect(state.handle(.clock(.finished)).isEmpty)
        #expect(
            begin(first) == [
                .publish(
                    .item(.began(known(first), description)),
                    [.position(.zero), .rate(1), .item(first.id, place: nil)])
            ], "it begins again, since it was left for nothing")
    }

    @Test mutating func `An item that ends is published after its last time`() {
        play(first)

        #expect(
            state.handle(.clock(.observed(.ended(first.id, time: seconds(9))))) == [
                .publish(.time(isExact: true), [.position(seconds(9))]),
                .callPeriodicObservers(seconds(9)),
                .publish(.item(.ended(known(first), at: seconds(9)))),
            ])
        #expect(
            state.handle(.clock(.observed(.ended(second.id, time: seconds(9))))).count == 2,
            "of an item that is not heard only the time is published")
    }

    @Test mutating func `An exact length is published once, of the item that is heard`() {
        play(first)
        state.handleAll(.opened(second, description))
        var exact = description
        (exact.duration, exact.isDurationExact) = (seconds(8), true)

        #expect(
            state.handle(.measured(first.id, length: seconds(8)))
                == [.publish(.item(.measured(known(first, exact), exact)))])
        #expect(state.handle(.measured(first.id, length: seconds(8))).isEmpty)
        #expect(state.handle(.measured(second.id, length: seconds(8))).isEmpty)
        #expect(
            begin(second).first
                == .publish(
                    .item(.began(known(second, exact), exact)),
                    [.position(.zero), .rate(1), .item(second.id, place: nil)]))
    }

    // MARK: Silence

    @Test(arguments: [TimeControlStatus.paused(.userPaused), .waiting(.evaluatingBufferingRate)])
    mutating func `Silence that was requested has the requested status`(status: TimeControlStatus) {
        play(first)
        state.handleAll(.willHold(status))

        #expect(held(first, at: 2) == silence(at: 2, status))
        #expect(starved(first, at: 2) == silence(at: 2, status))
    }

    @Test mutating func `A reported time is not published again in silence`() {
        play(first)
        state.handleAll(.willHold(.paused(.userPaused)))
        let state = [Effect.publish(.state, [.status(.paused(.userPaused))])]

        #expect(held(first, at: 2, isReported: true) == state)
        #expect(held(nil, at: 0) == state)
    }

    @Test mutating func `A stream without bytes waits for them unless silence was requested`() {
        play(first)
        state.handleAll(.willHold(.paused(.userPaused)), .willRun)

        #expect(starved(first, at: 2) == silence(at: 2, .waiting(.toMinimizeStalls)))
    }

    @Test mutating func `A lost output waits for one unless silence was requested`() {
        play(first)
        let lost = HeardState.Input.output(.lost(error(.noSuchDevice), frame: 1, epoch: 1))

        state.handleAll(lost)
        #expect(held(first, at: 2) == silence(at: 2, .waiting(.noOutput)))

        state.handleAll(.willHold(.paused(.userPaused)), lost)
        #expect(held(first, at: 2) == silence(at: 2, .paused(.userPaused)))
    }

    @Test mutating func `A failed output waits for one`() {
        play(first)
        state.handleAll(.output(.failed(error(.noSuchDevice))))

        #expect(held(first, at: 2) == silence(at: 2, .waiting(.noOutput)))
    }

    @Test mutating func `Sound that starts is published as playing`() {
        #expect(
            state.handle(.clock(.running)) == [
                .publish(.state, [.status(.playing)]), .callPeriodicObservers(nil),
            ])
    }

    // MARK: The sound server and the network

    @Test mutating func `The loss of the sound server is published once until it is back`() {
        let lost = HeardState.Input.output(.lost(error(.serverLost), frame: 1, epoch: 1))
        let loss = [Effect.publish(.mediaServicesWereLost(reason: "gone"))]

        #expect(state.handle(.serverReset).isEmpty)
        #expect(state.handle(lost) == loss)
        #expect(state.handle(.serverLost("again")).isEmpty)
        #expect(state.handle(.output(.works)) == [.publish(.mediaServicesWereReset)])
        #expect(state.handle(.output(.works)).isEmpty)
        #expect(state.handle(lost) == loss)
        #expect(state.handle(.serverReset) == [.publish(.mediaServicesWereReset)])
        #expect(
            state.handle(.output(.lost(error(.noSuchDevice), frame: 1, epoch: 1))).isEmpty,
            "the loss of a device is not the loss of the server")
    }

    // MARK: Times

    @Test mutating func `A crossed time is published with the watch that was added for it`() {
        #expect(cross(.interval) == [.publishCrossing(.time(isExact: false), seconds(1))])
        #expect(cross(.boundaries) == [.publishCrossing(.boundary, seconds(1))])
        #expect(
            cross(.addedInterval(3))
                == [.publishCrossing(.time(isExact: false), seconds(1), watch: .addedInterval(3))])
        #expect(
            cross(.addedBoundaries(3))
                == [.publishCrossing(.boundary, seconds(1), watch: .addedBoundaries(3))])
        #expect(cross(.observer(3)) == [.callObserver(3, seconds(1))])
    }

    @Test mutating func `A stream's title is published when it is heard, and only then known`() {
        play(first)
        let watch = state.addTitle("Song", at: seconds(1))
        let none = state.addTitle("", at: seconds(2))
        #expect(watch != none)
        #expect(state.streamTitle(of: first.id) == nil)

        #expect(
            cross(watch.id)
                == [.publish(.metadata(title: "Song"), [.position(seconds(1))])])
        #expect(state.streamTitle(of: first.id) == "Song")
        #expect(state.streamTitle(of: second.id) == nil)
        #expect(cross(watch.id).isEmpty)

        _ = cross(none.id)
        #expect(state.streamTitle(of: first.id) == nil)
    }

    @Test mutating func `A stream's title survives a jump within it, and no other item`() {
        play(first)
        _ = cross(state.addTitle("Song", at: seconds(1)).id)
        _ = left(first, at: 2)
        _ = begin(first, at: 1, isJump: true)
        #expect(state.streamTitle(of: first.id) == "Song")

        play(second)
        #expect(state.streamTitle(of: second.id) == nil)
    }

    // MARK: Inputs

    private mutating func play(_ item: QueueItem) {
        state.handleAll(.opened(item, description), .willRun)
        _ = begin(item)
    }

    private mutating func begin(
        _ item: QueueItem, at second: Int64 = 0, isJump: Bool = false
    ) -> [Effect] {
        let segment = Timeline.Segment(
            passage: PassageID(1), item: item.id, start: 0, origin: seconds(second), isJump: isJump)
        return state.handle(.clock(.observed(.began(segment))))
    }

    private mutating func left(_ item: QueueItem, at second: Int64) -> [Effect] {
        state.handle(.clock(.observed(.left(item.id, time: seconds(second)))))
    }

    private mutating func held(
        _ item: QueueItem?, at second: Int64, isReported: Bool = false
    ) -> [Effect] {
        state.handle(
            .clock(.held(item: item?.id, time: seconds(second), isReported: isReported)))
    }

    private mutating func starved(_ item: QueueItem?, at second: Int64) -> [Effect] {
        state.handle(.clock(.starved(item: item?.id, time: seconds(second), isReported: false)))
    }

    private mutating func cross(_ watch: WatchID) -> [Effect] {
        state.handle(.clock(.observed(.crossed(watch: watch, first.id, time: seconds(1)))))
    }

    private func silence(at second: Int64, _ status: TimeControlStatus) -> [Effect] {
        [
            .publish(.time(isExact: true), [.position(seconds(second)), .status(status)]),
            .callPeriodicObservers(seconds(second)), .publish(.state, [.status(status)]),
        ]
    }

    /// The item with the facts of its file.
    private func known(_ item: QueueItem, _ facts: MediaDescription? = nil) -> QueueItem {
        var item = item
        item.facts = ItemFacts(facts ?? description)
        return item
    }

    private func seconds(_ count: Int64) -> CMTime { CMTime(value: count, timescale: 1) }

    private func error(_ code: OutputErrorCode) -> OutputError {
        OutputError(code, operation: "play", reason: "gone")
    }
}

extension HeardState {
    /// Handles inputs whose effects do not matter.
    fileprivate mutating func handleAll(_ inputs: Input...) {
        for input in inputs { _ = handle(input) }
    }
}
