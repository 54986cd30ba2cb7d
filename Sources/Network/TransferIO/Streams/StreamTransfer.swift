import CUndersongCurl
import Glibc
import UndersongBase
import UndersongTransfers

/// One stream, as `StreamPlan` decides: its requests, its file and its reports. Used on the engine's
/// thread, and by libcurl within its calls.
final class StreamTransfer {
    /// Seconds between two reports of bytes: a player that waits for them gets more.
    private static let reportSeconds = 1.0
    private static let urgentSeconds = 0.05

    private let call: OpenStream
    private let file: StreamFile
    private let multi: CURLMulti
    private let settings: StreamEngine.Settings
    private let clock: any HostClock
    private let report: (StreamReport) -> Void
    private(set) lazy var shell = ThreadShell(
        StreamPlan(call), now: { [clock] in clock.secondsSinceBoot },
        perform: { [unowned self] effects in for effect in effects { perform(effect) } })
    private var connection: StreamConnection?
    private var demultiplexer: ICYDemultiplexer?
    private var title: StreamReport.Title?
    /// The end of a request that has ended itself, within libcurl's call.
    private var ownEnding: StreamPlan.Ending?
    /// The last report, and the phase and the time of it.
    private var reported: (report: StreamReport, phase: StreamPlan.Phase, time: Double)?

    init(
        _ call: OpenStream, _ file: StreamFile, _ multi: CURLMulti,
        _ settings: StreamEngine.Settings, _ clock: any HostClock,
        report: @escaping (StreamReport) -> Void
    ) {
        self.call = call
        self.file = file
        self.multi = multi
        self.settings = settings
        self.clock = clock
        self.report = report
    }

    /// Does what is due, and what was decided within libcurl's calls. Returns when it has more to do.
    func advance() -> Due {
        shell.handle(.timePassed)
        var due = shell.nextDue
        due.limit(to: Due(boot: reportIfDue()))
        return due
    }

    /// Ends the request.
    func close() {
        ownEnding = nil
        guard let connection = connection.take() else { return }
        multi.remove(connection.easy)
    }

    // MARK: Reports

    /// Reports changes, or returns the time at which they are due.
    private func reportIfDue() -> Double? {
        let now = clock.secondsSinceBoot
        let plan = shell.machine
        var new = plan.report(title: title, at: now)
        guard let reported else {
            send(new, plan.phase, now)
            return nil
        }
        var last = reported.report
        // The time that is left until an attempt changes by itself.
        (last.retry, new.retry) = (nil, nil)
        guard new != last || plan.phase != reported.phase else { return nil }
        var withoutBytes = new
        (withoutBytes.available, withoutBytes.state) = (last.available, last.state)
        if withoutBytes == last, plan.phase.isReceiving, reported.phase.isReceiving {
            let due = reported.time + (plan.isAwaited ? Self.urgentSeconds : Self.reportSeconds)
            guard now >= due else { return due }
        }
        send(plan.report(title: title, at: now), plan.phase, now)
        return nil
    }

    private func send(_ new: StreamReport, _ phase: StreamPlan.Phase, _ now: Double) {
        reported = (new, phase, now)
        report(new)
    }

    // MARK: Requests

    private func perform(_ effect: StreamPlan.Effect) {
        switch effect {
        case .start(let request): start(request)
        case .cancel: close()
        case .pause: connection?.easy.setPaused(true)
        case .resume: connection?.easy.setPaused(false)
        }
    }

    private func start(_ request: StreamPlan.Request) {
        let reports = unsafe StreamConnection.Reports(
            head: { [unowned self] in accept($0) },
            body: { [unowned self] in unsafe store($1) })
        guard let connection = StreamConnection(request, settings: settings, reports) else {
            shell.handle(.ended(.lost("There is no memory for a request")))
            return
        }
        close()
        self.connection = connection
        multi.add(connection.easy) { [unowned self] in finish($0) }
    }

