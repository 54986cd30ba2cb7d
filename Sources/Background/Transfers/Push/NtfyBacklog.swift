/// The messages of a topic that a server has kept, and that a new connection has to bring.
///
/// A server can send that with the connection, but new messages come anywhere among it then, and
/// nothing shows its end. So it is asked for in a request of its own, which has an end, and whose
/// answer is in the order of the messages' times. That begins a moment after the connection: a
/// server keeps a message after it has looked for those who listen, so one that was published at the
/// same time might be missed by both.
struct NtfyBacklog: Sendable {
    /// The progress of the backlog.
    enum Phase: Hashable, Sendable {
        /// Nothing has come of the connection yet.
        case awaitingConnection
        /// It is asked for at this time.
        case due(Double)
        /// It comes; the last byte came at this time.
        case coming(lastByte: Double)
        /// All of it has come, or there is none, or no more comes.
        case over
    }

    /// Seconds after which a server has kept what it has sent to those who listened.
    static let delay = 1.0

    private(set) var phase: Phase
    /// The time before which everything was read; `Int.max` if all of it was.
    private var reached: Int
    /// The position from which the connection continues.
    private let position: NtfyPosition
    /// True if the server has yet to show that it still has the last message.
    private var awaitsLast: Bool
    /// The time at which it was asked for, by the server's clock.
    private var start = 0

    /// Creates the backlog of what has come after `position`.
    init(after position: NtfyPosition) {
        self.position = position
        phase = position.since == nil ? .over : .awaitingConnection
        reached = position.since ?? .max
        awaitsLast = position.last != nil && position.expires != nil
    }

    /// The time from which on to ask for it.
    var since: Int { position.since ?? 0 }

    /// The time at which it is asked for, or counts as dead; nil for never.
    var nextDue: Double? {
        switch phase {
        case .due(let time): time
        case .coming(let lastByte): lastByte + NtfyListener.longestSilence
        case .awaitingConnection, .over: nil
        }
    }

    /// Notes that the connection has brought something.
    mutating func connected(at now: Double) {
        if phase == .awaitingConnection { phase = .due(now + Self.delay) }
    }

    /// Notes that it was asked for at a time of the server's clock.
    mutating func asked(at now: Double, _ serverTime: Int) {
        phase = .coming(lastByte: now)
        start = serverTime
    }

    /// Notes that bytes of it have come, or could have but were not wanted.
    mutating func progressed(at now: Double) {
        if case .coming = phase { phase = .coming(lastByte: now) }
    }

    /// Receives a message of it. Returns true if the server has forgotten some: the last one that
    /// was delivered would have come before it.
    mutating func receive(_ identifier: String, time: Int) -> Bool {
        if identifier == position.last { awaitsLast = false }
        reached = max(reached, min(time, start - NtfyPosition.overlap))
        return time > position.time ?? .min && lacksLast()
    }

    /// Ends it, as all of it has come. Returns true if the server has forgotten messages.
    mutating func finish() -> Bool {
        (phase, reached) = (.over, .max)
        return lacksLast()
    }

    /// Ends it, as no more of it comes.
    mutating func cancel() { phase = .over }

    /// The time before which everything was read, after messages up to a time.
    func readTime(newest: Int) -> Int {
        reached == .max ? newest - NtfyPosition.overlap : reached
    }

    private mutating func lacksLast() -> Bool {
        defer { awaitsLast = false }
        return awaitsLast && start < position.expires ?? .min
    }
}
