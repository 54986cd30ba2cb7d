// swift-format-ignore-file: AlwaysUseLowerCamelCase

import AudioSession
public import Foundation
import Playback

/// The domain of `AVError`.
public let AVFoundationErrorDomain = "AVFoundationErrorDomain"

/// Why something cannot be played, with Apple's codes. `localizedDescription` says what was tried and
/// why it failed; `underlyingError` is the library's own.
public struct AVError: CustomNSError, LocalizedError, Sendable {
    /// The reason, with Apple's raw values.
    public enum Code: Int, Sendable {
        /// Something else.
        case unknown = -11800
        /// It cannot be decoded on the way.
        case decodeFailed = -11821
        /// The file holds something else than MPEG audio.
        case fileFormatNotRecognized = -11828
        /// The file is damaged.
        case fileFailedToParse = -11829
        /// It may not be read.
        case applicationIsNotAuthorized = -11836
        /// The sound server is gone: make a new player.
        case mediaServicesWereReset = -11819
        /// The operation cannot be done with this item.
        case operationNotSupportedForAsset = -11838
        /// There is no such file.
        case contentIsUnavailable = -11863
    }

    /// The reason.
    public let code: Code
    /// What the library says: what was tried, and why it failed.
    public let underlyingError: any Error & Sendable

    init(_ code: Code, _ error: any Error & Sendable) {
        self.code = code
        underlyingError = error
    }

    init(_ error: MediaError) { self.init(Code(error.code), error) }

    /// A failure that a session has told of: an item's, or else the sound server's.
    init(_ failure: SessionFailure) {
        let code = MediaError.Code(rawValue: failure.code).map { Code($0) }
        self.init(code ?? .mediaServicesWereReset, failure)
    }

    /// `AVFoundationErrorDomain`.
    public static var errorDomain: String { AVFoundationErrorDomain }
    /// The code's raw value.
    public var errorCode: Int { code.rawValue }
    /// The description and the library's own error.
    public var errorUserInfo: [String: Any] {
        [NSLocalizedDescriptionKey: "\(underlyingError)", NSUnderlyingErrorKey: underlyingError]
    }
    /// What was tried, and why it failed.
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
            }
    }
}
