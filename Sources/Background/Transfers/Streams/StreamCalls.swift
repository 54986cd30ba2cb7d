package import UndersongBase

/// Requests the contents of a URL, byte by byte as they arrive, in the order that a player needs.
/// With the request comes the descriptor of a file, open for reading and writing, into which each
/// byte is written at its own offset. The stream ends with the connection. `StreamChanged` reports
/// the bytes that are there.
package struct OpenStream: ControlCall, Hashable {
    /// The new stream.
    package struct Reply: Codable, Hashable, Sendable {
        /// Identifies it; never reused.
        package var id: Int

        package init(id: Int) { self.id = id }
    }

    package static let method = "stream.open"
    /// A URL of HTTP or HTTPS.
    package var url: String
    /// The content that the file has from an earlier stream of the same URL; nil for none.
    package var available: ByteRanges?
    /// The total that the earlier stream reported.
    package var total: Int64?
    /// The version that the earlier stream reported.
    package var version: Validator?
    /// True if the earlier stream was live.
    package var live: Bool?
    /// True to accept a playlist or another text, which otherwise fails.
    package var text: Bool?

    package init(url: String) { self.url = url }
}

/// Sets the bytes that a stream's file is to have. Until the first of these calls, nothing is
/// requested.
package struct WantStream: ControlCall, Hashable {
    package typealias Reply = Nothing
    package static let method = "stream.want"
    /// The stream.
    package var id: Int
    /// The byte that is read next.
    package var from: Int64
    /// The byte up to which to read ahead.
    package var until: Int64

    package init(id: Int, from: Int64, until: Int64) {
        self.id = id
        self.from = from
        self.until = until
    }
}

/// Ends a stream.
package struct CloseStream: ControlCall, Hashable {
    package typealias Reply = Nothing
    package static let method = "stream.close"
    /// The stream.
    package var id: Int

    package init(id: Int) { self.id = id }
}

/// A stream has changed: at once whenever it begins or ceases to receive; and while bytes come, every
/// 50 ms if fewer than 512 KiB are there from the byte on that is read next, else every second.
package struct StreamChanged: ControlNotice, Hashable {
    package static let method = "stream.changed"
    /// The stream.
    package var id: Int
    package var report: StreamReport

    package init(id: Int, _ report: StreamReport) {
        self.id = id
        self.report = report
    }
}
