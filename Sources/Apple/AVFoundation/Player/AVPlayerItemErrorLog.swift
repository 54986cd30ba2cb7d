public import Foundation
import UndersongBase

/// The errors of an item.
public final class AVPlayerItemErrorLog: NSObject, NSCopying, Sendable {
    /// The entries, oldest first.
    public let events: [AVPlayerItemErrorLogEvent]

    init(_ events: [AVPlayerItemErrorLogEvent]) { self.events = events }

    /// The encoding of `extendedLogData`.
    public var extendedLogDataStringEncoding: UInt { String.Encoding.utf8.rawValue }

    /// The entries in the W3C Extended Log File Format.
    public func extendedLogData() -> Data? {
        let lines = events.map { event in
            let date = event.date?.ISO8601Format() ?? "-"
            let comment = event.errorComment?.replacing(" ", with: "+") ?? "-"
            return
                "\(date) \(event.uri ?? "-") \(event.errorStatusCode) \(event.errorDomain) \(comment)"
        }
        let head = ["#Version: 1.0", "#Fields: date uri status domain comment"]
        return Data((head + lines).joined(separator: "\n").utf8)
    }

    /// The log itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}

/// One entry of an item's error log.
public final class AVPlayerItemErrorLogEvent: NSObject, Sendable {
    /// The time of the error.
    public let date: Date?
    /// The item's URL.
    public let uri: String?
    /// The error's code in its domain.
    public let errorStatusCode: Int
    /// `AVFoundationErrorDomain`, or `NSURLErrorDomain`.
    public let errorDomain: String
    /// The operation and the reason.
    public let errorComment: String?

    init(_ error: any Error, uri: URL) {
        let error = error as NSError
        date = Date()
        self.uri = uri.absoluteString
        errorStatusCode = error.code
        errorDomain = error.domain
        errorComment = error.localizedDescription
    }
}
