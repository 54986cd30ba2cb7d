import CUndersongCurl
import Glibc
import UndersongBackground
import UndersongBase
import UndersongTransfers

/// The part of the engine that belongs to its thread.
final class LoadEngineState: EngineState {
    enum Letter: Sendable {
        case open(id: Int, OpenLoad, pipe: Int32, body: Int32?, LoadEngine.Report)
        case answer(id: Int, ChallengeAnswer)
        case close(id: Int)
        case conditionsChanged
    }

    /// Seconds between two reports of bytes that are sent.
    private static let reportSeconds = 0.2

    private let multi: CURLMulti
    private let settings: LoadEngine.Settings
    private let board: MachineBoard
    private let clock: any HostClock
    private var loads: [Int: Load] = [:]

    init(
        _ multi: CURLMulti, _ settings: LoadEngine.Settings, _ board: MachineBoard,
        _ clock: any HostClock
    ) {
        self.multi = multi
        self.settings = settings
        self.board = board
        self.clock = clock
    }

    var isIdle: Bool { loads.isEmpty }

    var fullPipes: [Int32] {
        loads.values.filter { $0.request?.isFlushed == false }.map(\.pipe)
    }

    func receive(_ letter: Letter) {
        switch letter {
        case .open(let id, let call, let pipe, let body, let report):
            let load = Load(id, call, pipe: pipe, body: body, report, now: now)
            loads[id] = load
            board.countWatchers(1)
            begin(load)
        case .answer(let id, let answer): if let load = loads[id] { apply(answer, to: load) }
        case .close(let id): if let load = loads[id] { remove(load) }
        case .conditionsChanged: for load in loads.values where load.isWaiting { begin(load) }
        }
    }

    func advance() -> Due {
        var due = Due.never
        for load in loads.values {
            if now >= load.deadline {
                fail(load, .timedOut, "It was not complete after its time")
                continue
            }
            due.limit(to: Due(boot: load.deadline))
            guard let request = load.request, request.treatment != .hold, request.flush() else {
                continue
            }
            if request.pipeError != 0 {
                fail(load, .storage, "The body cannot be passed on")
            } else if let result = load.result {
                conclude(load, request, result)
            } else if request.stalls(load.stall, at: now) {
                fail(load, .timedOut, "Nothing has been received for too long")
            } else {
                due.limit(to: Due(boot: request.stallDue(load.stall)))
                due.limit(to: Due(boot: reportSent(load)))
            }
        }
        return due
    }

    private var now: Double { clock.secondsSinceBoot }

    // MARK: Requests

    private func begin(_ load: Load) {
        guard load.isAllowed(by: board.machine) else {
            guard load.call.waits ?? false else {
                return fail(load, .offline, "There is no network that it may use")
            }
            if !load.isWaiting { load.report(load.id, LoadReport(.waiting)) }
            load.isWaiting = true
            return
        }
        load.isWaiting = false
        start(load)
    }

    private func start(_ load: Load) {
        load.result = nil
        let url = load.chain.url
        let credential = load.credential.flatMap { $0.isMeant(for: url) ? $0 : nil }
        let fields = SessionTask.fields(
            load.call.fields, to: url, insteadOf: load.call.url, hasCredential: credential != nil)
        if let body = load.body, !body.seek(to: 0) {
            return fail(load, .fileMissing, "The file to send cannot be read")
        }
        let request = LoadRequest(
            url, method: load.method,
            fields: load.hasLostBody
                ? fields.filter { $0.name.lowercased() != "content-type" } : fields,
            credential: credential, body: load.body, pipe: load.pipe,
            seconds: load.deadline - now, now: now, settings
        ) { [unowned self, unowned load] in judge(load, $0) }
        guard let request else { return fail(load, .storage, "There is no memory for a request") }
        load.request = request
        multi.add(request.easy) { [unowned self, unowned load] in finish(load, $0) }
    }

    private func drop(_ load: Load) {
        guard let request = load.request.take() else { return }
        multi.remove(request.easy)
    }

    private func remove(_ load: Load) {
        drop(load)
        if loads.removeValue(forKey: load.id) != nil { board.countWatchers(-1) }
    }

    private func end(_ load: Load, _ report: LoadReport) {
        // The pipe ends before the client hears of the end.
        remove(load)
        load.closePipe()
        load.report(load.id, report)
    }

    private func fail(_ load: Load, _ failure: LoadReport.Failure, _ reason: String) {
        multi.outsideCallbacks { [self] in end(load, LoadReport(failure, reason)) }
    }

    // MARK: Responses

    /// Decides what becomes of a body. Called by libcurl.
    private func judge(_ load: Load, _ request: LoadRequest) -> LoadRequest.Treatment {
        let head = request.easy.head
        if RedirectChain.isRedirect(head.status), head["Location"] != nil { return .drop }
        if load.credential != nil, head.status == 401 { load.failures += 1 }
        load.challenges = load.acceptsRefusal ? [] : head.challenges(failures: load.failures)
        if let challenge = load.challenges.first {
            challenged(load, challenge)
            return .hold
        }
        respond(load, head)
        return .pass
    }

    private func challenged(_ load: Load, _ challenge: ServerChallenge) {
        var report = LoadReport(.challenged)
        report.challenge = challenge
        load.report(load.id, report)
    }

    private func respond(_ load: Load, _ head: ResponseHead) {
        _ = reportSent(load, isLast: true)
        var report = LoadReport(.responded)
        report.response = head.session
        load.report(load.id, report)
    }

