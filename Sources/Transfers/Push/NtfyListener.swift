/// Listening at a topic of ntfy, as a value: when to connect, which messages to hand on, and which
/// of them are over.
///
/// Messages are handed on one at a time, in their order, and each until it is taken. What comes
/// after the last one that was taken is asked for with each connection, so that nothing is missed
/// as long as the server keeps it. Times are in seconds of a clock that also runs while the machine
/// sleeps.
package struct NtfyListener: Sendable {
    /// Seconds without a byte after which a connection is dead: the server sends one every 45 s.
    package static let longestSilence = 115.0
    /// Seconds until the first attempt after a connection was lost, and the most.
    static let firstDelay = 2.0
    static let longestDelay = 300.0
    /// How many messages may wait before reading stops.
    static let pendingLimit = 64
    /// The most bytes of a line. Escaped, a message of 4096 bytes has less.
    static let lineLimit = 64 * 1024
    /// How many identifiers of messages are remembered.
    static let memory = 500

    /// Something that has happened.
    package enum Input: Sendable {
        /// Bytes have come.
        case bytes([UInt8])
        /// The connection is over, and why.
        case ended(String)
        /// A message was taken, or refused for good.
        case taken(String)
        /// A message could not be handed on now.
        case notTaken(String)
        /// The attachment of a message was fetched; nil if it could not be now.
        case fetched(String, [UInt8]?)
        /// The machine has slept, or has another network: a connection is probably dead.
        case awoke
        /// `nextDue` is reached.
        case timePassed
    }

    /// Something to do.
    package enum Effect: Hashable, Sendable {
        /// Connect, and ask for what has come after the message with this identifier; nil for what
        /// comes from now on.
        case connect(since: String?)
        /// Drop the connection. It does not end by itself then.
        case disconnect
        /// Hand a payload on, and report `taken` or `notTaken`.
        case handOn(String, [UInt8])
        /// Fetch the payload at this URL, and report `fetched`.
        case fetch(String, url: String)
        /// Keep the identifier of the last message that was taken.
        case keep(String)
    }

    /// What the listener is doing.
    package enum Phase: Hashable, Sendable {
        /// It is connected, or about to be; the last byte came at this time.
        case listening(lastByte: Double)
        /// It connects again at this time, because of that.
        case waiting(until: Double, because: String)
        /// It does not read until the messages that wait are taken.
        case draining
    }

    private struct Message: Sendable {
        var identifier: String
        /// Nil until the attachment is there.
        var payload: [UInt8]?
        var attachment: String?
    }

    /// What it is doing.
    package private(set) var phase = Phase.waiting(until: -.infinity, because: "")
    private var lastTaken: String?
    private var line: [UInt8] = []
    private var isSkippingLine = false
    private var pending: [Message] = []
    /// Whether the first of them is being fetched or handed on.
    private var isBusy = false
    /// When the first of them is tried again.
    private var retryTime: Double?
    private var retryDelay = Self.firstDelay
    private var connectionDelay = Self.firstDelay
    private var known: [String] = []
    private var random: UInt64

    /// Listens for what has come after the message `last`; `seed` determines the jitter.
    package init(after last: String?, seed: UInt64) {
        lastTaken = last
        random = seed | 1
    }

    /// When `timePassed` next has something to do.
    package var nextDue: Double {
        let connection =
            switch phase {
            case .listening(let lastByte): lastByte + Self.longestSilence
            case .waiting(let time, _): time
            case .draining: Double.infinity
            }
        return min(connection, retryTime ?? .infinity)
    }

    /// Takes in what has happened, and returns what is to be done, in this order.
    package mutating func handle(_ input: Input, at now: Double) -> [Effect] {
        var effects: [Effect] = []
        switch input {
        case .bytes(let bytes):
            guard case .listening = phase else { break }
            phase = .listening(lastByte: now)
            take(bytes, &effects)
        case .ended(let reason): if case .listening = phase { wait(because: reason, at: now) }
        case .taken(let identifier): taken(identifier, &effects)
        case .notTaken(let identifier): retryLater(identifier, at: now)
        case .fetched(let identifier, let payload):
            guard pending.first?.identifier == identifier else { break }
            guard let payload else {
                retryLater(identifier, at: now)
                break
            }
            isBusy = false
            pending[0].payload = payload
        case .awoke: reconnect(at: now, &effects)
        case .timePassed: advance(at: now, &effects)
        }
        handOn(&effects)
        if case .draining = phase, pending.isEmpty { connect(at: now, &effects) }
        return effects
    }

    // MARK: Connection

    private mutating func connect(at now: Double, _ effects: inout [Effect]) {
        (line, isSkippingLine) = ([], false)
        phase = .listening(lastByte: now)
        effects.append(.connect(since: lastTaken))
    }

    private mutating func wait(because reason: String, at now: Double) {
        phase = .waiting(until: now + connectionDelay * jitter(), because: reason)
        connectionDelay = min(connectionDelay * 2, Self.longestDelay)
    }

    private mutating func reconnect(at now: Double, _ effects: inout [Effect]) {
        connectionDelay = Self.firstDelay
        switch phase {
        case .listening:
            effects.append(.disconnect)
            connect(at: now, &effects)
        case .waiting: connect(at: now, &effects)
        case .draining: break
        }
        if retryTime != nil { retryTime = now }
        retryIfDue(at: now)
    }

    private mutating func advance(at now: Double, _ effects: inout [Effect]) {
        switch phase {
        case .listening(let lastByte) where lastByte + Self.longestSilence <= now:
            effects.append(.disconnect)
            wait(because: "The server is silent", at: now)
        case .waiting(let time, _) where time <= now: connect(at: now, &effects)
        default: break
        }
        retryIfDue(at: now)
    }

    /// A factor from 0.75 to 1.25, so that clients do not all come back at once (xorshift).
    private mutating func jitter() -> Double {
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        return 0.75 + Double(random >> 11) / Double(1 << 53) / 2
    }

    // MARK: Messages

    private mutating func take(_ bytes: [UInt8], _ effects: inout [Effect]) {
        for piece in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            if piece.offset > 0 {
                if !isSkippingLine { take(line: line) }
                (line, isSkippingLine) = ([], false)
            }
            guard line.count + piece.element.count <= Self.lineLimit else {
                (line, isSkippingLine) = ([], true)
                continue
            }
            if !isSkippingLine { line += piece.element }
        }
        guard pending.count > Self.pendingLimit, case .listening = phase else { return }
        effects.append(.disconnect)
        phase = .draining
        // What was not read is asked for again.
        known = known.filter { identifier in pending.contains { $0.identifier == identifier } }
    }

    private mutating func take(line: [UInt8]) {
        guard let event = NtfyEvent(line) else { return }
        connectionDelay = Self.firstDelay
        guard case .message(let identifier, let content) = event,
            pending.count <= Self.pendingLimit, !known.contains(identifier)
        else { return }
        known.append(identifier)
        if known.count > Self.memory { known.removeFirst() }
        switch content {
        case .payload(let payload):
            pending.append(Message(identifier: identifier, payload: payload))
        case .attachment(let url):
            pending.append(Message(identifier: identifier, attachment: url))
        }
    }

    private mutating func handOn(_ effects: inout [Effect]) {
        guard !isBusy, retryTime == nil, let first = pending.first else { return }
        isBusy = true
        if let payload = first.payload {
            effects.append(.handOn(first.identifier, payload))
        } else {
            effects.append(.fetch(first.identifier, url: first.attachment ?? ""))
        }
    }

    private mutating func taken(_ identifier: String, _ effects: inout [Effect]) {
        guard pending.first?.identifier == identifier else { return }
        pending.removeFirst()
        isBusy = false
        retryDelay = Self.firstDelay
        lastTaken = identifier
        effects.append(.keep(identifier))
    }

    private mutating func retryLater(_ identifier: String, at now: Double) {
        guard pending.first?.identifier == identifier else { return }
        isBusy = false
        retryTime = now + retryDelay * jitter()
        retryDelay = min(retryDelay * 2, Self.longestDelay)
    }

    private mutating func retryIfDue(at now: Double) {
        if let time = retryTime, time <= now { retryTime = nil }
    }
}

extension NtfyListener {
    /// The URL at which to listen at a topic for what has come after a message.
    package static func url(of topic: String, after last: String?) -> String {
        let parts = topic.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var base = parts[0]
        while base.hasSuffix("/") { base = base.dropLast() }
        let isPlain = last?.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                || (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
                || (0x61...0x7a).contains(byte)
        }
        // Without a message to begin after, what comes from now on; `all` if its name is odd.
        let since = last.map { "since=\(isPlain == true ? $0 : "all")" }
        let query = [parts.count > 1 ? String(parts[1]) : nil, since].compactMap { $0 }
            .filter { !$0.isEmpty }
        return base + "/json" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }
}