    /// Judges the header of a response once it is complete. Within libcurl's call, where no request
    /// may be begun or ended: `advance` does that.
    private func accept(_ connection: StreamConnection) -> Bool {
        let head = connection.easy.head
        shell.update {
            $0.judge(head, at: clock.secondsSinceBoot, date: clock.secondsSinceEpoch)
        }
        guard shell.machine.writeOffset != nil else { return false }
        demultiplexer = head["icy-metaint"].flatMap { Int($0) }
            .flatMap { ICYDemultiplexer(interval: $0) }
        return true
    }

    /// Stores a part of the body. Within libcurl's call.
    private func store(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard demultiplexer != nil else { return unsafe write(bytes) }
        for piece in unsafe demultiplexer?.pieces(of: bytes) ?? [] {
            switch piece {
            case .sound(let range):
                let sound = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
                guard unsafe write(sound) else { return false }
            // Stations repeat the present title all the time.
            case .title(let text) where text != title?.text:
                title = StreamReport.Title(offset: shell.machine.writeOffset ?? 0, text: text)
            case .title: break
            }
        }
        return true
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let plan = shell.machine
        guard let offset = plan.writeOffset else { return false }
        switch unsafe file.put(bytes, at: offset, available: plan.available) {
        case .written:
            shell.update { $0.count(Int64(bytes.count)) }
            // Libcurl may read megabytes before it returns. `advance` follows, and then what is
            // wanted.
            if shell.machine.isFull { connection?.easy.setPaused(true) }
            return true
        case .differs: ownEnding = .mismatch
        case .failed(ENOSPC), .failed(EDQUOT): ownEnding = .diskFull
        case .failed(let code):
            ownEnding = .failed(
                StreamFailure(
                    .storage, "The received bytes cannot be written: \(SystemError(code).reason)"))
        }
        return false
    }

    private func finish(_ result: CURLcode) {
        guard let connection else { return }
        // A response without a body.
        if result == CURLE_OK { connection.decide() }
        let ending = ownEnding ?? ending(result, connection)
        let isRefused = connection.isAccepted == false
        close()
        // A refusal has decided what follows.
        if !isRefused { shell.handle(.ended(ending)) }
    }

    private func ending(
        _ result: CURLcode, _ connection: StreamConnection
    ) -> StreamPlan.Ending {
        switch result {
        case CURLE_OK: .complete
        case CURLE_TOO_MANY_REDIRECTS:
            .failed(StreamFailure(.tooManyRedirects, "The server redirects more than 20 times"))
        case CURLE_UNSUPPORTED_PROTOCOL where connection.easy.status == 0:
            .lost("The server does not answer in HTTP")
        case CURLE_UNSUPPORTED_PROTOCOL:
            .failed(
                StreamFailure(
                    .unsupportedURL,
                    "The server redirects to a URL that is neither of HTTP nor of HTTPS"))
        case CURLE_URL_MALFORMAT:
            .failed(
                StreamFailure(.unsupportedURL, "The URL is not valid: \(connection.easy.trouble)"))
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            .failed(
                StreamFailure(
                    .certificate,
                    "The server's certificate is not valid: \(connection.easy.trouble)"))
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR:
            .lost("The connection was lost")
        case CURLE_COULDNT_RESOLVE_HOST:
            .lost(
                "There is no host \(host(connection))",
                settings.isOnline() ? .unknownHost : .offline)
        case CURLE_COULDNT_CONNECT where connection.easy.systemError == ECONNREFUSED:
            .lost("The server refuses the connection", .refused)
        case CURLE_OPERATION_TIMEDOUT:
            .lost("The server does not answer", settings.isOnline() ? .other : .offline)
        default: .lost(connection.easy.trouble, settings.isOnline() ? .other : .offline)
        }
    }

    /// The host that a request is for, after redirects.
    private func host(_ connection: StreamConnection) -> String {
        let url = connection.easy.head.url
        return TransferURL(url)?.host ?? url
    }
}

extension StreamPlan.Phase {
    fileprivate var isReceiving: Bool { if case .receiving = self { true } else { false } }
}
