import AVFoundation
import Combine
import Dispatch
import Synchronization
import Testing

extension Players {
    @Suite struct `A publisher of a player's property` {
        @Test func `publishes the present value first, and each that is set`() {
            let player = AVQueuePlayer.silent([Sound.item()])
            var volumes: [Float] = []

            let subscription = player.publisher(for: \.volume).sink { volumes.append($0) }
            player.volume = 0.5
            player.volume = 0.25

            #expect(volumes == [1, 0.5, 0.25])
            subscription.cancel()
            player.volume = 1
            #expect(volumes == [1, 0.5, 0.25])
        }

        @Test func `publishes only what is set if the present value is not wanted`() {
            let player = AVQueuePlayer.silent()
            var volumes: [Float] = []

            let subscription = player.publisher(for: \.volume, options: .new)
                .sink { volumes.append($0) }
            #expect(volumes.isEmpty)
            player.volume = 0.5

            #expect(volumes == [0.5])
            withExtendedLifetime(subscription) {}
        }

        @Test func `gives a subscriber that demands one the newest value when it demands again`() {
            let player = AVQueuePlayer.silent()
            let slow = OneByOne()
            player.publisher(for: \.volume).subscribe(slow)
            player.volume = 0.75
            player.volume = 0.5
            player.volume = 0.25

            #expect(slow.values == [1])
            slow.subscription?.request(.max(1))
            #expect(slow.values == [1, 0.25])
            slow.subscription?.request(.max(1))
            #expect(slow.values == [1, 0.25])
            player.volume = 1
            #expect(slow.values == [1, 0.25, 1])
            slow.subscription?.cancel()
        }

        @Test func `sends a value that a subscriber sets after the one it was called with`() {
            let player = AVQueuePlayer.silent()
            var volumes: [Float] = []
            let subscription = player.publisher(for: \.volume).sink { volume in
                if volume == 0.5 { player.volume = 0.25 }
                volumes.append(volume)
            }

            player.volume = 0.5

            #expect(volumes == [1, 0.5, 0.25])
            withExtendedLifetime(subscription) {}
        }

        @Test func `follows a queue to its end on the main queue`() async {
            let player = AVQueuePlayer.silent([Sound.item(0), Sound.item(1)])
            let first = player.currentItem
            let log = Log()
            let subscriptions = [
                player.publisher(for: \.currentItem)
                    .receive(on: DispatchQueue.main)
                    .sink { item in
                        log.note(item == nil ? "none" : item === first ? "first" : "second")
                    },
                player.publisher(for: \.timeControlStatus)
                    .removeDuplicates()
                    .sink { if $0 == .playing { log.note("playing") } },
                NotificationCenter.default.publisher(for: .AVPlayerItemDidPlayToEndTime)
                    .compactMap { $0.object as? AVPlayerItem }
                    .sink { log.note($0 === first ? "first ended" : "second ended") },
            ]

            player.play()
            await log.wait(for: "none")

            let items = log.all.filter { ["first", "second", "none"].contains($0) }
            #expect(items == ["first", "second", "none"])
            #expect(log.all.filter { $0.hasSuffix("ended") } == ["first ended", "second ended"])
            #expect(log.all.contains("playing"))
            withExtendedLifetime(subscriptions) {}
        }
    }
}

/// Demands one value, and further ones by hand.
private final class OneByOne: Subscriber {
    private(set) var values: [Float] = []
    private(set) var subscription: (any Subscription)?

    func receive(subscription: any Subscription) {
        self.subscription = subscription
        subscription.request(.max(1))
    }

    func receive(_ value: Float) -> Subscribers.Demand {
        values.append(value)
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {}
}

@Suite struct `The newest values of publishers` {
    private let first = PassthroughSubject<Int, Wrong>()
    private let second = PassthroughSubject<String, Wrong>()

    private struct Wrong: Error {}

    /// What a subscriber receives, as text.
    private final class Received {
        var all: [String] = []
        var subscription: AnyCancellable?

        init<P: Publisher>(_ publisher: P) {
            subscription = publisher.sink(
                receiveCompletion: { [unowned self] completion in
                    if case .failure = completion {
                        all.append("failed")
                    } else {
                        all.append("over")
                    }
                },
                receiveValue: { [unowned self] in all.append("\($0)") })
        }
    }

    @Test func `come together from the time at which both have one`() {
        let received = Received(first.combineLatest(second))

        first.send(1)
        first.send(2)
        second.send("a")
        second.send("b")
        first.send(3)

        #expect(received.all == ["(2, \"a\")", "(2, \"b\")", "(3, \"b\")"])
    }

    @Test func `finish when both have finished`() {
        let received = Received(first.combineLatest(second))

        first.send(1)
        first.send(completion: .finished)
        second.send("a")
        second.send(completion: .finished)

        #expect(received.all == ["(1, \"a\")", "over"])
    }

    @Test func `finish when one finishes without a value, and fail when one fails`() {
        let finished = Received(first.combineLatest(Empty<Int, Wrong>()))
        let failed = Received(first.combineLatest(second))

        first.send(1)
        second.send(completion: .failure(Wrong()))
        first.send(2)

        #expect(finished.all == ["over"])
        #expect(failed.all == ["failed"])
    }

    @Test func `come no more after the subscription is cancelled`() {
        let received = Received(first.combineLatest(second) { "\($0)\($1)" })
        first.send(1)
        second.send("a")

        received.subscription?.cancel()
        first.send(2)

        #expect(received.all == ["1a"])
    }

    @Test func `of three and four come in their order`() {
        let third = CurrentValueSubject<Bool, Wrong>(true)
        let three = Received(first.combineLatest(second, third))
        let four = Received(first.combineLatest(second, third, third))

        first.send(1)
        second.send("a")
        third.send(false)

        #expect(three.all == ["(1, \"a\", true)", "(1, \"a\", false)"])
        #expect(four.all.first == "(1, \"a\", true, true)")
        #expect(four.all.last == "(1, \"a\", false, false)")
    }

    @Test func `come as they are where publishers are merged`() {
        let other = PassthroughSubject<Int, Wrong>()
        let received = Received(first.merge(with: other))

        first.send(1)
        other.send(2)
        first.send(3)
        first.send(completion: .finished)
        other.send(completion: .finished)

        #expect(received.all == ["1", "2", "3", "over"])
    }
}
