import Synchronization

/// Carries what the sound path reports to the engine, in order. A command that comes between a
/// report and the engine's next turn takes the report in first: it is meant for the player as its
/// events have shown it.
final class FactInbox<Fact: Sendable>: Sendable {
    private let facts = Mutex<[Fact]>([])
    private let signal: AsyncStream<Void>.Continuation
    /// Tells that there is something to take; ends with `close`.
    let signals: AsyncStream<Void>

    init() { (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Puts a fact in; the engine is woken when `telling` it to others is done, so that what follows
    /// from it is told after it.
    func put(_ fact: Fact, telling: () -> Void = {}) {
        facts.withLock { $0.append(fact) }
        telling()
        signal.yield()
    }

    /// Takes out what is there.
    func take() -> [Fact] {
        facts.withLock { facts in
            defer { facts.removeAll(keepingCapacity: true) }
            return facts
        }
    }

    /// Ends the signals.
    func close() { signal.finish() }
}
