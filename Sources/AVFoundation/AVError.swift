// swift-format-ignore-file: AlwaysUseLowerCamelCase

import AudioSession
public import Foundation
import Playback

/// The domain of `AVError`.
public let AVFoundationErrorDomain = "AVFoundationErrorDomain"

/// Why something cannot be played, with Apple's codes. `localizedDescription` names the operation
/// and the reason; `underlyingError` is the library's own error.
public struct AVError: CustomNSError, LocalizedError, Sendable {
    /// The reason, with Apple's raw values.
    public enum Code: Int, Sendable {
        /// Any other error.
        case unknown = -11800
        /// The media cannot be decoded to its end.
        case decodeFailed = -11821
        /// The file does not contain MPEG audio.
        case fileFormatNotRecognized = -11828
        /// The file is damaged.
        case fileFailedToParse = -11829
        /// There is no permission to read the file.
        case applicationIsNotAuthorized = -11836
        /// The sound server has gone: make a new player.
        case mediaServicesWereReset = -11819
        /// The operation is not supported for this item.
        case operationNotSupportedForAsset = -11838
        /// The server does not give what was asked for, or gives something else.
        case serverIncorrectlyConfigured = -11850
        /// There is no way to the network.
        case noLongerPlayable = -11867
        /// The file does not exist.
        case contentIsUnavailable = -11863
    }

    /// The code.
    public let code: Code
    /// The library's own error: the operation and the reason.
    public let underlyingError: any Error & Sendable

    init(_ code: Code, _ error: any Error & Sendable) {
        self.code = code
        underlyingError = error
    }

    init(_ error: MediaError) { self.init(Code(error.code), error) }

    /// Wraps a failure reported by a session: an item's, or else the sound server's.
    init(_ failure: SessionFailure) {
        let code = MediaError.Code(rawValue: failure.code).map { Code($0) }
        self.init(code ?? .mediaServicesWereReset, failure)
    }

    /// `AVFoundationErrorDomain`.
    public static var errorDomain: String { AVFoundationErrorDomain }
    /// The code's raw value.
    public var errorCode: Int { code.rawValue }
    /// The description and the underlying error.
    public var errorUserInfo: [String: Any] {
        [NSLocalizedDescriptionKey: "\(underlyingError)", NSUnderlyingErrorKey: underlyingError]
    }
    /// The operation and the reason.
    public var errorDescription: String? { "\(underlyingError)" }
}

extension AVError.Code {
    fileprivate init(_ code: MediaError.Code) {
        self =
            switch code {
            case .notFound, .notAFile, .noMedia, .otherFormats: .contentIsUnavailable
            case .notPermitted: .applicationIsNotAuthorized
            case .notMPEGAudio, .unsupportedFormat, .empty, .noFrames, .badPlaylist:
                .fileFormatNotRecognized
            case .decodeFailed: .decodeFailed
            case .notSeekable: .operationNotSupportedForAsset
            case .readFailed: .fileFailedToParse
            case .refusedByServer, .notSound: .serverIncorrectlyConfigured
            case .changedOnServer, .noNetwork: .noLongerPlayable
            }
    }
}
