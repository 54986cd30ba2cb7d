public import Dispatch
public import Foundation
import UndersongPlayback

/// Receives something of an item while it plays.
open class AVPlayerItemOutput: NSObject, @unchecked Sendable {}

/// The delegate of any output.
public protocol AVPlayerItemOutputPushDelegate: AnyObject {
    /// The time has jumped: what was output before does not continue.
    func outputSequenceWasFlushed(_ output: AVPlayerItemOutput)
}

extension AVPlayerItemOutputPushDelegate {
    /// Does nothing.
    public func outputSequenceWasFlushed(_ output: AVPlayerItemOutput) {}
}

/// Receives an item's metadata while it plays.
public protocol AVPlayerItemMetadataOutputPushDelegate: AVPlayerItemOutputPushDelegate {
    /// Metadata have become due. Called on the delegate's queue.
    func metadataOutput(
        _ output: AVPlayerItemMetadataOutput,
        didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup], from track: AVPlayerItemTrack?
    )
}

extension AVPlayerItemMetadataOutputPushDelegate {
    /// Does nothing.
    public func metadataOutput(
        _ output: AVPlayerItemMetadataOutput,
        didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup], from track: AVPlayerItemTrack?
    ) {}
}

/// Hands on the titles that a live stream sends, when they are heard. Files have none.
public final class AVPlayerItemMetadataOutput: AVPlayerItemOutput, @unchecked Sendable {
    private struct Receiver {
        weak var delegate: (any AVPlayerItemMetadataOutputPushDelegate)?
        var queue: DispatchQueue?
        var interval: TimeInterval = 0
    }

    private let identifiers: Set<String>?
    // A delegate need not be Sendable, which a Mutex would require.
    private let lock = NSLock()
    private var receiver = Receiver()

    /// Makes an output of the metadata with these identifiers, such as `icy/StreamTitle`; of all for
    /// nil.
    public init(identifiers: [String]? = nil) { self.identifiers = identifiers.map(Set.init) }

    /// The delegate, which is not retained.
    public var delegate: (any AVPlayerItemMetadataOutputPushDelegate)? {
        lock.withLock { receiver.delegate }
    }

    /// The queue on which the delegate is called.
    public var delegateQueue: DispatchQueue? { lock.withLock { receiver.queue } }

    /// Stored for ported code: what a live stream sends is not known in advance.
    public var advanceIntervalForDelegateInvocation: TimeInterval {
        get { lock.withLock { receiver.interval } }
        set { lock.withLock { receiver.interval = newValue } }
    }

    /// Sets the delegate, which is not retained, and the serial queue on which it is called; nil for
    /// the main queue.
    public func setDelegate(
        _ delegate: (any AVPlayerItemMetadataOutputPushDelegate)?,
        queue delegateQueue: DispatchQueue?
    ) {
        lock.withLock { (receiver.delegate, receiver.queue) = (delegate, delegateQueue) }
    }

    /// Passes on what is wanted of a group. On the main queue.
    func send(_ group: AVTimedMetadataGroup, from track: AVPlayerItemTrack?) {
        let items = group.items.filter { item in
            guard let identifiers else { return true }
            return item.identifier.map { identifiers.contains($0.rawValue) } ?? false
        }
        guard !items.isEmpty else { return }
        let group = AVTimedMetadataGroup(items: items, timeRange: group.timeRange)
        call { [self] in $0.metadataOutput(self, didOutputTimedMetadataGroups: [group], from: track)
        }
    }

    /// Reports a jump. On the main queue.
    func flush() { call { [self] in $0.outputSequenceWasFlushed(self) } }

    private func call(
        _ body: @escaping @Sendable (any AVPlayerItemMetadataOutputPushDelegate) -> Void
    ) {
        let queue = delegateQueue
        let deliver = { @Sendable [self] in
            if let delegate { body(delegate) }
        }
        guard let queue, !MainQueue.isSame(as: queue) else { return MainQueue.async(deliver) }
        queue.async(execute: deliver)
    }
}

// The outputs of an item.
extension AVPlayerItem {
    /// The item's outputs.
    public var outputs: [AVPlayerItemOutput] { state.withLock(\.outputs) }

    /// Adds an output, from which the item retains it.
    public func add(_ output: AVPlayerItemOutput) {
        state.withLock { state in
            if !state.outputs.contains(where: { $0 === output }) { state.outputs.append(output) }
        }
    }

    /// Removes an output.
    public func remove(_ output: AVPlayerItemOutput) {
        state.withLock { state in state.outputs.removeAll { $0 === output } }
    }

    /// The outputs of metadata.
    var metadataOutputs: [AVPlayerItemMetadataOutput] {
        outputs.compactMap { $0 as? AVPlayerItemMetadataOutput }
    }
}
