public import Foundation

/// Receives the end of an `AVAudioPlayer`'s sound and its errors, on the main queue. All methods
/// are optional.
public protocol AVAudioPlayerDelegate: NSObjectProtocol {
    /// The sound, with all of its loops, was heard to its end; `flag` is false if it could not be
    /// decoded completely. Not called after `pause()` and `stop()`.
    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool)

    /// The sound cannot be decoded, or not completely: `error` is an `AVError`.
    func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?)
}

extension AVAudioPlayerDelegate {
    /// Does nothing.
    public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {}

    /// Does nothing.
    public func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {}
}
