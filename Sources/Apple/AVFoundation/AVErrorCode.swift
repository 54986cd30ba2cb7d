// swift-format-ignore-file: AlwaysUseLowerCamelCase

extension AVError {
    /// The reason, with Apple's raw values. The library itself reports those that can occur when
    /// sound is played.
    public enum Code: Int, Sendable {
        /// Any other error.
        case unknown = -11800
        /// Memory is short.
        case outOfMemory = -11801
        /// A recording needs a session that runs.
        case sessionNotRunning = -11803
        /// Another session uses the device.
        case deviceAlreadyUsedByAnotherSession = -11804
        /// Nothing was recorded.
        case noDataCaptured = -11805
        /// The session was changed.
        case sessionConfigurationChanged = -11806
        /// The disk is full.
        case diskFull = -11807
        /// The device was disconnected.
        case deviceWasDisconnected = -11808
        /// The medium was changed.
        case mediaChanged = -11809
        /// The longest duration is reached.
        case maximumDurationReached = -11810
        /// The largest size is reached.
        case maximumFileSizeReached = -11811
        /// The media have a gap.
        case mediaDiscontinuity = -11812
        /// The format takes no more samples.
        case maximumNumberOfSamplesForFileFormatReached = -11813
        /// The device is not connected.
        case deviceNotConnected = -11814
        /// Another application uses the device.
        case deviceInUseByAnotherApplication = -11815
        /// Another process changes the device.
        case deviceLockedForConfigurationByAnotherProcess = -11817
        /// The session was interrupted.
        case sessionWasInterrupted = -11818
        /// The sound server has gone: make a new player.
        case mediaServicesWereReset = -11819
        /// The export failed.
        case exportFailed = -11820
        /// The media cannot be decoded to its end.
        case decodeFailed = -11821
        /// The source's media are damaged.
        case invalidSourceMedia = -11822
        /// There is a file of that name.
        case fileAlreadyExists = -11823
        /// A composition has a gap.
        case compositionTrackSegmentsNotContiguous = -11824
        /// A segment's duration is not possible.
        case invalidCompositionTrackSegmentDuration = -11825
        /// A segment's start is not possible.
        case invalidCompositionTrackSegmentSourceStartTime = -11826
        /// A segment's length is not possible.
        case invalidCompositionTrackSegmentSourceDuration = -11827
        /// The file is not of a format that is played.
        case fileFormatNotRecognized = -11828
        /// The file is damaged.
        case fileFailedToParse = -11829
        /// Too many pictures are requested.
        case maximumStillImageCaptureRequestsExceeded = -11830
        /// The content is protected.
        case contentIsProtected = -11831
        /// There is no picture at that time.
        case noImageAtTime = -11832
        /// There is no decoder for the media.
        case decoderNotFound = -11833
        /// There is no encoder for the media.
        case encoderNotFound = -11834
        /// The user may not play the content.
        case contentIsNotAuthorized = -11835
        /// There is no permission to read the file.
        case applicationIsNotAuthorized = -11836
        /// The device cannot be used in the background.
        case deviceIsNotAvailableInBackground = -11837
        /// The operation is not supported for this item.
        case operationNotSupportedForAsset = -11838
        /// The decoder is in use.
        case decoderTemporarilyUnavailable = -11839
        /// The encoder is in use.
        case encoderTemporarilyUnavailable = -11840
        /// A composition is not possible.
        case invalidVideoComposition = -11841
        /// A reference to another file is not allowed.
        case referenceForbiddenByReferencePolicy = -11842
        /// The extension does not suit the format.
        case invalidOutputURLPathExtension = -11843
        /// The screen cannot be recorded.
        case screenCaptureFailed = -11844
        /// The display is off.
        case displayWasDisabled = -11845
        /// The torch cannot be that bright.
        case torchLevelUnavailable = -11846
        /// The operation was interrupted.
        case operationInterrupted = -11847
        /// The asset cannot be played on this machine.
        case incompatibleAsset = -11848
        /// The media cannot be read.
        case failedToLoadMediaData = -11849
        /// The server does not give what was asked for, or gives something else.
        case serverIncorrectlyConfigured = -11850
        /// There is no permission to use the device.
        case applicationIsNotAuthorizedToUseDevice = -11852
        /// The media are damaged.
        case failedToParse = -11853
        /// The format does not refer to samples elsewhere.
        case fileTypeDoesNotSupportSampleReferences = -11854
        /// The media cannot be decoded.
        case undecodableMediaData = -11855
        /// AirPlay needs a network here.
        case airPlayControllerRequiresInternet = -11856
        /// AirPlay needs a network there.
        case airPlayReceiverRequiresInternet = -11857
        /// A video compositor failed.
        case videoCompositorFailed = -11858
        /// A recording is under way.
        case recordingAlreadyInProgress = -11859
        /// A key cannot be requested.
        case createContentKeyRequestFailed = -11860
        /// The settings of an output are not supported.
        case unsupportedOutputSettings = -11861
        /// The operation is not allowed.
        case operationNotAllowed = -11862
        /// The file does not exist.
        case contentIsUnavailable = -11863
        /// The format is not supported.
        case formatUnsupported = -11864
        /// Depth data are damaged.
        case malformedDepth = -11865
        /// The content was not updated.
        case contentNotUpdated = -11866
        /// There is no way to the network.
        case noLongerPlayable = -11867
        /// Nothing suits the external display.
        case noCompatibleAlternatesForExternalDisplay = -11868
        /// There is no track to read.
        case noSourceTrack = -11869
        /// The asset cannot be played elsewhere.
        case externalPlaybackNotSupportedForAsset = -11870
        /// The preset does not support the operation.
        case operationNotSupportedForPreset = -11871
        /// The session is too much for the hardware.
        case sessionHardwareCostOverage = -11872
        /// The device's format is not supported.
        case unsupportedDeviceActiveFormat = -11873
        /// An object is not set up correctly.
        case incorrectlyConfigured = -11875
        /// A segment begins with a sample that needs another.
        case segmentStartedWithNonSyncSample = -11876
        /// A translator is missing.
        case rosettaNotInstalled = -11877
        /// The operation was cancelled.
        case operationCancelled = -11878
        /// The request of a key was cancelled.
        case contentKeyRequestCancelled = -11879
        /// A cursor cannot be used.
        case invalidSampleCursor = -11880
        /// Samples cannot be read.
        case failedToLoadSampleData = -11881
        /// The AirPlay receiver is in use.
        case airPlayReceiverTemporarilyUnavailable = -11882
        /// The media cannot be encoded.
        case encodeFailed = -11883
        /// The sandbox does not allow it.
        case sandboxExtensionDenied = -11884
        /// Tones cannot be mapped.
        case toneMappingFailed = -11885
        /// An extension is disabled.
        case mediaExtensionDisabled = -11886
        /// Two extensions are in each other's way.
        case mediaExtensionConflict = -11887
        /// No framing is enabled.
        case noSmartFramingsEnabled = -11890
        /// The white balance is not locked.
        case autoWhiteBalanceNotLocked = -11891
        /// An external device did not answer in time.
        case followExternalSyncDeviceTimedOut = -11892

