package import UndersongBase
package import UndersongLocation

/// Decides how one gpsd is watched: when to connect, what to send, and which of its reports are
/// positions.
///
/// gpsd reports to those who have asked it to, on each connection again, and closes its receivers when
/// nobody watches. It says nothing when a receiver is silent, and repeats what it knows: so each time
/// is reported once, and silence is noticed here. Times are in seconds of CLOCK_BOOTTIME.
package struct GpsdWatcher: Machine {
    /// The request to report, in JSON.
    package static let request = "?WATCH={\"enable\":true,\"json\":true};\n"
    /// Seconds without a position after which that is reported.
    package static let staleTime = 10.0
    /// Seconds without a position after which the connection is made again.
    static let renewalTime = 60.0
    /// Seconds within which gpsd has to greet.
    static let greetingTime = 10.0
    /// The most bytes of a line, as gpsd defines it.
    static let lineLimit = 10_240
    /// The most bytes that may come in a second.
    static let byteLimit = 1 << 20
    /// The most positions that are reported in a second; of more, the newest one.
    static let fixLimit = 25

    /// An event for the watcher.
    package enum Input: MachineInput {
        /// The connection was made.
        case connected
        /// Bytes have come.
        case bytes([UInt8])
        /// The connection is over, or was not possible, for this reason.
        case ended(String)
        /// `nextDue` has come.
        case timePassed
    }

    /// A step to perform.
    package enum Effect: Hashable, Sendable {
        /// Connect. Drop the connection there is.
        case connect
        /// Drop the connection. It does not end by itself then.
        case disconnect
        case send([UInt8])
        case report(Report)
    }

    /// The news of a gpsd.
    package enum Report: Hashable, Sendable {
        case fix(LocationFix)
        /// gpsd answers, but there is no position, for this reason.
        case noFix(String)
        /// gpsd does not answer, for this reason; it is tried again after `retry` seconds.
        case unavailable(String, retry: Double)
    }

    private enum Phase: Hashable, Sendable {
        case connecting
        /// Connected at this time, and not greeted yet.
        case greeting(since: Double)
        case watching
        case waiting(until: Double)
    }

    private var phase: Phase
    /// The delays after lost connections.
    private var delays = Backoff(seconds: 1...60)
    private var line: [UInt8] = []
    private var isSkippingLine = false
    /// The last position's time, and the receiver.
    private var last: (time: Double?, device: String)?
    /// The time at which the last position came, or the watch of the connection began.
    private var lastFix: Double
    private var hasTimes = false
    private var reason = "the receiver has no fix"
    /// True if silence was reported since the last position.
    private var isSilent = false
    /// The bytes that have come in the second that began at `start`.
    private var second: (start: Double, bytes: Int)
    /// The newest position, if too many have come to report it yet.
    private var waitingFix: LocationFix?
    /// The time until which positions are reported if there are as many as there may be.
    private var reportedUntil: Double

    /// Begins to watch; the first `handle` of `timePassed` connects.
    package init(at now: Double) {
        phase = .waiting(until: now)
        lastFix = now
        second = (now, 0)
        reportedUntil = now
    }

    package func nextDue(at now: LocationTime) -> Due { Due(boot: due) }

    /// The time at which `timePassed` has something to do; nil for never.
    private var due: Double? {
        switch phase {
        case .connecting: nil
        case .greeting(let since): since + Self.greetingTime
        case .watching where waitingFix != nil: nextReport
        case .watching: lastFix + (isSilent ? Self.renewalTime : Self.staleTime)
        case .waiting(let time): time
        }
    }

    package mutating func handle(_ input: Input, at time: LocationTime) -> [Effect] {
        var effects: [Effect] = []
        let now = time.boot
        switch input {
        case .connected:
            guard phase == .connecting else { break }
            phase = .greeting(since: now)
        case .bytes(let bytes): receive(bytes, at: time, &effects)
        case .ended(let reason):
            if case .waiting = phase { break }
            wait(reason, at: now, &effects)
        case .timePassed: advance(at: now, &effects)
        }
        return effects
    }

    /// The time at which a position may be reported again.
    private var nextReport: Double { reportedUntil - 1 + 0.5 / Double(Self.fixLimit) }

    // MARK: Connection

    private mutating func connect(_ effects: inout [Effect]) {
        phase = .connecting
        (line, isSkippingLine, hasTimes, waitingFix) = ([], false, false, nil)
        effects.append(.connect)
    }

    private mutating func wait(_ reason: String, at now: Double, _ effects: inout [Effect]) {
        let delay = delays.next()
        phase = .waiting(until: now + delay)
        effects.append(.report(.unavailable(reason, retry: delay)))
    }

    private mutating func drop(_ reason: String, at now: Double, _ effects: inout [Effect]) {
        effects.append(.disconnect)
        wait(reason, at: now, &effects)
    }

    private mutating func advance(at now: Double, _ effects: inout [Effect]) {
        guard let due, due <= now else { return }
        switch phase {
        case .connecting: break
        case .greeting: drop("The server there is not gpsd", at: now, &effects)
        case .watching where waitingFix != nil: reportFix(at: now, &effects)
        case .watching where !isSilent: reportSilence(&effects)
        case .watching:
            // A receiver may have been replaced without gpsd's noticing that somebody watches.
            effects.append(.disconnect)
            lastFix = now
            connect(&effects)
        case .waiting: connect(&effects)
        }
    }

    private mutating func reportSilence(_ effects: inout [Effect]) {
        isSilent = true
        effects.append(.report(.noFix(reason)))
    }

    // MARK: Lines

    private mutating func receive(
        _ bytes: [UInt8], at time: LocationTime, _ effects: inout [Effect]
    ) {
        let now = time.boot
        if now - second.start >= 1 { second = (now, 0) }
        second.bytes += bytes.count
        guard second.bytes <= Self.byteLimit else {
            if case .waiting = phase { return }
            return drop("It sends too much", at: now, &effects)
        }
        for piece in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            if piece.offset > 0 {
                if !isSkippingLine { parse(line: line, at: time, &effects) }
                (line, isSkippingLine) = ([], false)
            }
            guard line.count + piece.element.count <= Self.lineLimit else {
                (line, isSkippingLine) = ([], true)
                continue
            }
            if !isSkippingLine { line += piece.element }
        }
    }

    private mutating func parse(
        line: [UInt8], at time: LocationTime, _ effects: inout [Effect]
    ) {
        guard let message = GpsdMessage(line) else { return }
        let now = time.boot
        switch (phase, message) {
        case (.greeting, .version(let number)) where number >= 3:
            phase = .watching
            delays.reset()
            lastFix = now
            effects.append(.send(Array(Self.request.utf8)))
        case (.greeting, .version):
            drop("Its protocol is older than version 3", at: now, &effects)
        case (.watching, .devices(let count)):
            reason = count == 0 ? "gpsd has no receiver" : "the receiver has no fix"
            if count == 0, !isSilent { reportSilence(&effects) }
        case (.watching, .error(let text)):
            drop("gpsd reports: \(text.prefix(80))", at: now, &effects)
        case (.watching, .fix(var fix, let hasTime, let device)):
            if !hasTime { fix.time = time.wall }
            accept(fix, hasTime ? fix.time : nil, device, at: now, &effects)
        default: break
        }
    }

    private mutating func accept(
        _ fix: LocationFix, _ time: Double?, _ device: String, at now: Double,
        _ effects: inout [Effect]
    ) {
        hasTimes = hasTimes || time != nil
        // Of several receivers one is followed, as long as it has a fix.
        let isOther = last.map { $0.device != device } ?? false
        guard !isOther || now - lastFix >= Self.staleTime else { return }
        // Of a receiver that has times, positions without one may be old, and so is a repetition.
        guard time != nil || !hasTimes, time == nil || time != last?.time else { return }
        last = (time, device)
        lastFix = now
        isSilent = false
        waitingFix = fix
        reportFix(at: now, &effects)
    }

    /// Reports the newest position as soon as that is not too often.
    private mutating func reportFix(at now: Double, _ effects: inout [Effect]) {
        guard nextReport <= now, let fix = waitingFix.take() else { return }
        reportedUntil = max(reportedUntil, now) + 1 / Double(Self.fixLimit)
        effects.append(.report(.fix(fix)))
    }
}
