import AVFoundation
import Combine
import Dispatch
import Synchronization
import Testing

extension Players {
    @Suite struct `A publisher of a player's property` {
        @Test func `A publisher publishes the present value first, and each that is set`() {
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

        @Test func `A publisher publishes only what is set if the present value is not wanted`() {
            let player = AVQueuePlayer.silent()
            var volumes: [Float] = []

            let subscription = player.publisher(for: \.volume, options: .new)
                .sink { volumes.append($0) }
            #expect(volumes.isEmpty)
            player.volume = 0.5

            #expect(volumes == [0.5])
            withExtendedLifetime(subscription) {}
        }

        @Test
        func `A publisher gives a subscriber that demands one value the newest at the next demand`()
        {
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

        @Test
        func `A publisher sends a value that a subscriber sets after the one it was called with`() {
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

        @Test func `A publisher follows a queue to its end on the main queue`() async {
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

private struct Wrong: Error {}

/// The values that a subscriber receives, as text.
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

@Suite struct `The newest values of publishers` {
    private let first = PassthroughSubject<Int, Wrong>()
    private let second = PassthroughSubject<String, Wrong>()

    @Test func `Combined publishers publish from the time at which both have a value`() {
        let received = Received(first.combineLatest(second))

        first.send(1)
        first.send(2)
        second.send("a")
        second.send("b")
        first.send(3)

        #expect(received.all == ["(2, \"a\")", "(2, \"b\")", "(3, \"b\")"])
    }

    @Test func `Combined publishers finish when both have finished`() {
        let received = Received(first.combineLatest(second))

        first.send(1)
        first.send(completion: .finished)
        second.send("a")
        second.send(completion: .finished)

        #expect(received.all == ["(1, \"a\")", "over"])
    }

    @Test func `Combined publishers finish when one has no value, and fail when one fails`() {
        let finished = Received(first.combineLatest(Empty<Int, Wrong>()))
        let failed = Received(first.combineLatest(second))

        first.send(1)
        second.send(completion: .failure(Wrong()))
        first.send(2)

        #expect(finished.all == ["over"])
        #expect(failed.all == ["failed"])
    }

    @Test func `Combined publishers publish nothing after the subscription is cancelled`() {
        let received = Received(first.combineLatest(second) { "\($0)\($1)" })
        first.send(1)
        second.send("a")

        received.subscription?.cancel()
        first.send(2)

        #expect(received.all == ["1a"])
    }

    @Test func `Three and four combined publishers give their values in order`() {
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
}

@Suite struct `Merged publishers` {
    private let first = PassthroughSubject<Int, Wrong>()
    private let second = PassthroughSubject<Int, Wrong>()
    private let third = PassthroughSubject<Int, Wrong>()

    @Test func `Merged publishers publish the values of two as they come, and finish after both`() {
        let method = Received(first.merge(with: second))
        let publisher = Received(Publishers.Merge(first, second))

        first.send(1)
        second.send(2)
        first.send(3)
        first.send(completion: .finished)
        second.send(completion: .finished)

        for received in [method, publisher] { #expect(received.all == ["1", "2", "3", "over"]) }
    }

    @Test func `Merged publishers publish the values of three and four`() {
        let three = Received(first.merge(with: second, third))
        let zero = Just(0).setFailureType(to: Wrong.self)
        let four = Received(Publishers.Merge4(first, second, third, zero))

        third.send(3)
        second.send(2)

        #expect(three.all == ["3", "2"])
        #expect(four.all == ["0", "3", "2"])
    }

    @Test func `Merged publishers publish the values of any number, and fail when one fails`() {
        let received = Received(Publishers.MergeMany([first, second]).merge(with: third))
        let none = Received(Publishers.MergeMany([PassthroughSubject<Int, Wrong>]()))

        third.send(3)
        first.send(1)
        second.send(completion: .failure(Wrong()))
        third.send(4)

        #expect(received.all == ["3", "1", "failed"])
        #expect(none.all == ["over"])
    }
}

@Suite struct `Values collected by time` {
    /// A scheduler whose time a test lets pass.
    private final class Clock: Scheduler {
        typealias SchedulerTimeType = DispatchQueue.SchedulerTimeType
        typealias SchedulerOptions = Never

        private final class Timer: Cancellable {
            var due: SchedulerTimeType
            let interval: SchedulerTimeType.Stride
            let action: () -> Void
            var isCancelled = false

            init(
                _ due: SchedulerTimeType, _ interval: SchedulerTimeType.Stride,
                _ action: @escaping () -> Void
            ) {
                (self.due, self.interval, self.action) = (due, interval, action)
            }

            func cancel() { isCancelled = true }
        }

        var now = SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1))
        var minimumTolerance: SchedulerTimeType.Stride { .zero }
        private var timers: [Timer] = []

        var hasTimer: Bool { timers.contains { !$0.isCancelled } }

        func pass(_ time: SchedulerTimeType.Stride) {
            now = now.advanced(by: time)
            for timer in timers {
                while !timer.isCancelled, timer.due <= now {
                    timer.due = timer.due.advanced(by: timer.interval)
                    timer.action()
                }
            }
        }

        func schedule(options: Never?, _ action: @escaping () -> Void) { action() }

        func schedule(
            after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?,
            _ action: @escaping () -> Void
        ) {}

        func schedule(
            after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
            tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void
        ) -> any Cancellable {
            let timer = Timer(date, interval, action)
            timers.append(timer)
            return timer
        }
    }

    private let clock = Clock()
    private let numbers = PassthroughSubject<Int, Wrong>()

    @Test
    func `Values collected by time come at the end of each interval that has any, and at the end`()
    {
        let received = Received(numbers.collect(.byTime(clock, .seconds(4))))

        numbers.send(1)
        clock.pass(.seconds(3))
        numbers.send(2)
        #expect(received.all == [])
        clock.pass(.seconds(1))
        clock.pass(.seconds(8))
        numbers.send(3)
        numbers.send(completion: .finished)

        #expect(received.all == ["[1, 2]", "[3]", "over"])
        #expect(!clock.hasTimer)
    }

    @Test func `Values collected by time come as soon as there are enough`() {
        let received = Received(numbers.collect(.byTimeOrCount(clock, .seconds(4), 2)))

        for number in 1...3 { numbers.send(number) }
        #expect(received.all == ["[1, 2]"])
        clock.pass(.seconds(4))

        #expect(received.all == ["[1, 2]", "[3]"])
    }

    @Test func `Values collected by time are dropped by a failure and by cancelling`() {
        let failed = Received(numbers.collect(.byTime(clock, .seconds(4))))
        let cancelled = Received(numbers.collect(.byTime(clock, .seconds(4))))

        numbers.send(1)
        cancelled.subscription?.cancel()
        numbers.send(completion: .failure(Wrong()))
        clock.pass(.seconds(4))

        #expect(failed.all == ["failed"])
        #expect(cancelled.all == [])
        #expect(!clock.hasTimer)
    }
}
