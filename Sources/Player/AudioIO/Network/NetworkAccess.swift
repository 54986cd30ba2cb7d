package import UndersongPlayback

/// A thread's way to the network: the source of streams, and the wait for their bytes.
package struct NetworkAccess: Sendable {
    let streams: any NetworkStreams
    /// The waiter of the thread.
    let waiter: PipelineSignals.Waiter
    /// True if the bytes are not wanted any more.
    let isInterrupted: @Sendable () -> Bool
    /// Called when the thread begins to wait for bytes, and when it ends.
    let setWaiting: @Sendable (Bool) -> Void
    /// True if a playlist or another text is wanted rather than sound.
    let isForText: Bool

    init(
        _ streams: any NetworkStreams, waiter: PipelineSignals.Waiter,
        isInterrupted: @escaping @Sendable () -> Bool,
        setWaiting: @escaping @Sendable (Bool) -> Void, isForText: Bool = false
    ) {
        self.streams = streams
        self.waiter = waiter
        self.isInterrupted = isInterrupted
        self.setWaiting = setWaiting
        self.isForText = isForText
    }

    /// Access for a thread that waits indefinitely, unless `isInterrupted` returns true.
    package init(
        _ streams: any NetworkStreams, isInterrupted: @escaping @Sendable () -> Bool = { false }
    ) {
        self.init(
            streams, waiter: PipelineSignals.Waiter(), isInterrupted: isInterrupted,
            setWaiting: { _ in })
    }
}
