package import UndersongBase

/// Decides what to request of a server for one player, which reads a file or a live stream while it
/// arrives: the offset, the distance ahead, and the next attempt after a lost connection.
///
/// It never mixes two versions of a file: bytes that were received before are compared, not replaced,
/// wherever a response repeats them, and a response must prove that it continues them, by its
/// validator or by repeating some of them.
///
/// Before anything was received, it gives up after some attempts, unless there is no network; later
/// it never does.
package struct StreamPlan: Machine {
    /// The most bytes between the player's offset and the server's for which waiting is better than
    /// another request.
    static let skippedBytes: Int64 = 128 * 1024
    /// The known bytes that are requested again where nothing else proves that the rest belongs to
    /// them.
    static let overlap: Int64 = 16 * 1024
    /// The bytes ahead of the player that are enough not to count them one by one.
    static let comfort: Int64 = 512 * 1024
    /// The statuses of an address that a server no longer has.
    private static let expired = [401, 403, 404, 410]
    /// The attempts that are made before anything was received.
    static let firstAttempts = 6
    private static let delays = Backoff(seconds: 0.25...60)
    private static let diskDelay = 5.0

    package let url: String
    /// True if it may be something other than sound.
    private let isForText: Bool
    package private(set) var phase = Phase.idle
    /// The bytes that are there.
    package private(set) var available: ByteRanges
    /// The length of the whole file; nil if unknown, and for a live stream.
    package private(set) var total: Int64?
    /// The identity of the version of the file.
    package private(set) var validator: Validator?
    /// True if it has no end, and is heard from whenever it is connected to.
    package private(set) var isLive: Bool
    /// True if the server sends parts of the file; nil if unknown.
    package private(set) var hasRanges: Bool?
    /// The last response that was accepted.
    package private(set) var head: ResponseHead?
    /// The reason of the last failure, for machines; nil if there is none.
    package private(set) var trouble: StreamFailure.Code?
    private var wanted: Range<Int64> = 0..<0
    /// The URL that answered last, which names the version where URLs redirect.
    private var effectiveURL: String?
    /// Attempts since bytes last arrived.
    private var attempts = 0
    /// The number of attempts that were made while there was a network.
    private var onlineAttempts = 0
    /// The comparison of bytes that is necessary since the server names another version than before,
    /// or none any more.
    private var comparison = Comparison.none
    /// True if a length was announced that is too great to count.
    private var isBeyondCounting = false

    private enum Comparison: Hashable {
        case none
        case wanted
        case running(until: Int64)
    }

    /// Creates a plan for what `call` asks for.
    package init(_ call: OpenStream) {
        url = call.url
        isForText = call.text ?? false
        available = call.available ?? ByteRanges()
        total = call.total
        validator = call.version
        isLive = call.live ?? false
    }

    /// The stream as its player needs to know it.
    package func report(title: StreamReport.Title?, at now: Double) -> StreamReport {
        var report = StreamReport()
        switch phase {
        case .idle: break
        case .connecting: report.state = .connecting
        case .receiving(_, _, let isPaused): report.state = isPaused ? .idle : .receiving
        case .waiting(let time, let reason):
            (report.state, report.code) = (.waiting, trouble.map(Open.known))
            (report.reason, report.retry) = (reason, max(0, time - now))
        case .failed(let failure):
            (report.state, report.code) = (.failed, .known(failure.code))
            report.reason = failure.text
        }
        report.available = available
        report.total = total
        report.version = validator
        report.isLive = isLive
        report.hasRanges = hasRanges
        report.type = head?.contentType
        report.name = head?["icy-name"]
        report.bitrate = head?["icy-br"].flatMap { Int32($0.prefix { $0.isNumber }) }.map {
            Int($0) * 1000
        }
        report.title = title
        return report
    }

    /// Times are in seconds since the machine started.
    package func nextDue(at now: Double) -> Due {
        if case .waiting(let time, _) = phase { Due(boot: time) } else { .never }
    }

    /// The offset of the next bytes of the body; nil if none are expected.
    package var writeOffset: Int64? {
        if case .receiving(_, let offset, _) = phase { offset } else { nil }
    }

    /// True if all that is wanted is there while more arrives, which is not to be read.
    package var isFull: Bool {
        guard case .receiving(_, let offset, _) = phase else { return false }
        return missing == nil && offset != total
    }

    /// True if the player is about to run out of bytes, so that each counts.
    package var isAwaited: Bool {
        let end = available.end(from: wanted.lowerBound)
        return end < total ?? .max && end - wanted.lowerBound < Self.comfort
    }

    package mutating func handle(_ input: Input, at now: Double) -> [Effect] {
        if case .failed = phase { return [] }
        switch input {
        case .want(let from, let until): wanted = max(0, from)..<max(from, until, 0)
        case .ended(let ending): end(ending, now)
        case .timePassed: break
        }
        return settle(now)
    }

    /// Judges the header of a response: its body is wanted if there is a `writeOffset` afterwards.
    /// `timePassed` returns the effects. `date` is in seconds since 1970.
    package mutating func judge(_ head: ResponseHead, at now: Double, date: Double) {
        guard case .connecting(let request) = phase else { return }
        switch head.status {
        case 200, 203: accept(whole(head, request), head, request)
        case 206: accept(part(head, request), head, request)
        case 416:
            fail(.changed, "The file has changed on the server: It has no byte \(request.offset)")
        case 400..<500 where Self.expired.contains(head.status) && request.url != url:
            // The address to which the first one redirected has expired.
            effectiveURL = nil
            wait("The server answers \(head.status)", now, code: .httpStatus)
        case 408, 425, 429, 500...599:
            wait(
                "The server answers \(head.status)", now, head.retryAfter(now: date),
                code: .httpStatus)
        default: fail(.httpStatus, "The server answers \(head.status)")
        }
    }

    /// Counts bytes that were written, or found to be the same, at `writeOffset`.
    package mutating func count(_ count: Int64) {
        guard case .receiving(let request, let offset, let isPaused) = phase else { return }
        // What was there before does not bring the stream any further.
        if available.end(from: offset) < offset + count { (attempts, onlineAttempts) = (0, 0) }
        available.insert(offset..<offset + count)
        if case .running(let end) = comparison, offset + count >= end {
            (comparison, validator) = (.none, head?.validator)
        }
        phase = .receiving(request, offset: offset + count, isPaused: isPaused)
    }

    // MARK: What to request

    /// The first byte that is wanted and not there; nil if there is none.
    private var missing: Int64? {
        let first =
            isLive
            ? available.ranges.last?.upperBound ?? 0
            : available.end(from: wanted.lowerBound)
        guard first < wanted.upperBound, first < total ?? .max else { return nil }
        return first
    }

    /// Brings the requests in line with what is wanted.
    private mutating func settle(_ now: Double) -> [Effect] {
        switch phase {
        case .failed: return []
        case .waiting(let time, _):
            guard now >= time else { return [] }
            phase = .idle
            return settle(now)
        case .idle: return missing.map { [.start(start(at: $0))] } ?? []
        case .connecting(let request):
            guard let missing, !isLive, hasRanges != false, comparison == .none,
                !isNear(request.offset, missing)
            else { return [] }
            return [.cancel, .start(start(at: missing))]
        case .receiving(let request, let offset, let isPaused):
            guard let missing else {
                // With its last byte, a response ends by itself.
                if offset == total { return [] }
                phase = .receiving(request, offset: offset, isPaused: true)
                return isPaused ? [] : [.pause]
            }
            guard
                isLive || isNear(offset, missing) || comparison != .none
                    || hasRanges == false && offset <= missing
            else { return [.cancel, .start(start(at: missing))] }
            phase = .receiving(request, offset: offset, isPaused: false)
            return isPaused ? [.resume] : []
        }
    }

    private func isNear(_ offset: Int64, _ missing: Int64) -> Bool {
        offset <= missing && missing - offset <= Self.skippedBytes
    }

    private mutating func start(at missing: Int64) -> Request {
        var request = Request(url: effectiveURL ?? url, offset: 0)
        if !isLive, hasRanges != false {
            request.offset = missing
            if comparison != .none {
                comparison = .wanted
                let end = known(before: missing)
                request.offset = max(available.start(before: end), end - Self.overlap)
            } else if let validator {
                request.ifRange = missing > 0 ? validator.ifRange : nil
            } else {
                request.offset = max(available.start(before: missing), missing - Self.overlap)
            }
        }
        phase = .connecting(request)
        return request
    }

    /// The end of the bytes that are there and closest before `offset`, or of the first ones.
    private func known(before offset: Int64) -> Int64 {
        let ends = available.ranges.map(\.upperBound)
        return ends.last { $0 <= offset } ?? ends.first ?? offset
    }

    // MARK: Responses

    private mutating func accept(_ offset: Int64?, _ head: ResponseHead, _ request: Request) {
        guard let offset else { return }
        self.head = head
        trouble = nil
        if !isLive { effectiveURL = head.url }
        phase = .receiving(request, offset: offset, isPaused: false)
    }

    /// The offset of the body of a response with the whole file; nil if it is refused.
    private mutating func whole(_ head: ResponseHead, _ request: Request) -> Int64? {
        guard !head.isEncoded else {
            let encoding = head["Content-Encoding"] ?? ""
            return fail(
                .encoded, "The server sends it compressed (\(encoding)), which was not requested")
        }
        if !isForText, let refusal = StreamContent(mediaType: head.contentType).refusal {
            return fail(refusal.code, refusal.text)
        }
        if isLive { return available.ranges.last?.upperBound ?? 0 }
        isBeyondCounting = isBeyondCounting || head.isLengthBeyondCounting
        guard !available.isEmpty else {
            guard total == nil || head.contentLength == nil || total == head.contentLength else {
                return fail(.changed, "The file has changed on the server")
            }
            total = total ?? head.contentLength
            validator = head.validator
            isLive = total == nil && head.isOfStation
            hasRanges = head["Accept-Ranges"]?.lowercased() == "none" ? false : nil
            return 0
        }
        guard head.contentLength == nil || total == nil || head.contentLength == total
        else { return fail(.changed, "The file has changed on the server") }
        if comparison == .none, hasRanges != false, let validator, head.validator != validator {
            // The server says that it is another version, which only its bytes can refute.
            return compare()
        }
        if request.offset > 0 { hasRanges = false }
        beginComparison(from: 0)
        return 0
    }

    /// Requests bytes that are there already, and nil for the response at hand.
    private mutating func compare() -> Int64? {
        (comparison, phase) = (.wanted, .idle)
        return nil
    }

    /// A response begins at `offset` that may be of another version.
    private mutating func beginComparison(from offset: Int64) {
        guard comparison != .none else { return }
        comparison = .running(until: available.end(from: offset))
    }

    /// The offset of the body of a response with a part of the file; nil if it is refused.
    private mutating func part(_ head: ResponseHead, _ request: Request) -> Int64? {
        guard let range = head.contentRange, let bytes = range.bytes, !head.isEncoded,
            bytes.lowerBound <= request.offset
        else {
            // It is asked for everything from now on.
            hasRanges = false
            phase = .idle
            return nil
        }
        guard total == nil || range.total == nil || total == range.total else {
            return fail(.changed, "The file has changed on the server")
        }
        if comparison == .none, let validator, !head.proves(validator) { return compare() }
        beginComparison(from: bytes.lowerBound)
        hasRanges = true
        total = total ?? range.total
        return bytes.lowerBound
    }

    // MARK: Endings

    private mutating func end(_ ending: Ending, _ now: Double) {
        switch ending {
        case .complete where isLive: wait("The server has ended the stream", now)
        case .complete:
            guard let offset = writeOffset else { return wait("The server sends nothing", now) }
            guard let total else {
                if isBeyondCounting {
                    return wait("The server sends less than it announces", now)
                }
                total = offset
                return phase = .idle
            }
            phase = .idle
            if offset < total { wait("The server sends less than it announces", now) }
        case .lost(let reason, let cause): wait(reason, now, for: cause)
        case .diskFull:
            phase = .waiting(
                until: now + Self.diskDelay, reason: "There is no space left for what is received")
        case .mismatch: fail(.changed, "The file has changed on the server")
        case .failed(let failure): phase = .failed(failure)
        }
    }

    /// Waits for another attempt, if anything is missing, or gives up.
    private mutating func wait(
        _ reason: String, _ now: Double, _ seconds: Double? = nil, for cause: Cause = .other,
        code: StreamFailure.Code? = nil
    ) {
        attempts += 1
        trouble = code ?? cause.code
        if cause == .offline { onlineAttempts = 0 } else { onlineAttempts += 1 }
        if available.isEmpty, onlineAttempts >= Self.firstAttempts {
            return phase = .failed(StreamFailure(code ?? cause.code, reason))
        }
        let delay = Self.delays.delay(after: attempts - 1)
        phase =
            missing == nil
            ? .idle : .waiting(until: now + max(delay, seconds ?? 0), reason: reason)
    }

    @discardableResult
    private mutating func fail(_ code: StreamFailure.Code, _ text: String) -> Int64? {
        phase = .failed(StreamFailure(code, text))
        return nil
    }
}

extension ResponseHead {
    /// True if the server names itself as a radio station.
    fileprivate var isOfStation: Bool {
        ["icy-metaint", "icy-name", "icy-br", "icy-genre", "ice-audio-info"].contains {
            self[$0] != nil
        }
    }

    /// True if it is of the version that `validator` names.
    fileprivate func proves(_ validator: Validator) -> Bool {
        switch validator {
        case .entityTag(let tag): self["ETag"] == tag
        case .lastModified(let date): self["ETag"] == nil && self["Last-Modified"] == date
        }
    }
}
