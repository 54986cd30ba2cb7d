import Synchronization
import UndersongAudioIO
import UndersongBackground
import UndersongBase
import UndersongPlayback

/// The shell around a `HeardState`, which publishes events on the thread that reports what is heard,
/// without involving the engine, so that no event overtakes another and a tick needs no thread
/// switch.
final class HeardReporter: Sendable {
    private let hub: EventHub
    private let observers: TimeObservers
    private let clock: any HostClock
    private let state = Mutex(HeardState())

    init(hub: EventHub, observers: TimeObservers, clock: any HostClock) {
        self.hub = hub
        self.observers = observers
        self.clock = clock
    }

    /// Handles an input of any thread. Its events are of `hostTime`, by default of now.
    func handle(_ input: HeardState.Input, at hostTime: Int64? = nil) {
        let effects = state.withLock { $0.handle(input) }
        for effect in effects { perform(effect, at: hostTime ?? clock.now) }
    }

    /// Handles a report of a stream's clock.
    func handle(_ event: ClockEvent, at hostTime: Int64) {
        if case .observed(.crossed(let watch, _, let time)) = event,
            let effect = HeardState.effect(ofCrossing: watch, at: time)
        {
            perform(effect, at: hostTime)
        } else {
            handle(.clock(event), at: hostTime)
        }
    }

    /// Handles a stream's new state.
    func handle(_ stream: any NetworkStream) {
        let state = NetworkItemState(stream, at: clock.now)
        handle(.network(state, url: FilePath(stream.url)))
    }

    /// Registers a title that begins at `time` of an item. Returns the watch that reports when it
    /// is heard.
    func addTitle(_ title: String, at time: CMTime) -> TimeWatch {
        state.withLock { $0.addTitle(title, at: time) }
    }

    /// The title that the station gives to what is heard of an item; nil if it gives none, or
    /// another item is heard.
    func streamTitle(of item: ItemID?) -> String? { state.withLock { $0.streamTitle(of: item) } }

    private func perform(_ effect: HeardState.Effect, at hostTime: Int64) {
        switch effect {
        case .publish(let kind, let changes):
            hub.publish(kind, at: hostTime) { for change in changes { change.apply(to: &$0) } }
        case .publishCrossing(let kind, let time, let watch):
            hub.publish(kind, at: hostTime, watch: watch) { $0.position = time }
        case .callObserver(let number, let time): observers.crossed(number, time)
        case .callPeriodicObservers(let time): observers.jumped(to: time)
        }
    }
}
