package import UndersongBase

/// Decides how a topic of ntfy is listened to: when to connect, which messages to deliver, and which
/// of them are over.
///
/// Messages are delivered one at a time, in the order of their times, and each until that succeeds.
/// After each connection everything is asked for that may not have come yet, so that nothing is
/// missed as long as the server keeps it; if it did not, that is reported before what comes next.
/// Repeated messages are left out as far as they are remembered: a listener that starts again delivers
/// those of the last seconds once more, and the mailbox knows them. Times are in seconds of a clock that
/// also runs while the machine sleeps.
package struct NtfyListener: Machine {
    /// Seconds without a byte after which a connection is dead: the server sends one every 45 s.
    package static let longestSilence = 115.0
    /// Seconds for which a new message waits for older ones that were kept, so that they are
    /// delivered in their order.
    static let newsPatience = 10.0
    /// The messages that may wait; then no more bytes are wanted.
    static let pendingLimit = 64
    /// The number of identifiers of messages that are remembered.
    static let memory = 1000

    private struct Pending: Sendable {
        enum Content: Sendable {
            case payload([UInt8])
            case attachment(String)
            /// No message, but a gap where some may be missing.
            case missing
        }

        var identifier: String
        var content: Content
        var time: Int
        var expires: Int?
        /// True if it has come as it was published.
        var isNew = false
    }

    /// The state of the listener.
    package private(set) var phase = Phase.waiting(until: -.infinity, reason: "")
    /// The position to continue from, as it was kept last.
    private var position: NtfyPosition
    /// The time at which the server was last heard, by its clock.
    private var contact: Int?
    /// The messages that the server has kept meanwhile.
    private var backlog: NtfyBacklog
    private var lines = NtfyLines()
    private var keptLines = NtfyLines()
    private var pending: [Pending] = []
    /// True while the first of them is fetched or delivered.
    private var isBusy = false
    /// The time at which the first of them is tried again.
    private var retryTime: Double?
    private var retryDelays = Backoff(seconds: 2...300)
    private var connectionDelays = Backoff(seconds: 2...300)
    /// The time at which new messages are delivered although kept ones have not come; nil for at once.
    private var newsDue: Double?
    private var known: [String]
    /// Spreads the attempts of several machines.
    private var generator: SeededGenerator

    /// Continues at `position`; `seed` spreads the attempts of several machines.
    package init(at position: NtfyPosition, seed: UInt64) {
        self.position = position
        contact = position.contact
        backlog = NtfyBacklog(after: position)
        known = [position.last].compactMap { $0 }
        generator = SeededGenerator(seed: seed)
    }

    package func nextDue(at now: Double) -> Due {
        let connection: Double? =
            switch phase {
            case .listening(let lastByte): wantsBytes ? lastByte + Self.longestSilence : nil
            case .waiting(let time, _): time
            }
        let kept = wantsKeptBytes ? backlog.nextDue : nil
        let news = !isBusy && pending.first?.isNew == true ? newsDue : nil
        return Due(boot: [connection, retryTime, kept, news].compactMap(\.self).min())
    }

    /// True if further bytes of the connection are wanted now.
    package var wantsBytes: Bool { pending.count < Self.pendingLimit }

    /// True if further bytes of kept messages are wanted now.
    package var wantsKeptBytes: Bool {
        wantsBytes || pending.count { !$0.isNew } < Self.pendingLimit
    }

    package mutating func handle(_ input: Input, at now: Double) -> [Effect] {
        var effects: [Effect] = []
        switch input {
        case .bytes(let bytes):
            guard case .listening = phase else { break }
            phase = .listening(lastByte: now)
            for event in lines.events(bytes) { receive(event, at: now, &effects) }
        case .ended(let reason): if case .listening = phase { wait(reason, at: now) }
        case .keptBytes(let bytes):
            guard case .coming = backlog.phase else { break }
            backlog.progressed(at: now)
            for event in keptLines.events(bytes) { receiveKept(event) }
            if complete() { effects.append(.keep(position)) }
        case .keptEnded(let reason): keptEnded(reason, at: now, &effects)
        case .delivered(let identifier): delivered(identifier, at: now, &effects)
        case .notDelivered(let identifier): retryLater(identifier, at: now)
        case .fetched(let identifier, let payload):
            guard pending.first?.identifier == identifier else { break }
            guard let payload else {
                retryLater(identifier, at: now)
                break
            }
            isBusy = false
            pending[0].content = .payload(payload)
        case .awoke: reconnect(at: now, &effects)
        case .timePassed: advance(at: now, &effects)
        }
        deliver(at: now, &effects)
        return effects
    }

    // MARK: Connection

    private mutating func connect(at now: Double, _ effects: inout [Effect]) {
        (lines, keptLines) = (NtfyLines(), NtfyLines())
        phase = .listening(lastByte: now)
        backlog = NtfyBacklog(after: position)
        effects.append(.connect)
    }

    private mutating func disconnect(
        _ reason: String, at now: Double, _ effects: inout [Effect]
    ) {
        effects.append(.disconnect)
        wait(reason, at: now)
    }

    private mutating func wait(_ reason: String, at now: Double) {
        backlog.cancel()
        phase = .waiting(until: now + spread(connectionDelays.next()), reason: reason)
    }

    private mutating func reconnect(at now: Double, _ effects: inout [Effect]) {
        connectionDelays.reset()
        if case .listening = phase { effects.append(.disconnect) }
        connect(at: now, &effects)
        if retryTime != nil { retryTime = now }
        retryIfDue(at: now)
    }

    private mutating func advance(at now: Double, _ effects: inout [Effect]) {
        switch phase {
        case .listening(let lastByte) where wantsBytes && lastByte + Self.longestSilence <= now:
            disconnect("The server is silent", at: now, &effects)
        case .waiting(let time, _) where time <= now: connect(at: now, &effects)
        default: advanceBacklog(at: now, &effects)
        }
        retryIfDue(at: now)
    }

    /// A quarter more or less than `delay`, so that clients do not all come back at once.
    private mutating func spread(_ delay: Double) -> Double {
        delay * Double.random(in: 0.75..<1.25, using: &generator)
    }

    // MARK: Reading

    private mutating func receive(_ event: NtfyEvent, at now: Double, _ effects: inout [Effect]) {
        let before = contact
        contact = event.time ?? contact
        if event.kind == .open, let time = event.time { opened(time, after: before) }
        backlog.connected(at: now)
        if backlog.phase == .over { connectionDelays.reset() }
        if case .message(let message) = event.kind {
            if backlog.phase != .over { newsDue = newsDue ?? now + Self.newsPatience }
            add(message, time: event.time, isNew: true)
        }
        keepContact(&effects)
    }

    /// Notices that the server has forgotten messages, as it was away for longer than it keeps them.
    /// If its clock was set back, what has come since cannot be asked for by time.
    private mutating func opened(_ time: Int, after contact: Int?) {
        if position.hasGap(from: contact, to: time) { addMissing() }
        guard position.isAhead(of: time) else { return }
        addMissing()
        position = NtfyPosition(time: time, complete: time)
        backlog = NtfyBacklog(after: position)
    }

    private mutating func addMissing() {
        guard !hasMissing else { return }
        pending.insert(
            Pending(identifier: "missing \(contact ?? 0)", content: .missing, time: .min),
            at: isBusy ? 1 : 0)
    }

    private mutating func add(_ message: NtfyEvent.Message, time: Int?, isNew: Bool) {
        guard let time, !known.contains(message.identifier) else { return }
        known.append(message.identifier)
        if known.count > Self.memory { known.removeFirst() }
        let content: Pending.Content =
            switch message.content {
            case .payload(let payload): .payload(payload)
            case .attachment(let url): .attachment(url)
            }
        insert(
            Pending(
                identifier: message.identifier, content: content, time: time,
                expires: message.expires, isNew: isNew))
    }

    /// The order within a second is that in which messages come, those that were kept first.
    private mutating func insert(_ message: Pending) {
        let index = pending.dropFirst(isBusy ? 1 : 0).firstIndex {
            $0.time > message.time
                || ($0.time == message.time && $0.isNew && !message.isNew)
        }
        pending.insert(message, at: index ?? pending.endIndex)
    }

    // MARK: Kept messages

    private mutating func advanceBacklog(at now: Double, _ effects: inout [Effect]) {
        guard wantsKeptBytes, let time = backlog.nextDue, time <= now else { return }
        if case .coming = backlog.phase {
            return disconnect("The server is silent", at: now, &effects)
        }
        backlog.asked(at: now, contact ?? 0)
        effects.append(.ask(since: backlog.since))
    }

    private mutating func receiveKept(_ event: NtfyEvent) {
        guard case .message(let message) = event.kind, let time = event.time else { return }
        if backlog.receive(message.identifier, time: time) { addMissing() }
        let index = pending.dropFirst(isBusy ? 1 : 0).firstIndex {
            $0.isNew && $0.identifier == message.identifier
        }
        guard let index else { return add(message, time: time, isNew: false) }
        var known = pending.remove(at: index)
        known.isNew = false
        insert(known)
    }

    private mutating func keptEnded(
        _ reason: String?, at now: Double, _ effects: inout [Effect]
    ) {
        guard case .coming = backlog.phase else { return }
        if let reason { return disconnect(reason, at: now, &effects) }
        connectionDelays.reset()
        newsDue = nil
        if backlog.finish() { addMissing() }
        if complete() { effects.append(.keep(position)) }
    }

    /// True if it is still to be reported that messages are missing.
    private var hasMissing: Bool {
        pending.contains { if case .missing = $0.content { true } else { false } }
    }

    /// Keeps the time of the first connection, and once an hour that of the last contact.
    private mutating func keepContact(_ effects: inout [Effect]) {
        guard let contact, !hasMissing else { return }
        if position.time == nil { (position.time, position.complete) = (contact, contact) }
        guard contact - (position.contact ?? Int.min / 2) >= NtfyPosition.contactInterval else {
            return
        }
        position.contact = contact
        effects.append(.keep(position))
    }

    // MARK: Delivery

    private mutating func deliver(at now: Double, _ effects: inout [Effect]) {
        if let due = newsDue, due <= now { newsDue = nil }
        guard !isBusy, retryTime == nil, let first = pending.first, !first.isNew || newsDue == nil
        else { return }
        isBusy = true
        switch first.content {
        case .payload(let payload): effects.append(.deliver(first.identifier, payload))
        case .attachment(let url): effects.append(.fetch(first.identifier, url: url))
        case .missing: effects.append(.reportMissing(first.identifier))
        }
    }

    private mutating func delivered(
        _ identifier: String, at now: Double, _ effects: inout [Effect]
    ) {
        guard let first = pending.first, first.identifier == identifier else { return }
        // While no bytes were wanted, there was no silence.
        if !wantsBytes, case .listening = phase { phase = .listening(lastByte: now) }
        if !wantsKeptBytes { backlog.progressed(at: now) }
        pending.removeFirst()
        isBusy = false
        retryDelays.reset()
        if case .missing = first.content {
        } else {
            position.pass(identifier, time: first.time, expires: first.expires)
        }
        complete()
        if !hasMissing { position.contact = contact }
        effects.append(.keep(position))
    }

    /// Notes the time before which all messages were read and delivered. Returns true if that is news.
    @discardableResult
    private mutating func complete() -> Bool {
        let before = position.complete
        let oldest = pending.map(\.time).min() ?? .max
        position.complete(to: min(backlog.readTime(newest: position.time ?? 0), oldest))
        return position.complete != before
    }

    private mutating func retryLater(_ identifier: String, at now: Double) {
        guard pending.first?.identifier == identifier else { return }
        isBusy = false
        retryTime = now + spread(retryDelays.next())
    }

    private mutating func retryIfDue(at now: Double) {
        if let time = retryTime, time <= now { retryTime = nil }
    }
}

