public import Dispatch
public import Foundation
import Synchronization
import UndersongAudioIO
import UndersongAudioSession
public import UndersongPlayback

/// The token that `removeTimeObserver` takes. Apple's tokens are `Any` too.
private struct PlayerTimeObserver {
    let token: TimeObserverToken
    let player: ObjectIdentifier
}

extension AVPlayer {
    /// The current item's time that is heard, or from which it will start; zero without an item. After
    /// a seek it is the time that was sought, and at the item's end the item's duration. It cannot
    /// be observed by key path: use a time observer.
    public func currentTime() -> CMTime {
        let (current, place, runOn, rate) = state.withLock {
            ($0.current, $0.place, $0.runOn, $0.rate)
        }
        guard let current else { return .zero }
        if let time = place.time { return time }
        if let runOn {
            let seconds = Double(session.clock.now - runOn.hostTime) / 1e9 * Double(rate)
            return runOn.time + CMTime(seconds: seconds, preferredTimescale: 1_000_000_000)
        }
        if let end = current.end { return end }
        guard let heard = session.player.heard, heard.item == current.id else {
            return current.item.state.withLock(\.start)
        }
        return current.item.withinDuration(place.exact(heard.time))
    }

    // MARK: Seeking

    /// Seeks to `time` and returns whether the seek finished.
    @discardableResult
    public func seek(
        to time: CMTime, toleranceBefore: CMTime = .positiveInfinity,
        toleranceAfter: CMTime = .positiveInfinity
    ) async -> Bool {
        checkTolerances(toleranceBefore, toleranceAfter)
        return await withCheckedContinuation { continuation in
            seek(to: time) { continuation.resume(returning: $0) }
        }
    }

    func seek(to time: CMTime, completion: (@Sendable (Bool) -> Void)?) {
        precondition(
            time.isValid && !time.isIndefinite, "cannot seek: the time is not a place in an item")
        let target = time.seekTarget
        let (current, older, number) = state.withLock {
            state -> (PlayerState.Entry?, PlayerState.PendingSeek?, Int) in
            let older = state.pendingSeek.take()
            guard let current = state.current else { return (nil, older, 0) }
            state.seekCount += 1
            state.place.go(to: target)
            state.runOn = nil
            state.pendingSeek = PlayerState.PendingSeek(
                number: state.seekCount, completion: completion)
            return (current, older, state.seekCount)
        }
        older?.completion?(false)
        guard let current else { return completion?(false) ?? () }
        post.seek(current.id, to: target) { [weak self] isFinished in
            self?.finishSeek(number, isFinished)
        }
    }

    private func finishSeek(_ number: Int, _ isFinished: Bool) {
        let pending = state.withLock { state -> PlayerState.PendingSeek? in
            guard state.pendingSeek?.number == number else { return nil }
            if !isFinished { state.place.forget() }
            return state.pendingSeek.take()
        }
        pending?.completion?(isFinished)
    }

    /// Calls the completion handlers of pending seeks with false.
    func cancelSeeks() {
        state.withLock { $0.pendingSeek.take() }?.completion?(false)
        post.cancelPendingSeeks()
    }

    func checkTolerances(_ before: CMTime, _ after: CMTime) {
        precondition(
            before.isValid && after.isValid && before >= .zero && after >= .zero,
            "cannot seek: a tolerance is not valid, or negative")
    }

    // MARK: Observing time

    /// Calls `block` on `queue`, a serial queue or nil for the main queue, each time the item's
    /// time crosses a multiple of `interval` on its own timeline, and whenever it jumps, starts or
    /// stops (behaviour 2.2). If the queue is too slow, calls are skipped.
    ///
    /// Keep the result and remove it in the end. Precondition: the interval is positive.
    @preconcurrency
    @discardableResult
    public func addPeriodicTimeObserver(
        forInterval interval: CMTime, queue: DispatchQueue?,
        using block: @escaping @Sendable (_ time: CMTime) -> Void
    ) -> Any {
        precondition(interval.isRational && interval > .zero, "an interval is positive")
        let token = observe(every: interval, on: queue, using: block)
        return PlayerTimeObserver(token: token, player: ObjectIdentifier(self))
    }

    /// Calls `block` on `queue`, a serial queue or nil for the main queue, each time playback
    /// crosses one of `times`, each an `NSValue` with a `CMTime`; not when a seek passes over it.
    @preconcurrency
    @discardableResult
    public func addBoundaryTimeObserver(
        forTimes times: [NSValue], queue: DispatchQueue?,
        using block: @escaping @Sendable () -> Void
    ) -> Any {
        let times = times.map(\.timeValue).sorted()
        precondition(times.allSatisfy(\.isRational), "boundary times are numbers")
        let token = post.addTimeObserver(.at(times), on: line(to: queue)) { _ in block() }
        return PlayerTimeObserver(token: token, player: ObjectIdentifier(self))
    }

