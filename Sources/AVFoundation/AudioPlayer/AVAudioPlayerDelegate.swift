public import Foundation

/// Is told what becomes of an `AVAudioPlayer`'s sound, on the main queue. All methods are optional.
public protocol AVAudioPlayerDelegate: NSObjectProtocol {
    /// The sound was heard to its end, with all of its loops; `flag` is false when it could not be
    /// decoded to its end. Not called by `pause()` and `stop()`.
    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool)

    /// The sound cannot be decoded, or not to its end: `error` is an `AVError`.
    func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?)
}

extension AVAudioPlayerDelegate {
    /// Does nothing.
    public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {}

    /// Does nothing.
    public func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {}
}
