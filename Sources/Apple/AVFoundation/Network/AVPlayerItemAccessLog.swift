public import Foundation
import UndersongBase
import UndersongPlayback

/// The network access of an item. It exists for what is on the network only, once that has been
/// played.
public final class AVPlayerItemAccessLog: NSObject, NSCopying, Sendable {
    /// The entries, oldest first: one each time the item was put into a player and played.
    public let events: [AVPlayerItemAccessLogEvent]

    init(_ events: [AVPlayerItemAccessLogEvent]) { self.events = events }

    /// The encoding of `extendedLogData`.
    public var extendedLogDataStringEncoding: UInt { String.Encoding.utf8.rawValue }

    /// The entries in the W3C Extended Log File Format.
    public func extendedLogData() -> Data? {
        let lines = events.map { event in
            let date = event.playbackStartDate?.ISO8601Format() ?? "-"
            return "\(date) \(event.uri ?? "-") \(event.numberOfBytesTransferred)"
                + " \(event.numberOfStalls) \(event.startupTime)"
        }
        let head = ["#Version: 1.0", "#Fields: date uri bytes stalls startup-time"]
        return Data((head + lines).joined(separator: "\n").utf8)
    }

    /// The log itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}

/// One entry of an item's access log, as it was when the log was asked for. As on Apple's systems a
/// number below 0 means that it is not known.
public final class AVPlayerItemAccessLogEvent: NSObject, Sendable {
    private let record: AccessRecord

    init(_ record: AccessRecord) { self.record = record }

    /// The item's URL.
    public var uri: String? { record.uri }
    /// `FILE`, or `LIVE` for a live stream.
    public var playbackType: String? { record.isLive ? "LIVE" : "FILE" }
    /// The time at which sound began.
    public var playbackStartDate: Date? { record.date }
    /// The item's time at which it began, in seconds.
    public var playbackStartOffset: TimeInterval { record.offset }
    /// Seconds from the item's being put into the player until it was ready.
    public var startupTime: TimeInterval { record.startupTime }
    /// The number of times that sound stopped for want of bytes.
    public var numberOfStalls: Int { record.stalls }
    /// The number of bytes that have been received, of this item for any player of the program.
    public var numberOfBytesTransferred: Int64 { record.bytes }
    /// The bit rate that the server states, in bits per second; below 0 if it states none.
    public var indicatedBitrate: Double { record.bitrate.map(Double.init) ?? -1 }
    /// Always below 0: not known.
    public var observedBitrate: Double { -1 }
    /// Always below 0: not known.
    public var durationWatched: TimeInterval { -1 }
    /// Always below 0: not known.
    public var numberOfServerAddressChanges: Int { -1 }
    /// Always below 0: not known.
    public var numberOfMediaRequests: Int { -1 }
    /// Always nil: not known.
    public var serverAddress: String? { nil }
    /// Always nil: a server has no sessions of ours.
    public var playbackSessionID: String? { nil }
}

/// The contents of an entry.
struct AccessRecord: Sendable {
    let uri: String
    let date: Date
    let offset: TimeInterval
    let startupTime: TimeInterval
    var isLive = false
    var stalls = 0
    var bytes: Int64 = 0
    var bitrate: Int?
}

extension AVPlayerItem {
    /// The log of what has been read over the network; nil for a file, and before sound began.
    public func accessLog() -> AVPlayerItemAccessLog? {
        noteAccess()
        let records = state.withLock(\.accesses)
        return records.isEmpty
            ? nil : AVPlayerItemAccessLog(records.map { AVPlayerItemAccessLogEvent($0) })
    }

    /// Keeps what is known of the stream. It is closed when nobody reads it any more.
    func noteAccess() {
        guard let status = stream?.status else { return }
        state.withLock { state in
            guard state.isAccessOpen, let last = state.accesses.indices.last else { return }
            state.accesses[last].bytes = max(state.accesses[last].bytes, status.available.count)
            state.accesses[last].isLive = status.isLive
            state.accesses[last].bitrate = status.bitrate
        }
    }

    /// The item is heard. On the main queue.
    func beganSounding() {
        guard isRemote else { return }
        let offset = currentTime().seconds
        let isNew = state.withLock { state in
            guard !state.isAccessOpen else { return false }
            state.isAccessOpen = true
            state.accesses.append(
                AccessRecord(
                    uri: asset.location.absoluteString, date: Date(), offset: offset,
                    startupTime: state.startupTime))
            return true
        }
        guard isNew else { return }
        noteAccess()
        NotificationCenter.default.post(name: .AVPlayerItemNewAccessLogEntry, object: self)
    }

    /// Sound has stopped for want of bytes. On the main queue.
    func countStall() {
        state.withLock { state in
            guard state.isAccessOpen, let last = state.accesses.indices.last else { return }
            state.accesses[last].stalls += 1
        }
    }
}
