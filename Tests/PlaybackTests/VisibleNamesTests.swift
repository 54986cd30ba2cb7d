import Foundation
import Testing

/// The names visible to a source written for iOS that imports one of Apple's modules.
@Suite struct `A module under one of Apple's names` {
    /// Every name that `import AVFoundation` brings along besides Foundation's: Apple's and no other.
    /// The library on which they are built has to be imported by its own name.
    private static let names = Set(
        """
         AudioFormatID AVAsset AVAssetTrack AVAsynchronousKeyValueLoading AVAsyncProperty
         AVAudioChannelCount AVAudioCommonFormat AVAudioEngine AVAudioFile AVAudioFormat
         AVAudioFrameCount AVAudioFramePosition AVAudioMix AVAudioMixerNode AVAudioMixing
         AVAudioMixInputParameters AVAudioNode AVAudioNodeBus AVAudioNodeCompletionHandler
         AVAudioOutputNode AVAudioPCMBuffer AVAudioPlayer AVAudioPlayerNode
         AVAudioPlayerNodeBufferOptions AVAudioPlayerNodeCompletionCallbackType
         AVAudioPlayerNodeCompletionHandler AVAudioStereoMixing AVAudioTime AVAudioUnit
         AVAudioUnitTimeEffect AVAudioUnitTimePitch AVAudioUnitVarispeed
         AVAudioPlayerDelegate AVAudioSession AVAudioSessionInterruptionOptionKey
         AVAudioSessionInterruptionReasonKey AVAudioSessionInterruptionTypeKey
         AVAudioSessionInterruptionWasSuspendedKey AVAudioSessionPortDescription
         AVAudioSessionRouteChangePreviousRouteKey AVAudioSessionRouteChangeReasonKey
         AVAudioSessionRouteDescription AVAudioSessionSilenceSecondaryAudioHintTypeKey
         AVAudioTimePitchAlgorithm AVError AVFileType AVFormatIDKey AVFoundationErrorDomain
         AVKeyValueStatus AVMediaType AVMetadataExtraAttributeKey AVMetadataFormat AVMetadataGroup
         AVMetadataIdentifier AVMetadataItem AVMetadataKey AVMetadataKeySpace AVMutableAudioMix
         AVMutableAudioMixInputParameters AVNumberOfChannelsKey AVPartialAsyncProperty AVPlayer
         AVPlayerItem AVPlayerItemAccessLog AVPlayerItemAccessLogEvent AVPlayerItemErrorLog
         AVPlayerItemErrorLogEvent AVPlayerItemFailedToPlayToEndTimeErrorKey
         AVPlayerItemMetadataOutput AVPlayerItemMetadataOutputPushDelegate AVPlayerItemOutput
         AVPlayerItemOutputPushDelegate AVPlayerItemTrack AVPlayerLooper AVQueuePlayer
         AVSampleRateKey AVTimedMetadataGroup AVURLAsset
         AVURLAssetPreferPreciseDurationAndTimingKey CMPersistentTrackID CMTime
         CMTIME_COMPARE_INLINE CMTIME_HAS_BEEN_ROUNDED CMTIME_IS_INDEFINITE CMTIME_IS_INVALID
         CMTIME_IS_NEGATIVE_INFINITY CMTIME_IS_NUMERIC CMTIME_IS_POSITIVE_INFINITY CMTIME_IS_VALID
         CMTimeAbsoluteValue CMTimeAdd CMTimeClampToRange CMTimeCompare CMTimeConvertScale
         CMTimeCopyAsDictionary CMTimeCopyDescription CMTimeEpoch CMTimeFlags CMTimeFoldIntoRange
         CMTimeGetSeconds CMTimeMake CMTimeMakeFromDictionary CMTimeMakeWithEpoch
         CMTimeMakeWithSeconds CMTimeMapDurationFromRangeToRange CMTimeMapping CMTimeMappingMake
         CMTimeMappingMakeEmpty CMTimeMapTimeFromRangeToRange CMTimeMaximum CMTimeMinimum
         CMTimeMultiply CMTimeMultiplyByFloat64 CMTimeMultiplyByRatio CMTimeRange
         CMTIMERANGE_IS_EMPTY CMTIMERANGE_IS_INDEFINITE CMTIMERANGE_IS_INVALID
         CMTIMERANGE_IS_VALID CMTimeRangeContainsTime CMTimeRangeContainsTimeRange
         CMTimeRangeCopyAsDictionary CMTimeRangeCopyDescription CMTimeRangeEqual
         CMTimeRangeFromTimeToTime CMTimeRangeGetEnd CMTimeRangeGetIntersection
         CMTimeRangeGetUnion CMTimeRangeMake CMTimeRangeMakeFromDictionary CMTimeRoundingMethod
         CMTimeScale CMTimeSubtract CMTimeValue CMTimebase CMTimebaseGetRate
         CMTimebaseGetTime kAudioFormatFLAC kAudioFormatLinearPCM
         kAudioFormatMPEGLayer1 kAudioFormatMPEGLayer2 kAudioFormatMPEGLayer3 kAudioFormatOpus
         kCMTimeEpochKey kCMTimeFlagsKey kCMTimeIndefinite kCMTimeInvalid kCMTimeMappingInvalid
         kCMTimeMaxTimescale kCMTimeNegativeInfinity kCMTimePositiveInfinity
         kCMTimeRangeDurationKey kCMTimeRangeInvalid kCMTimeRangeStartKey kCMTimeRangeZero
         kCMTimeScaleKey kCMTimeValueKey kCMTimeZero MSEC_PER_SEC NSEC_PER_MSEC NSEC_PER_SEC
         NSEC_PER_USEC NSErrorPointer NSKeyValueChange NSKeyValueObservation
         NSKeyValueObservedChange NSKeyValueObservingOptions USEC_PER_SEC
        """.split(whereSeparator: \.isWhitespace).map(String.init))

