import Background
import FoundationEssentials
import Playback
import Synchronization

/// Writes an event as one line of JSON, as `Resources/events.schema.json` describes it.
public final class EventLineEncoder: Sendable {
    private let encoder = JSONEncoder()
    private let timeLine = Mutex<TimeLine?>(nil)

    /// Makes an encoder, which any thread may use.
    public init() { encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes] }

    /// The line for `event`, its line feed included. `missed` tells a slow reader how many events
    /// were left out before this one.
    public func line(for event: SessionEvent, missed: Int = 0) throws -> [UInt8] {
        guard case .time(isExact: false) = event.kind, missed == 0 else {
            return try encoded(event, missed: missed)
        }
        return try timeLine.withLock { line in
            if line?.update(to: event) != true {
                line = TimeLine(try encoded(event), of: event)
            }
            return try line?.bytes ?? encoded(event)
        }
    }

    /// The line as `JSONEncoder` writes it for events of every kind.
    func encoded(_ event: SessionEvent, missed: Int = 0) throws -> [UInt8] {
        let line = EventLine(event, missed: missed)
        let json =
            if case .settings(let settings) = event.kind {
                try encoder.encode(SettingsLine(line: line, settings: settings))
            } else {
                try encoder.encode(line)
            }
        return Array(json) + [UInt8(ascii: "\n")]
    }
}

/// The fields of every line, of which each kind of event fills some.
struct EventLine: Encodable {
    struct Duration: Encodable {
        var value: Int64
        var timescale: Int32
        var seconds: Double
        var exact: Bool?

        init(_ time: CMTime, isExact: Bool? = nil) {
            value = time.value
            timescale = time.timescale
            seconds = time.seconds
            exact = isExact
        }

        /// A file's length; nil where it is not known.
        init?(_ facts: ItemFacts?) {
            guard let facts, let duration = facts.duration else { return nil }
            self.init(duration, isExact: facts.isDurationExact)
        }
    }

    struct Format: Encodable {
        var sampleRate: Int
        var channels: Int
        var encoding: String
    }

    struct Entry: Encodable {
        var id: Int
        var title: String
        var path: String
        var pathBytes: Data?

        init(_ item: QueueItem) {
            id = item.id.number
            title = item.displayTitle
            path = item.source.path.description
            pathBytes = item.source.path.exactBytes
        }
    }

    // Of every event.
    var event: String
    var seq: Int
    var monotonic: Int64
    var item: Int?
    var place: Int
    var index: Int?
    var number: Int?
    var generation: Int
    var state: String
    var status: String
    var reason: String?
    var missed: Int?

    // Of one kind or another.
    var change: String?
    var title: String?
    var path: String?
    var pathBytes: Data?
    var tags: [String: String]?
    var duration: Duration?
    var format: Format?
    var encoderDelay: Int?
    var encoderPadding: Int?
    var position: Duration?
    var value: Int64?
    var timescale: Int32?
    var seconds: Double?
    var rate: Double?
    var exact: Bool?
    var version: String?
    var schema: Int?
    var output: String?
    var interval: Duration?
    var category: String?
    var capabilities: [String]?
    var capabilitySource: String?
    var audioCapability: Bool?
    var decision: String?
    var reasons: [String]?
    var lifecycle: [String]?
    var source: String?
    var code: String?
    var message: String?
    var count: Int?
    var items: [Entry]?
    var played: Int?
    var failed: Int?
    var uncertainty: Double?
    var reasonCode: UInt?
    var previous: Device??
    var route: Device??
    var type: String?
    var by: String?
    var shouldResume: Bool?
    var deviceSilent: Bool?
    var playing: Bool?
    var mixable: Bool?

    init(_ event: SessionEvent, missed: Int) {
        let snapshot = event.snapshot
        self.event = event.kind.name
        seq = event.sequence
        monotonic = event.hostTime
        item = snapshot.item?.number
        place = snapshot.place
        if item != nil { (index, number) = (place, place + 1) }
        generation = snapshot.generation
        state = snapshot.applicationState.name
        status = snapshot.status.name
        reason = snapshot.status.reason
        self.missed = missed > 0 ? missed : nil
        fill(event.kind, snapshot)
    }

    private mutating func fill(_ kind: SessionEvent.Kind, _ snapshot: SessionEvent.Snapshot) {
        switch kind {
        case .session(let session): fill(session)
        case .queue(let items, let count):
            self.count = count
            self.items = items.map(Entry.init)
        case .itemBegan(let item, let description):
            change = "began"
            fill(item, description)
        case .itemMeasured(let item, let description):
            change = "measured"
            fill(item, description)
        case .itemEnded(let item, let time):
            fill(item, "ended", at: time)
            // What was heard to the end of its file is as long as that.
            let isWhole = item.end == nil && item.facts?.isDurationExact != true
            if isWhole { duration = Duration(time, isExact: true) }
        case .itemLeft(let item, let time): fill(item, "left", at: time)
        case .state, .jump:
            deviceSilent = snapshot.isDeviceSilent ? true : nil
            position = Duration(snapshot.position)
            rate = snapshot.rate
        case .boundary: fill(snapshot.position)
        case .clock(let uncertainty): self.uncertainty = uncertainty
        case .settings: break
        case .time(let isExact):
            fill(snapshot.position)
            rate = snapshot.rate
            exact = isExact
        case .application(let events, let source):
            lifecycle = events.map(\.rawValue)
            self.source = source
        case .policy(let decision):
            self.decision = decision.reasons.isEmpty ? "allowed" : "suppressed"
            reasons = decision.reasons.map(\.rawValue)
            audioCapability = decision.hasAudioCapability
            capabilitySource = decision.capabilitySource
        case .mediaServicesWereLost(let reason): self.reason = reason
        case .mediaServicesWereReset: break
        case .routeChanged(let change): fill(change)
        case .interruption(let event): fill(event)
        case .otherAudio(let audio): fill(audio)
        case .error(let failure):
            code = failure.code
            item = failure.item?.number
            reason = failure.reason
            message = failure.description
        case .end(let end), .runEnded(let end):
            reason = end.reason.name
            played = end.playedCount
            failed = end.failedCount
        }
    }

    private mutating func fill(_ item: QueueItem, _ change: String, at time: CMTime) {
        self.change = change
        self.item = item.id.number
        title = item.displayTitle
        path = item.source.path.description
        pathBytes = item.source.path.exactBytes
        position = Duration(time)
        duration = Duration(item.facts)
    }

    private mutating func fill(_ time: CMTime) {
        value = time.value
        timescale = time.timescale
        seconds = time.seconds
    }

    private mutating func fill(_ session: SessionDescription) {
        version = session.version
        schema = 1
        output = session.output
        interval = session.interval.map { Duration($0) }
        category = session.category.rawValue
        capabilities = session.capabilities.backgroundModes.map(\.rawValue).sorted()
        capabilitySource = session.capabilitySource
    }

    private mutating func fill(_ item: QueueItem, _ description: MediaDescription?) {
        title = item.displayTitle
        path = item.source.path.description
        pathBytes = item.source.path.exactBytes
        guard let description else { return }
        tags = description.tags
        duration = Duration(ItemFacts(description))
        format = Format(
            sampleRate: description.format.sampleRate,
            channels: description.format.channelCount, encoding: description.encoding)
        encoderDelay = description.encoderDelay
        encoderPadding = description.encoderPadding
    }
}

extension FilePath {
    /// The bytes of a path that is not UTF-8, and so is not what its text says.
    fileprivate var exactBytes: Data? { string == nil ? Data(bytes) : nil }
}
