public import Foundation

/// What went wrong with an item, in the order of time.
public final class AVPlayerItemErrorLog: NSObject, NSCopying, Sendable {
    /// The entries, the oldest first.
    public let events: [AVPlayerItemErrorLogEvent]

    init(_ events: [AVPlayerItemErrorLogEvent]) { self.events = events }

    /// How `extendedLogData` is coded.
    public var extendedLogDataStringEncoding: UInt { String.Encoding.utf8.rawValue }

    /// The entries as W3C's Extended Log File Format has them.
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

    /// The log itself: it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}

/// One entry of an item's error log.
public final class AVPlayerItemErrorLogEvent: NSObject, Sendable {
    /// When it happened.
    public let date: Date?
    /// The item's URL.
    public let uri: String?
    /// The error's code in its domain.
    public let errorStatusCode: Int
    /// `AVFoundationErrorDomain`.
    public let errorDomain: String
    /// What was tried, and why it failed.
    public let errorComment: String?

    init(_ error: AVError, uri: URL) {
        date = Date()
        self.uri = uri.absoluteString
        errorStatusCode = error.errorCode
        errorDomain = AVError.errorDomain
        errorComment = error.errorDescription
    }
}

/// What was read over a network: of files nothing is told.
public final class AVPlayerItemAccessLog: NSObject, Sendable {
    override private init() {}
}