    private func observe(
        every interval: CMTime, on queue: DispatchQueue?,
        using block: @escaping @Sendable (CMTime) -> Void
    ) -> TimeObserverToken {
        post.addTimeObserver(
            .every(interval), on: line(to: queue),
            where: { [weak self] in self?.isAfterSeek($0) ?? true }, using: block)
    }

    /// True if a time is not one of those that are heard before a seek that is under way. A seek
    /// beyond the item's end is heard as that end.
    private func isAfterSeek(_ time: CMTime) -> Bool {
        let item = state.withLock { $0.place.time == nil ? nil : $0.current?.item }
        guard let item else { return true }
        let (end, duration) = item.state.withLock { ($0.forwardEnd, $0.duration) }
        let last = end.isNumeric ? end : duration
        return last.isNumeric && item.withinDuration(time) >= last
    }

    /// Times reported on the main queue keep their order among its other events (behaviour 2.3).
    private func line(
        to queue: DispatchQueue?
    ) -> @Sendable (_ call: @escaping @Sendable () -> Void) -> Void {
        guard let queue, !MainQueue.isSame(as: queue) else { return { MainQueue.async($0) } }
        return { queue.async(execute: $0) }
    }

    /// Removes an observer: no call of it starts after this returns. Precondition: `observer` comes
    /// from this player and was not removed.
    public func removeTimeObserver(_ observer: Any) {
        guard let observer = observer as? PlayerTimeObserver,
            observer.player == ObjectIdentifier(self)
        else { preconditionFailure("the time observer is not one of this player's") }
        session.player.removeTimeObserver(observer.token)
    }

    /// The item's time at each multiple of `interval`, and whenever it jumps, starts or stops. A
    /// slow reader gets only the newest. An addition to Apple's API.
    public func times(every interval: CMTime) -> AsyncStream<CMTime> {
        let (stream, times) = AsyncStream.makeStream(
            of: CMTime.self, bufferingPolicy: .bufferingNewest(1))
        precondition(interval.isRational && interval > .zero, "an interval is positive")
        let player = session.player
        let token = observe(every: interval, on: DispatchQueue(label: "undersong.times")) {
            times.yield($0)
        }
        times.onTermination = { _ in player.removeTimeObserver(token) }
        return stream
    }
}

extension AVPlayerItem {
    /// The distance of a time from the duration that rounding to nanoseconds may cause.
    private static let rounding = CMTime(value: 2, timescale: 1_000_000_000)

    /// `time`, or the duration if it is beyond that or rounded down from it.
    func withinDuration(_ time: CMTime) -> CMTime {
        let duration = state.withLock(\.duration)
        return duration.isNumeric && time + Self.rounding >= duration ? duration : time
    }

    /// Seeks to `time` of this item, as the player's method does; an item that is not current yet
    /// will start there. False if it is in no player.
    @preconcurrency
    public func seek(
        to time: CMTime, completionHandler: (@Sendable (_ finished: Bool) -> Void)? = nil
    ) {
        precondition(
            time.isValid && !time.isIndefinite, "cannot seek: the time is not a place in an item")
        let completion = completionHandler.map { onMain($0) }
        let player = state.withLock(\.player)
        if let player, player.state.withLock({ $0.current?.item === self }) {
            return player.seek(to: time, completion: completion)
        }
        state.withLock { $0.start = time.seekTarget }
        applyRange()
        completion?(player != nil)
    }

    /// Seeks to `time` exactly; the tolerances are not used.
    @preconcurrency
    public func seek(
        to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime,
        completionHandler: (@Sendable (_ finished: Bool) -> Void)? = nil
    ) {
        seek(to: time, completionHandler: completionHandler)
    }

    /// Seeks to `time` and returns whether the seek finished.
    @discardableResult
    public func seek(to time: CMTime) async -> Bool {
        await withCheckedContinuation { continuation in
            seek(to: time) { continuation.resume(returning: $0) }
        }
    }

    /// Calls the completion handlers of pending seeks with false.
    public func cancelPendingSeeks() {
        guard let player = state.withLock(\.player),
            player.state.withLock({ $0.current?.item === self })
        else { return }
        player.cancelSeeks()
    }
}

/// Calls completion handlers on the main queue. Apple does so mostly, and documents nothing.
func onMain(
    _ handler: @escaping @Sendable (Bool) -> Void
) -> @Sendable (Bool) -> Void {
    { isFinished in MainQueue.async { handler(isFinished) } }
}

extension CMTime {
    /// The time as a seek target: an infinite time becomes one of the item's ends.
    fileprivate var seekTarget: CMTime {
        if isRational { return max(self, .zero) }
        return isPositiveInfinity ? CMTime(value: 1 << 40, timescale: 1) : .zero
    }
}
