// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import UndersongAudioSession
import UndersongPlayback

/// The domain of `AVError`.
public let AVFoundationErrorDomain = "AVFoundationErrorDomain"

/// The reason why something cannot be played, with Apple's codes. `localizedDescription` names the
/// operation and the reason; `underlyingError` is the library's own error.
public struct AVError: CustomNSError, LocalizedError, Sendable {
    /// The code.
    public let code: Code
    /// The library's own error: the operation and the reason; nil for an error that the application
    /// has made.
    public let underlyingError: (any Error & Sendable)?
    private let information: UserInfo

    /// Makes an error. Its `localizedDescription` is what `userInfo` has under
    /// `NSLocalizedDescriptionKey`, or else Foundation's words for the code.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        underlyingError = nil
        information = UserInfo(values: userInfo)
    }

    init(_ code: Code, _ error: any Error & Sendable) {
        self.code = code
        underlyingError = error
        information = UserInfo(values: [
            NSLocalizedDescriptionKey: "\(error)", NSUnderlyingErrorKey: error,
        ])
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
    /// The user info given to the error: of the library's own, the description and the underlying
    /// error.
    public var errorUserInfo: [String: Any] { information.values }
    /// The same.
    public var userInfo: [String: Any] { information.values }
    /// The operation and the reason.
    public var errorDescription: String? {
        information.values[NSLocalizedDescriptionKey] as? String
    }

    // Sendable: the dictionary is passed on and read, never changed. The values that an application
    // puts into it must allow that, as on Apple's systems.
    private struct UserInfo: @unchecked Sendable {
        let values: [String: Any]
    }
}

/// The errors of assets and of what plays them: a `URLError` if there is no such file, or if its
/// server cannot be reached, and otherwise an `AVError`.
enum AssetError {
    static func make(_ error: MediaError) -> any Error {
        urlError(error.code, error) ?? AVError(error)
    }

    static func make(_ failure: SessionFailure) -> any Error {
        urlError(MediaError.Code(rawValue: failure.code), failure) ?? AVError(failure)
    }

    private static func urlError(
        _ code: MediaError.Code?, _ error: any Error & Sendable
    ) -> (any Error)? {
        let number: Int? =
            switch code {
            case .notFound: NSURLErrorFileDoesNotExist
            case .unknownHost: NSURLErrorCannotFindHost
            case .cannotConnect: NSURLErrorCannotConnectToHost
            case .noNetwork: NSURLErrorNotConnectedToInternet
            default: nil
            }
        guard let number else { return nil }
        return URLError(
            _nsError: NSError(
                domain: NSURLErrorDomain, code: number,
                userInfo: [NSLocalizedDescriptionKey: "\(error)", NSUnderlyingErrorKey: error]))
    }
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
            case .unknownHost, .cannotConnect: .contentIsUnavailable
            case .changedOnServer, .noNetwork: .noLongerPlayable
            }
    }
}