    private static let sources = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/Apple")

    @Test(arguments: [
        ("AVFoundation", ["CoreMedia", "Foundation"]), ("CoreMedia", []),
        ("MediaPlayer", ["AVFoundation", "Foundation", "UIKit"]),
        ("UIKit", ["Foundation"]), ("BackgroundTasks", ["Foundation"]),
        ("BackgroundTransfer", ["Foundation"]), ("CoreLocation", ["Foundation"]),
        ("Combine", ["OpenCombine", "OpenCombineDispatch", "OpenCombineFoundation"]),
    ])
    func `A module named as Apple's brings along only other such modules`(
        module: String, others: [String]
    ) throws {
        #expect(try exports(of: module) == others)
        #expect(try exports(of: "Names/" + module) == [module])
    }

    @Test func `AVFAudio is AVFoundation`() throws {
        #expect(try exports(of: "Names/AVFAudio") == ["AVFoundation"])
    }

    @Test func `A module named as Apple's has Apple's names and no others`() throws {
        let declaration =
            #/(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open)\s+(?:final\s+|indirect\s+)*(?:class|struct|enum|protocol|typealias|func|let|var|actor)\s+(\w+).*/#

        let visible = try ["AVFoundation", "CoreMedia"].flatMap { try lines(of: $0) }
            .compactMap { $0.wholeMatch(of: declaration).map { String($0.1) } }

        #expect(Set(visible).subtracting(Self.names) == [])
        #expect(Self.names.subtracting(visible) == [])
    }

    /// The modules that `module` exports, by the names that other packages know.
    private func exports(of module: String) throws -> [String] {
        try lines(of: module).compactMap { line in
            line.wholeMatch(of: #/@_exported\s+(?:public\s+)?import\s+(?:Undersong)?(.+)/#)
                .map { String($0.1) }
        }.sorted()
    }

    private func lines(of module: String) throws -> [String] {
        let folder = Self.sources.appending(path: module)
        let paths = try FileManager.default.subpathsOfDirectory(
            atPath: folder.path(percentEncoded: false))
        return try paths.filter { $0.hasSuffix(".swift") }.flatMap { path in
            try String(contentsOf: folder.appending(path: path), encoding: .utf8)
                .split(separator: "\n").map(String.init)
        }
    }
}
