public import Foundation

/// The mix of the sound of an item's track: its volume over the item's time. Set it as
/// `AVPlayerItem.audioMix`, which copies it: later changes of it have no effect.
open class AVAudioMix: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    /// The parameters of each track. The others are at full volume.
    public fileprivate(set) var inputParameters: [AVAudioMixInputParameters] = []

    /// Makes a mix without parameters.
    public override required init() {}

    /// Makes an immutable copy.
    open func copy(with zone: NSZone? = nil) -> Any { duplicate(AVAudioMix.self) }

    /// Makes a mix that can be changed, with the same parameters.
    open func mutableCopy(with zone: NSZone? = nil) -> Any { duplicate(AVMutableAudioMix.self) }

    func duplicate<Mix: AVAudioMix>(_ type: Mix.Type) -> Mix {
        let mix = Mix()
        mix.inputParameters = inputParameters.map { $0.duplicate(AVAudioMixInputParameters.self) }
        return mix
    }
}

/// An audio mix that can be changed, by one thread at a time.
open class AVMutableAudioMix: AVAudioMix, @unchecked Sendable {
    /// The parameters of each track. The others are at full volume.
    public override var inputParameters: [AVAudioMixInputParameters] {
        get { super.inputParameters }
        set { super.inputParameters = newValue }
    }
}
