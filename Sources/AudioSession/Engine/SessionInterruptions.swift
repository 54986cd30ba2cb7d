import Background
import Playback

/// Interruptions: they nest, only the outermost is told, and the user's wish outlives them
/// (behaviour 3.1, T51-T57).
extension PlayerEngine {
    /// Another sound, a command or the machine's sleep forbids sound. The place stays at what was
    /// heard.
    func beginInterruption(_ source: InterruptionSource) {
        catchUp()
        interruptions.append(source)
        guard interruptions.count == 1 else { return }
        publish(.interruption(InterruptionEvent(hasBegun: true, source: source)))
        setInterrupted(true)
    }

    /// It is over. With the last one sound runs again if it may and is wanted; if it may not, it is
    /// wanted no longer (T52). False: none with that source has begun.
    @discardableResult
    func endInterruption(_ source: InterruptionSource, shouldResume: Bool) -> Bool {
        catchUp()
        guard let index = interruptions.firstIndex(of: source) else { return false }
        interruptions.remove(at: index)
        guard interruptions.isEmpty else { return true }
        publish(
            .interruption(
                InterruptionEvent(hasBegun: false, source: source, shouldResume: shouldResume)))
        if !shouldResume, wantsPlayback { feed(.command(.pause(.interruptionEnded))) }
        setInterrupted(false)
        return true
    }

    /// The sound server is gone, and with it what it told of: that begins anew with the next one.
    func forgetServerInterruptions() {
        for source in interruptions {
            switch source {
            case .call, .session: endInterruption(source, shouldResume: true)
            case .command, .sleep: break
            }
        }
    }

    /// Whoever wants to play takes the sound back from other sessions, not from a call.
    func overrideInterruptions() {
        guard !interruptions.isEmpty, interruptions.allSatisfy(\.isOverridable) else { return }
        for source in interruptions { endInterruption(source, shouldResume: true) }
    }
}
