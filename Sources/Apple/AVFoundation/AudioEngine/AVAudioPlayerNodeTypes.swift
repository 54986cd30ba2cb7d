/// Is called when something that was scheduled has been consumed, or the node was stopped.
public typealias AVAudioNodeCompletionHandler = @Sendable () -> Void
/// Is called at the moment that was asked for, or when the node was stopped.
public typealias AVAudioPlayerNodeCompletionHandler =
    @Sendable (AVAudioPlayerNodeCompletionCallbackType) -> Void

/// The time at which a completion handler is called.
public enum AVAudioPlayerNodeCompletionCallbackType: Int, Sendable {
    /// A tenth of a second before its end is heard, so that what is scheduled then can follow without a gap.
    case dataConsumed = 0
    /// The time at which it was heard to its end.
    case dataRendered = 1
    /// The time at which it was heard to its end.
    case dataPlayedBack = 2
}

/// The options with which a buffer is scheduled.
public struct AVAudioPlayerNodeBufferOptions: OptionSet, Sendable {
    /// Apple's value.
    public let rawValue: UInt

    /// Makes options of any value.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The buffer is repeated without a gap until it is interrupted or the node is stopped.
    public static let loops = AVAudioPlayerNodeBufferOptions(rawValue: 1)
    /// Ends what is playing at once, and discards what was scheduled.
    public static let interrupts = AVAudioPlayerNodeBufferOptions(rawValue: 2)
    /// The buffer that is being repeated ends with this repetition, and what was scheduled after it
    /// is discarded.
    public static let interruptsAtLoop = AVAudioPlayerNodeBufferOptions(rawValue: 4)
}

/// A caller to be notified of the progress of something that was scheduled.
struct NodeCallback: Sendable {
    let type: AVAudioPlayerNodeCompletionCallbackType
    let call: @Sendable (AVAudioPlayerNodeCompletionCallbackType) -> Void

    /// Nil without a handler.
    init?(_ handler: AVAudioNodeCompletionHandler?) {
        guard let handler else { return nil }
        type = .dataConsumed
        call = { _ in handler() }
    }

    /// Nil without a handler.
    init?(
        _ type: AVAudioPlayerNodeCompletionCallbackType,
        _ handler: AVAudioPlayerNodeCompletionHandler?
    ) {
        guard let handler else { return nil }
        self.type = type
        call = handler
    }
}
