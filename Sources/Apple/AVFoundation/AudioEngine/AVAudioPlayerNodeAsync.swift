/// The same for asynchronous callers, which wait for what the completion handlers report.
extension AVAudioPlayerNode {
    /// Schedules a whole file, and waits until it is consumed or the node was stopped.
    public func scheduleFile(_ file: AVAudioFile, at when: AVAudioTime?) async {
        await withCheckedContinuation { continuation in
            scheduleFile(file, at: when) { continuation.resume() }
        }
    }

    /// Schedules a whole file, and waits until that moment, or until the node was stopped.
    @discardableResult
    public func scheduleFile(
        _ file: AVAudioFile, at when: AVAudioTime?,
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType
    ) async -> AVAudioPlayerNodeCompletionCallbackType {
        await withCheckedContinuation { continuation in
            scheduleFile(file, at: when, completionCallbackType: callbackType) {
                continuation.resume(returning: $0)
            }
        }
    }

    /// Schedules frames of a file, and waits until they are consumed or the node was stopped.
    public func scheduleSegment(
        _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition,
        frameCount numberFrames: AVAudioFrameCount, at when: AVAudioTime?
    ) async {
        await withCheckedContinuation { continuation in
            scheduleSegment(
                file, startingFrame: startFrame, frameCount: numberFrames, at: when
            ) { continuation.resume() }
        }
    }

    /// Schedules frames of a file, and waits until that moment, or until the node was stopped.
    @discardableResult
    public func scheduleSegment(
        _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition,
        frameCount numberFrames: AVAudioFrameCount, at when: AVAudioTime?,
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType
    ) async -> AVAudioPlayerNodeCompletionCallbackType {
        await withCheckedContinuation { continuation in
            scheduleSegment(
                file, startingFrame: startFrame, frameCount: numberFrames, at: when,
                completionCallbackType: callbackType
            ) { continuation.resume(returning: $0) }
        }
    }

    /// Schedules a buffer, which is copied, and waits until it is consumed or the node was stopped.
    public func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime? = nil,
        options: AVAudioPlayerNodeBufferOptions = []
    ) async {
        await withCheckedContinuation { continuation in
            scheduleBuffer(buffer, at: when, options: options) { continuation.resume() }
        }
    }

    /// Schedules a buffer, which is copied, and waits until that moment, or until the node was
    /// stopped.
    @discardableResult
    public func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime? = nil,
        options: AVAudioPlayerNodeBufferOptions = [],
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType
    ) async -> AVAudioPlayerNodeCompletionCallbackType {
        await withCheckedContinuation { continuation in
            scheduleBuffer(
                buffer, at: when, options: options, completionCallbackType: callbackType
            ) { continuation.resume(returning: $0) }
        }
    }
}