        /// Lets `catch AVError.decodeFailed` compare the code of an error.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? AVError)?.code == code
        }
    }
}

// The codes as members of the error, as in `AVError.decodeFailed`.
extension AVError {
    /// Any other error.
    public static var unknown: Code { .unknown }
    /// Memory is short.
    public static var outOfMemory: Code { .outOfMemory }
    /// A recording needs a session that runs.
    public static var sessionNotRunning: Code { .sessionNotRunning }
    /// Another session uses the device.
    public static var deviceAlreadyUsedByAnotherSession: Code { .deviceAlreadyUsedByAnotherSession }
    /// Nothing was recorded.
    public static var noDataCaptured: Code { .noDataCaptured }
    /// The session was changed.
    public static var sessionConfigurationChanged: Code { .sessionConfigurationChanged }
    /// The disk is full.
    public static var diskFull: Code { .diskFull }
    /// The device was disconnected.
    public static var deviceWasDisconnected: Code { .deviceWasDisconnected }
    /// The medium was changed.
    public static var mediaChanged: Code { .mediaChanged }
    /// The longest duration is reached.
    public static var maximumDurationReached: Code { .maximumDurationReached }
    /// The largest size is reached.
    public static var maximumFileSizeReached: Code { .maximumFileSizeReached }
    /// The media have a gap.
    public static var mediaDiscontinuity: Code { .mediaDiscontinuity }
    /// The format takes no more samples.
    public static var maximumNumberOfSamplesForFileFormatReached: Code {
        .maximumNumberOfSamplesForFileFormatReached
    }
    /// The device is not connected.
    public static var deviceNotConnected: Code { .deviceNotConnected }
    /// Another application uses the device.
    public static var deviceInUseByAnotherApplication: Code { .deviceInUseByAnotherApplication }
    /// Another process changes the device.
    public static var deviceLockedForConfigurationByAnotherProcess: Code {
        .deviceLockedForConfigurationByAnotherProcess
    }
    /// The session was interrupted.
    public static var sessionWasInterrupted: Code { .sessionWasInterrupted }
    /// The sound server has gone: make a new player.
    public static var mediaServicesWereReset: Code { .mediaServicesWereReset }
    /// The export failed.
    public static var exportFailed: Code { .exportFailed }
    /// The media cannot be decoded to its end.
    public static var decodeFailed: Code { .decodeFailed }
    /// The source's media are damaged.
    public static var invalidSourceMedia: Code { .invalidSourceMedia }
    /// There is a file of that name.
    public static var fileAlreadyExists: Code { .fileAlreadyExists }
    /// A composition has a gap.
    public static var compositionTrackSegmentsNotContiguous: Code {
        .compositionTrackSegmentsNotContiguous
    }
    /// A segment's duration is not possible.
    public static var invalidCompositionTrackSegmentDuration: Code {
        .invalidCompositionTrackSegmentDuration
    }
    /// A segment's start is not possible.
    public static var invalidCompositionTrackSegmentSourceStartTime: Code {
        .invalidCompositionTrackSegmentSourceStartTime
    }
    /// A segment's length is not possible.
    public static var invalidCompositionTrackSegmentSourceDuration: Code {
        .invalidCompositionTrackSegmentSourceDuration
    }
    /// The file is not of a format that is played.
    public static var fileFormatNotRecognized: Code { .fileFormatNotRecognized }
    /// The file is damaged.
    public static var fileFailedToParse: Code { .fileFailedToParse }
    /// Too many pictures are requested.
    public static var maximumStillImageCaptureRequestsExceeded: Code {
        .maximumStillImageCaptureRequestsExceeded
    }
    /// The content is protected.
    public static var contentIsProtected: Code { .contentIsProtected }
    /// There is no picture at that time.
    public static var noImageAtTime: Code { .noImageAtTime }
    /// There is no decoder for the media.
    public static var decoderNotFound: Code { .decoderNotFound }
    /// There is no encoder for the media.
    public static var encoderNotFound: Code { .encoderNotFound }
    /// The user may not play the content.
    public static var contentIsNotAuthorized: Code { .contentIsNotAuthorized }
    /// There is no permission to read the file.
    public static var applicationIsNotAuthorized: Code { .applicationIsNotAuthorized }
    /// The device cannot be used in the background.
    public static var deviceIsNotAvailableInBackground: Code { .deviceIsNotAvailableInBackground }
    /// The operation is not supported for this item.
    public static var operationNotSupportedForAsset: Code { .operationNotSupportedForAsset }
    /// The decoder is in use.
    public static var decoderTemporarilyUnavailable: Code { .decoderTemporarilyUnavailable }
    /// The encoder is in use.
    public static var encoderTemporarilyUnavailable: Code { .encoderTemporarilyUnavailable }
    /// A composition is not possible.
    public static var invalidVideoComposition: Code { .invalidVideoComposition }
    /// A reference to another file is not allowed.
    public static var referenceForbiddenByReferencePolicy: Code {
        .referenceForbiddenByReferencePolicy
    }
    /// The extension does not suit the format.
    public static var invalidOutputURLPathExtension: Code { .invalidOutputURLPathExtension }
    /// The screen cannot be recorded.
    public static var screenCaptureFailed: Code { .screenCaptureFailed }
    /// The display is off.
    public static var displayWasDisabled: Code { .displayWasDisabled }
    /// The torch cannot be that bright.
    public static var torchLevelUnavailable: Code { .torchLevelUnavailable }
    /// The operation was interrupted.
    public static var operationInterrupted: Code { .operationInterrupted }
    /// The asset cannot be played on this machine.
    public static var incompatibleAsset: Code { .incompatibleAsset }
    /// The media cannot be read.
    public static var failedToLoadMediaData: Code { .failedToLoadMediaData }
    /// The server does not give what was asked for, or gives something else.
    public static var serverIncorrectlyConfigured: Code { .serverIncorrectlyConfigured }
    /// There is no permission to use the device.
    public static var applicationIsNotAuthorizedToUseDevice: Code {
        .applicationIsNotAuthorizedToUseDevice
    }
    /// The media are damaged.
    public static var failedToParse: Code { .failedToParse }
    /// The format does not refer to samples elsewhere.
    public static var fileTypeDoesNotSupportSampleReferences: Code {
        .fileTypeDoesNotSupportSampleReferences
    }
    /// The media cannot be decoded.
    public static var undecodableMediaData: Code { .undecodableMediaData }
    /// AirPlay needs a network here.
    public static var airPlayControllerRequiresInternet: Code { .airPlayControllerRequiresInternet }
    /// AirPlay needs a network there.
    public static var airPlayReceiverRequiresInternet: Code { .airPlayReceiverRequiresInternet }
    /// A video compositor failed.
    public static var videoCompositorFailed: Code { .videoCompositorFailed }
    /// A recording is under way.
    public static var recordingAlreadyInProgress: Code { .recordingAlreadyInProgress }
    /// A key cannot be requested.
    public static var createContentKeyRequestFailed: Code { .createContentKeyRequestFailed }
    /// The settings of an output are not supported.
    public static var unsupportedOutputSettings: Code { .unsupportedOutputSettings }
    /// The operation is not allowed.
    public static var operationNotAllowed: Code { .operationNotAllowed }
    /// The file does not exist.
    public static var contentIsUnavailable: Code { .contentIsUnavailable }
    /// The format is not supported.
    public static var formatUnsupported: Code { .formatUnsupported }
    /// Depth data are damaged.
    public static var malformedDepth: Code { .malformedDepth }
    /// The content was not updated.
    public static var contentNotUpdated: Code { .contentNotUpdated }
    /// There is no way to the network.
    public static var noLongerPlayable: Code { .noLongerPlayable }
    /// Nothing suits the external display.
    public static var noCompatibleAlternatesForExternalDisplay: Code {
        .noCompatibleAlternatesForExternalDisplay
    }
    /// There is no track to read.
    public static var noSourceTrack: Code { .noSourceTrack }
    /// The asset cannot be played elsewhere.
    public static var externalPlaybackNotSupportedForAsset: Code {
        .externalPlaybackNotSupportedForAsset
    }
    /// The preset does not support the operation.
    public static var operationNotSupportedForPreset: Code { .operationNotSupportedForPreset }
    /// The session is too much for the hardware.
    public static var sessionHardwareCostOverage: Code { .sessionHardwareCostOverage }
    /// The device's format is not supported.
    public static var unsupportedDeviceActiveFormat: Code { .unsupportedDeviceActiveFormat }
    /// An object is not set up correctly.
    public static var incorrectlyConfigured: Code { .incorrectlyConfigured }
    /// A segment begins with a sample that needs another.
    public static var segmentStartedWithNonSyncSample: Code { .segmentStartedWithNonSyncSample }
    /// A translator is missing.
    public static var rosettaNotInstalled: Code { .rosettaNotInstalled }
    /// The operation was cancelled.
    public static var operationCancelled: Code { .operationCancelled }
    /// The request of a key was cancelled.
    public static var contentKeyRequestCancelled: Code { .contentKeyRequestCancelled }
    /// A cursor cannot be used.
    public static var invalidSampleCursor: Code { .invalidSampleCursor }
    /// Samples cannot be read.
    public static var failedToLoadSampleData: Code { .failedToLoadSampleData }
    /// The AirPlay receiver is in use.
    public static var airPlayReceiverTemporarilyUnavailable: Code {
        .airPlayReceiverTemporarilyUnavailable
    }
    /// The media cannot be encoded.
    public static var encodeFailed: Code { .encodeFailed }
    /// The sandbox does not allow it.
    public static var sandboxExtensionDenied: Code { .sandboxExtensionDenied }
    /// Tones cannot be mapped.
    public static var toneMappingFailed: Code { .toneMappingFailed }
    /// An extension is disabled.
    public static var mediaExtensionDisabled: Code { .mediaExtensionDisabled }
    /// Two extensions are in each other's way.
    public static var mediaExtensionConflict: Code { .mediaExtensionConflict }
    /// No framing is enabled.
    public static var noSmartFramingsEnabled: Code { .noSmartFramingsEnabled }
    /// The white balance is not locked.
    public static var autoWhiteBalanceNotLocked: Code { .autoWhiteBalanceNotLocked }
    /// An external device did not answer in time.
    public static var followExternalSyncDeviceTimedOut: Code { .followExternalSyncDeviceTimedOut }
}
