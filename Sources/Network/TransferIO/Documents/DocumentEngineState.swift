import CUndersongCurl
import Glibc
import UndersongBase
import UndersongPodcasts
import UndersongTransfers

/// The part of the engine that belongs to its thread.
final class DocumentEngineState: EngineState {
    enum Letter: Sendable {
        case open(id: Int, FetchDocument, file: Int32, DocumentEngine.Done)
        case close(id: Int)
    }

    private final class Fetch {
        let id: Int
        let call: FetchDocument
        let file: Int32
        let done: DocumentEngine.Done
        var chain: RedirectChain
        var request: DocumentRequest?
        /// The time at which it is given up; nil until its first request.
        var deadline: Double?

        init(
            _ id: Int, _ call: FetchDocument, file: Int32, _ done: @escaping DocumentEngine.Done
        ) {
            self.id = id
            self.call = call
            self.file = file
            self.done = done
            chain = RedirectChain(url: call.url)
        }

        deinit { Glibc.close(file) }

        var host: String? { TransferURL(chain.url)?.host }
    }

    private let multi: CURLMulti
    private let settings: DocumentEngine.Settings
    private let clock: any HostClock
    /// In the order in which they came.
    private var fetches: [Fetch] = []

    init(_ multi: CURLMulti, _ settings: DocumentEngine.Settings, _ clock: any HostClock) {
        self.multi = multi
        self.settings = settings
        self.clock = clock
    }

    var isIdle: Bool { fetches.isEmpty }

    func receive(_ letter: Letter) {
        switch letter {
        case .open(let id, let call, let file, let done):
            fetches.append(Fetch(id, call, file: file, done))
        case .close(let id):
            guard let index = fetches.firstIndex(where: { $0.id == id }) else { return }
            drop(fetches.remove(at: index))
        }
    }

    func advance() -> Due {
        startSome()
        return .never
    }

    // MARK: Requests

    private func startSome() {
        for fetch in fetches where fetch.request == nil {
            let running = fetches.filter { $0.request != nil }
            guard running.count < settings.concurrency else { return }
            let isFree =
                running.count { $0.host == fetch.host } < settings.concurrencyPerHost
            if isFree { start(fetch) }
        }
    }

    private func start(_ fetch: Fetch) {
        let now = clock.secondsSinceBoot
        let deadline = fetch.deadline ?? now + settings.timeout
        fetch.deadline = deadline
        guard deadline > now else { return fail(fetch, .timedOut, "It took too long") }
        let request = DocumentRequest(
            fetch.call, url: fetch.chain.url, file: fetch.file, seconds: deadline - now, settings)
        guard let request else {
            return fail(fetch, .storage, "There is no memory for a request")
        }
        fetch.request = request
        multi.add(request.easy) { [unowned self, unowned fetch] in finish(fetch, $0) }
    }

    private func drop(_ fetch: Fetch) {
        guard let request = fetch.request.take() else { return }
        multi.remove(request.easy)
    }

    private func finish(_ fetch: Fetch, _ result: CURLcode) {
        guard let request = fetch.request else { return }
        let head = request.easy.head
        drop(fetch)
        if let failure = request.failure {
            let text =
                failure == .tooLarge
                ? "It is longer than \(request.limit >> 20) MiB" : "It cannot be stored"
            return fail(fetch, failure, text, length: request.length)
        }
        guard result == CURLE_OK else {
            return fail(
                fetch, Self.failure(result), request.easy.trouble, length: request.length)
        }
        if RedirectChain.isRedirect(head.status), let url = request.easy.redirect {
            switch fetch.chain.follow(head.status, to: url) {
            case nil: return
            case .tooMany?:
                return fail(fetch, .tooManyRedirects, "There are too many redirects")
            case .unsupportedURL?:
                return fail(fetch, .unsupportedURL, "It redirects to \(url)")
            }
        }
        end(fetch, answer(head, request, fetch))
    }

    private func answer(
        _ head: ResponseHead, _ request: DocumentRequest, _ fetch: Fetch
    ) -> DocumentAnswer {
        var answer = DocumentAnswer(status: head.status)
        answer.url = fetch.chain.url
        answer.movedTo = fetch.chain.movedTo
        answer.etag = head["ETag"]
        answer.modified = head["Last-Modified"]
        answer.type = head.contentType
        answer.charset = head.charset
        answer.cacheControl = head["Cache-Control"]
        answer.retryAfter = head.retryAfter(now: clock.secondsSinceEpoch)
        answer.length = request.length
        return answer
    }

    private func fail(
        _ fetch: Fetch, _ failure: DocumentAnswer.Failure, _ reason: String, length: Int64 = 0
    ) {
        var answer = DocumentAnswer()
        answer.failure = .known(failure)
        answer.reason = reason
        answer.length = length
        end(fetch, answer)
    }

    private func end(_ fetch: Fetch, _ answer: DocumentAnswer) {
        fetches.removeAll { $0 === fetch }
        fetch.done(fetch.id, answer)
    }

    private static func failure(_ result: CURLcode) -> DocumentAnswer.Failure {
        switch result {
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE: .certificate
        default: .unreachable
        }
    }
}
