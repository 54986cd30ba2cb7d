public import Foundation
public import UndersongPlayback

/// The volume of a track over its time.
open class AVAudioMixInputParameters: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    /// The track, which in every asset is 1; 0, none, applies to no track.
    public fileprivate(set) var trackID: CMPersistentTrackID = 0
    fileprivate(set) var volume = VolumeEnvelope()

    /// Makes parameters that change nothing.
    public override required init() {}

    /// Reports the ramp that is under way at `time`, or the constant volume there. Returns false
    /// before the first one, where the volume is 1.
    open func getVolumeRamp(
        for time: CMTime, startVolume: UnsafeMutablePointer<Float>?,
        endVolume: UnsafeMutablePointer<Float>?, timeRange: UnsafeMutablePointer<CMTimeRange>?
    ) -> Bool {
        guard let index = volume.ramps.lastIndex(where: { $0.start <= time }) else { return false }
        let ramp = volume.ramps[index]
        let isUnderWay = time < ramp.end
        let next = volume.ramps[(index + 1)...].first?.start ?? .positiveInfinity
        unsafe startVolume?.pointee = isUnderWay ? ramp.origin : ramp.target
        unsafe endVolume?.pointee = ramp.target
        unsafe timeRange?.pointee =
            isUnderWay
            ? CMTimeRange(start: ramp.start, end: ramp.end)
            : CMTimeRange(start: ramp.end, end: next)
        return true
    }

    /// Makes an immutable copy.
    open func copy(with zone: NSZone? = nil) -> Any { duplicate(AVAudioMixInputParameters.self) }

    /// Makes parameters that can be changed, with the same ramps.
    open func mutableCopy(with zone: NSZone? = nil) -> Any {
        duplicate(AVMutableAudioMixInputParameters.self)
    }

    func duplicate<Parameters: AVAudioMixInputParameters>(_ type: Parameters.Type) -> Parameters {
        let copy = Parameters()
        copy.trackID = trackID
        copy.volume = volume
        return copy
    }
}

/// The volume of a track over its time, which can be set, by one thread at a time.
open class AVMutableAudioMixInputParameters: AVAudioMixInputParameters, @unchecked Sendable {
    /// Makes parameters for `track`; for nil, set `trackID`.
    public convenience init(track: AVAssetTrack?) {
        self.init()
        if let track { trackID = track.trackID }
    }

    /// The track, which in every asset is 1; 0, none, applies to no track.
    public override var trackID: CMPersistentTrackID {
        get { super.trackID }
        set { super.trackID = newValue }
    }

    /// Sets the volume from `time` on, 0 to 1.
    open func setVolume(_ volume: Float, at time: CMTime) {
        setVolumeRamp(
            fromStartVolume: volume, toEndVolume: volume,
            timeRange: CMTimeRange(start: time, duration: .zero))
    }

    /// Changes the volume, 0 to 1, during `timeRange`; it stays at the end volume afterwards.
    open func setVolumeRamp(
        fromStartVolume startVolume: Float, toEndVolume endVolume: Float, timeRange: CMTimeRange
    ) {
        precondition(timeRange.isValid && timeRange.start.isNumeric, "a ramp needs a time range")
        volume.add(
            VolumeEnvelope.Ramp(
                start: timeRange.start, end: timeRange.end, origin: min(max(startVolume, 0), 1),
                target: min(max(endVolume, 0), 1)))
    }
}