extension NtfyListener {
    /// An event for the listener.
    package enum Input: MachineInput {
        /// Bytes of the connection have come. They count also when `wantsBytes` is false.
        case bytes([UInt8])
        /// The connection is over, for this reason.
        case ended(String)
        /// Bytes of kept messages have come. They count also when `wantsKeptBytes` is false.
        case keptBytes([UInt8])
        /// All kept messages have come, unless there is a reason why not.
        case keptEnded(String?)
        /// A message was accepted, or refused for good.
        case delivered(String)
        /// A message could not be accepted now.
        case notDelivered(String)
        /// The attachment of a message was fetched; nil if it could not be now.
        case fetched(String, [UInt8]?)
        /// The machine has slept, or has another network: a connection is probably dead.
        case awoke
        /// `nextDue` has come.
        case timePassed
    }

    /// A step to perform.
    package enum Effect: Hashable, Sendable {
        /// Connect for what is published from now on.
        case connect
        /// Ask for the kept messages of this time and later ones.
        case ask(since: Int)
        /// Drop the connection, and the answer to `ask`. They do not end by themselves then.
        case disconnect
        /// Deliver a payload, and report `delivered` or `notDelivered`.
        case deliver(String, [UInt8])
        /// Report that messages may be missing, and then `delivered` or `notDelivered`.
        case reportMissing(String)
        /// Fetch the payload at this URL, and report `fetched`.
        case fetch(String, url: String)
        /// Keep the position to continue from.
        case keep(NtfyPosition)
    }

    /// The state of a listener.
    package enum Phase: Hashable, Sendable {
        /// It is connected, or about to be; the last byte came at this time.
        case listening(lastByte: Double)
        /// It connects again at this time, for this reason.
        case waiting(until: Double, reason: String)
    }
}

extension NtfyListener {
    /// The URL at which to listen at a topic; with a time, that of what was kept of it since.
    package static func url(of topic: String, since: Int?) -> String {
        let parts = topic.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var base = parts[0]
        while base.hasSuffix("/") { base = base.dropLast() }
        let query = [parts.count > 1 ? String(parts[1]) : nil, since.map { "poll=1&since=\($0)" }]
            .compactMap { $0 }.filter { !$0.isEmpty }
        return base + "/json" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }
}
