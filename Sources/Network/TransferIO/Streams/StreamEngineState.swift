import CUndersongCurl
import Glibc
import UndersongBase
import UndersongTransfers

/// The part of the engine that belongs to its thread.
final class StreamEngineState: EngineState {
    enum Letter: Sendable {
        case open(id: Int, OpenStream, file: Int32)
        case want(id: Int, from: Int64, until: Int64)
        case close(id: Int)
    }

    /// Seconds between two reports of bytes: a player that waits for them gets more.
    private static let reportSeconds = 1.0
    private static let urgentSeconds = 0.05

    private final class Stream {
        let id: Int
        let file: StreamFile
        var plan: StreamPlan
        var connection: StreamConnection?
        var demultiplexer: ICYDemultiplexer?
        var title: StreamReport.Title?
        /// How a request has ended that ended itself, within libcurl's call.
        var ending: StreamPlan.Ending?
        /// What was reported last, and when.
        var reported: (report: StreamReport, phase: StreamPlan.Phase)?
        var reportTime = 0.0

        init(_ id: Int, _ call: OpenStream, file: Int32) {
            self.id = id
            self.file = StreamFile(file)
            plan = StreamPlan(call)
        }
    }

    private let multi: CURLMulti
    private let settings: StreamEngine.Settings
    private let clock: any HostClock
    private let report: @Sendable (_ id: Int, StreamReport) -> Void
    private var streams: [Int: Stream] = [:]

    init(
        _ multi: CURLMulti, _ settings: StreamEngine.Settings, _ clock: any HostClock,
        _ report: @escaping @Sendable (_ id: Int, StreamReport) -> Void
    ) {
        self.multi = multi
        self.settings = settings
        self.clock = clock
        self.report = report
    }

    var isIdle: Bool { streams.isEmpty }

    func take(_ letter: Letter) {
        switch letter {
        case .open(let id, let call, let file): streams[id] = Stream(id, call, file: file)
        case .want(let id, let from, let until):
            if let stream = streams[id] { handle(.want(from: from, until: until), stream) }
        case .close(let id):
            if let stream = streams.removeValue(forKey: id) { drop(stream) }
        }
    }

    func step() {
        for stream in streams.values { handle(.tick, stream) }
        multi.perform()
        while let (id, result) = multi.nextEnded() {
            if let stream = streams.values.first(where: { $0.connection?.easy.id == id }) {
                finish(stream, result)
            }
        }
        // What was decided within libcurl's calls is done outside of them.
        for stream in streams.values { handle(.tick, stream) }
        let due = streams.values.compactMap(reportIfDue).min() ?? .infinity
        wait(until: streams.values.compactMap(\.plan.nextDue).reduce(due, min))
    }

    private func wait(until due: Double) {
        guard !streams.isEmpty else { return }
        multi.wait(seconds: due - clock.secondsSinceBoot)
    }

    /// Reports what has changed about a stream, or returns when that is due.
    private func reportIfDue(_ stream: Stream) -> Double? {
        let now = clock.secondsSinceBoot
        let phase = stream.plan.phase
        var new = stream.plan.report(title: stream.title, at: now)
        guard let reported = stream.reported else {
            send(new, of: stream, now)
            return nil
        }
        var last = reported.report
        // The time that is left until an attempt changes by itself.
        (last.retry, new.retry) = (nil, nil)
        guard new != last || phase != reported.phase else { return nil }
        var withoutBytes = new
        (withoutBytes.available, withoutBytes.state) = (last.available, last.state)
        let isOnlyMore = withoutBytes == last && phase.isReceiving && reported.phase.isReceiving
        let due =
            !isOnlyMore
            ? now
            : stream.reportTime
                + (stream.plan.isAwaited ? Self.urgentSeconds : Self.reportSeconds)
        guard now >= due else { return due }
        send(stream.plan.report(title: stream.title, at: now), of: stream, now)
        return nil
    }

    private func send(_ new: StreamReport, of stream: Stream, _ now: Double) {
        stream.reported = (new, stream.plan.phase)
        stream.reportTime = now
        report(stream.id, new)
    }

    // MARK: Requests

    private func handle(_ input: StreamPlan.Input, _ stream: Stream) {
        for effect in stream.plan.handle(input, at: clock.secondsSinceBoot) {
            switch effect {
            case .start(let request): start(request, stream)
            case .cancel: drop(stream)
            case .pause: stream.connection?.easy.setPaused(true)
            case .resume: stream.connection?.easy.setPaused(false)
            }
        }
    }

    private func start(_ request: StreamPlan.Request, _ stream: Stream) {
        let reports = unsafe StreamConnection.Reports(
            head: { [unowned self, unowned stream] in accept($0, stream) },
            body: { [unowned self, unowned stream] in unsafe take($1, of: stream) })
        guard let connection = StreamConnection(request, settings: settings, reports) else {
            return handle(.ended(.lost("There is no memory for a request")), stream)
        }
        drop(stream)
        stream.connection = connection
        multi.add(connection.easy)
    }

    private func drop(_ stream: Stream) {
        stream.ending = nil
        guard let connection = stream.connection.take() else { return }
        multi.remove(connection.easy)
    }

    /// The header of a response is complete. Within libcurl's call.
    private func accept(_ connection: StreamConnection, _ stream: Stream) -> Bool {
        let head = connection.easy.head
        // What follows from it is left to `tick`: no request may be ended or begun here.
        stream.plan.judge(head, at: clock.secondsSinceBoot, date: clock.secondsSinceEpoch)
        guard stream.plan.writeOffset != nil else { return false }
        stream.demultiplexer = head["icy-metaint"].flatMap { Int($0) }
            .flatMap { ICYDemultiplexer(interval: $0) }
        return true
    }

    /// Writes a part of the body. Within libcurl's call.
    private func take(_ bytes: UnsafeRawBufferPointer, of stream: Stream) -> Bool {
        guard stream.demultiplexer != nil else { return unsafe put(bytes, of: stream) }
        for piece in unsafe stream.demultiplexer?.split(bytes) ?? [] {
            switch piece {
            case .sound(let range):
                let sound = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
                guard unsafe put(sound, of: stream) else { return false }
            // Stations repeat the present title all the time.
            case .title(let text) where text != stream.title?.text:
                stream.title = StreamReport.Title(
                    offset: stream.plan.writeOffset ?? 0, text: text)
            case .title: break
            }
        }
        return true
    }

    private func put(_ bytes: UnsafeRawBufferPointer, of stream: Stream) -> Bool {
        guard let offset = stream.plan.writeOffset else { return false }
        switch unsafe stream.file.put(bytes, at: offset, available: stream.plan.available) {
        case .written:
            stream.plan.count(Int64(bytes.count))
            // Libcurl may read megabytes before it returns. `tick` follows, and then what is wanted.
            if stream.plan.isFull { stream.connection?.easy.setPaused(true) }
            return true
        case .differs: stream.ending = .mismatch
        case .failed(ENOSPC), .failed(EDQUOT): stream.ending = .diskFull
        case .failed(let code):
            stream.ending = .failed(
                StreamFailure(
                    .storage, "What is received cannot be written: \(SystemError(code).reason)"))
        }
        return false
    }

    private func finish(_ stream: Stream, _ result: CURLcode) {
        guard let connection = stream.connection else { return }
        // A response without a body.
        if result == CURLE_OK { connection.decide() }
        let ending = stream.ending ?? ending(result, connection)
        let isRefused = connection.isAccepted == false
        drop(stream)
        // What follows a refusal was decided with the refusal.
        if !isRefused { handle(.ended(ending), stream) }
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
