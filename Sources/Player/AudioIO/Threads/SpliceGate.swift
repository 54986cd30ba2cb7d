import Synchronization

/// Lets the decode thread change the contents of the ring: it closes the gate, the output thread
/// stops in front of it, and continues when the gate opens. Meanwhile the device plays what it
/// holds.
final class SpliceGate: Sendable {
    /// A request of the decode thread.
    struct Closing: Sendable {
        fileprivate var number: Int
        /// The device must contain neither this frame nor any after it.
        var frame: Int
        /// True if what follows is from elsewhere, so that it need not follow without a gap.
        var isJump: Bool
    }

    /// Counts every closing and opening: odd while the gate is closed.
    private let number = Atomic<Int>(0)
    private let frame = Atomic<Int>(0)
    private let isJump = Atomic<Bool>(false)
    /// The closing in front of which the output has stopped, and where.
    private let answered = Atomic<Int>(0)
    private let position = Atomic<Int>(0)
    private let signals: PipelineSignals

    init(signals: PipelineSignals) { self.signals = signals }

    // MARK: The decode thread's side

    /// Stops the output, with nothing from `frame` on in the device unless that has been heard
    /// already. After a jump, the next frames may arrive a moment later than those that they
    /// replace. Returns the position at which the output stopped, or nil if `isStopped` holds
    /// first.
    func close(before frame: Int, isJump: Bool, unless isStopped: () -> Bool) -> Int? {
        self.frame.store(frame, ordering: .sequentiallyConsistent)
        self.isJump.store(isJump, ordering: .sequentiallyConsistent)
        let closing = number.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        signals.output.wake()
        func isAnswered() -> Bool { answered.load(ordering: .sequentiallyConsistent) == closing }
        signals.decode.wait { isAnswered() || isStopped() }
        return isAnswered() ? position.load(ordering: .sequentiallyConsistent) : nil
    }

    /// Lets the output continue.
    func reopen() {
        number.wrappingAdd(1, ordering: .sequentiallyConsistent)
        signals.output.wake()
    }

    // MARK: The output thread's side

    /// The change for which the decode thread waits; nil while the gate is open.
    var closing: Closing? {
        let number = number.load(ordering: .sequentiallyConsistent)
        guard !number.isMultiple(of: 2) else { return nil }
        return Closing(
            number: number, frame: frame.load(ordering: .sequentiallyConsistent),
            isJump: isJump.load(ordering: .sequentiallyConsistent))
    }

    /// True if the gate has opened again since `closing`.
    func hasReopened(since closing: Closing) -> Bool {
        number.load(ordering: .sequentiallyConsistent) != closing.number
    }

    /// Reports that the output has stopped at `position` in front of `closing`.
    func reportStop(at position: Int, before closing: Closing) {
        self.position.store(position, ordering: .sequentiallyConsistent)
        answered.store(closing.number, ordering: .sequentiallyConsistent)
        signals.decode.wake()
    }
}
