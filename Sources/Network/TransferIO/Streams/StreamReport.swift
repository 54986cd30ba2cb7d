package import UndersongBase
package import UndersongTransfers

/// A stream, as its player needs to know it.
package struct StreamReport: Hashable, Sendable {
    /// A text that a station sent within its sound.
    package struct Title: Hashable, Sendable {
        /// The first byte of the sound that it belongs to.
        package var offset: Int64
        package var text: String
    }

    package var phase = StreamPlan.Phase.idle
    /// The bytes that are in the file.
    package var available = ByteRanges()
    /// The length of the whole file; nil if unknown.
    package var total: Int64?
    package var validator: Validator?
    package var isLive = false
    /// Whether the server gives parts of the file; nil if unknown.
    package var hasRanges: Bool?
    /// The media type, in lower case.
    package var type: String?
    /// A station's name, and its bit rate in bits per second.
    package var name: String?
    package var bitrate: Int?
    /// The last title.
    package var title: Title?
    /// Why the last attempt failed, for machines; nil while none has.
    package var trouble: StreamFailure.Code?
    /// The seconds until the next attempt, while it waits for one.
    package var retry: Double?

    init(_ plan: StreamPlan, title: Title?, now: Double) {
        phase = plan.phase
        available = plan.available
        total = plan.total
        validator = plan.validator
        isLive = plan.isLive
        hasRanges = plan.hasRanges
        type = plan.head?.contentType
        name = plan.head?["icy-name"]
        bitrate = plan.head?["icy-br"].flatMap { Int($0.prefix { $0.isNumber }) }.map { $0 * 1000 }
        self.title = title
        trouble = plan.trouble
        if let due = plan.nextDue { retry = max(0, due - now) }
    }
}