    private func apply(_ answer: ChallengeAnswer, to load: Load) {
        guard let request = load.request, request.treatment == .hold,
            let challenge = load.challenges.first
        else { return }
        switch answer.action {
        case .credential:
            guard let credential = ServerCredential(answer, to: challenge) else {
                return fail(load, .cancelled, "Its challenge was answered without a credential")
            }
            load.credential = credential
            drop(load)
            start(load)
        case .other where load.challenges.count > 1:
            load.challenges.removeFirst()
            challenged(load, load.challenges[0])
        case .other, .response:
            load.acceptsRefusal = true
            respond(load, request.easy.head)
            request.release()
        case .cancel: fail(load, .cancelled, "Its challenge was not answered")
        }
    }

    /// A request has ended by itself.
    private func finish(_ load: Load, _ result: CURLcode) {
        guard let request = load.request else { return }
        if result == CURLE_OK { _ = request.decide() }
        load.result = result
        if request.treatment != .hold, request.flush() { conclude(load, request, result) }
    }

    private func conclude(_ load: Load, _ request: LoadRequest, _ result: CURLcode) {
        guard result == CURLE_OK else {
            if request.pipeError != 0 {
                return fail(load, .storage, "The body cannot be passed on")
            }
            let failure = Self.failure(result)
            let isOffline = board.machine.network.connectivity == .none && !load.isLocal
            if isOffline, failure == .unknownHost || failure == .cannotConnect {
                return fail(load, .offline, "There is no network")
            }
            return fail(load, failure, request.easy.trouble)
        }
        guard request.treatment == .drop else { return end(load, LoadReport(.finished)) }
        let status = request.easy.status
        guard let url = request.easy.redirect else {
            return fail(load, .badResponse, "The server redirects to nothing")
        }
        drop(load)
        switch load.chain.follow(status, to: url) {
        case nil:
            load.follow(status)
            start(load)
        case .tooMany?: fail(load, .tooManyRedirects, "There are too many redirects")
        case .unsupportedURL?: fail(load, .unsupportedURL, "It redirects to \(url)")
        }
    }

    /// Reports the bytes of the file that have been sent, if that is due; returns the time when it is.
    private func reportSent(_ load: Load, isLast: Bool = false) -> Double? {
        guard let body = load.body, body.position > 0, body.position != load.sent else {
            return nil
        }
        let due = load.sentTime + Self.reportSeconds
        guard isLast || now >= due else { return due }
        load.sent = body.position
        load.sentTime = now
        var report = LoadReport(.sending)
        report.sent = body.position
        load.report(load.id, report)
        return nil
    }

    private static func failure(_ result: CURLcode) -> LoadReport.Failure {
        switch result {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .unknownHost
        case CURLE_COULDNT_CONNECT: .cannotConnect
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            .certificate
        case CURLE_SSL_CONNECT_ERROR: .insecure
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: .badResponse
        case CURLE_URL_MALFORMAT: .unsupportedURL
        case CURLE_BAD_CONTENT_ENCODING: .encoded
        case CURLE_ABORTED_BY_CALLBACK, CURLE_READ_ERROR, CURLE_SEND_FAIL_REWIND: .fileMissing
        default: .lost
        }
    }
}

/// A load, through all its requests. Used on the engine's thread.
private final class Load {
    let id: Int
    let call: OpenLoad
    private(set) var pipe: Int32
    let report: LoadEngine.Report
    /// The time at which it is given up, in seconds since the machine started.
    let deadline: Double
    var chain: RedirectChain
    private(set) var method: String
    /// The file that is sent, unless a redirect asks for another method.
    private(set) var body: BodyFile?
    private(set) var hasLostBody = false
    var request: LoadRequest?
    /// The result of the request, which is over; nil while it runs.
    var result: CURLcode?
    /// True while it waits for a network.
    var isWaiting = false
    /// The challenges of the response that have not been rejected.
    var challenges: [ServerChallenge] = []
    var credential: ServerCredential?
    /// The number of credentials that were refused.
    var failures = 0
    /// True if a status 401 is a response like any other.
    var acceptsRefusal = false
    /// The bytes of the file that were reported, and when.
    var sent: Int64 = 0
    var sentTime = 0.0

    init(
        _ id: Int, _ call: OpenLoad, pipe: Int32, body: Int32?,
        _ report: @escaping LoadEngine.Report, now: Double
    ) {
        self.id = id
        self.call = call
        self.pipe = pipe
        self.report = report
        self.body = body.flatMap { BodyFile(owning: $0) }
        deadline = now + (call.within ?? 604_800)
        chain = RedirectChain(url: call.url)
        method = call.method
        _ = fcntl(pipe, F_SETFL, O_NONBLOCK)
    }

    deinit { closePipe() }

    var stall: Double { max(0.1, call.stall ?? 60) }

    func closePipe() {
        guard pipe >= 0 else { return }
        close(pipe)
        pipe = -1
    }

    /// Uses the method that a redirect with this status asks for.
    func follow(_ status: Int) {
        let changes = status == 303 || (status == 301 || status == 302) && method == "POST"
        guard changes, method != "HEAD" else { return }
        method = "GET"
        hasLostBody = body != nil
        body = nil
    }

    /// Returns true if the machine's network may be used, or is not needed.
    func isAllowed(by machine: MachineState) -> Bool {
        if isLocal { return true }
        let network = machine.network
        if call.metered == false, network.isMetered { return false }
        return network.connectivity != .none || !(call.waits ?? false)
    }

    /// True if it needs no network.
    var isLocal: Bool {
        guard let host = TransferURL(chain.url)?.host else { return false }
        let name = host.hasPrefix("[") ? host : String(host.prefix { $0 != ":" })
        return name == "localhost" || name.hasPrefix("127.") || name.hasPrefix("[::1]")
    }
}
