import CCurl
import Glibc
import Playback
import Transfers

/// The part of the engine that belongs to its thread.
final class DocumentEngineState {
    private final class Fetch {
        let id: Int
        let order: DocumentOrder
        let done: DocumentEngine.Done
        var chain: RedirectChain
        var request: DocumentRequest?
        /// When it is given up; nil until its first request.
        var deadline: Double?

        init(_ id: Int, _ order: DocumentOrder, _ done: @escaping DocumentEngine.Done) {
            self.id = id
            self.order = order
            self.done = done
            chain = RedirectChain(url: order.url)
        }

        deinit { Glibc.close(order.file) }

        var host: String? { TransferURL(chain.url)?.host }
    }

    private let multi: CURLPointer
    private let settings: DocumentEngine.Settings
    private let clock: any HostClock
    /// In the order in which they came.
    private var fetches: [Fetch] = []

    init(_ multi: CURLPointer, _ settings: DocumentEngine.Settings, _ clock: any HostClock) {
        self.multi = multi
        self.settings = settings
        self.clock = clock
    }

    var isEmpty: Bool { fetches.isEmpty }

    func open(_ id: Int, _ order: DocumentOrder, _ done: @escaping DocumentEngine.Done) {
        fetches.append(Fetch(id, order, done))
    }

    func close(_ id: Int) {
        guard let index = fetches.firstIndex(where: { $0.id == id }) else { return }
        drop(fetches.remove(at: index))
    }

    /// Lets libcurl work, reports what has ended, and waits for more.
    func step() {
        startSome()
        var running: Int32 = 0
        unsafe curl_multi_perform(multi.raw, &running)
        var left: Int32 = 0
        var hasEnded = false
        while let message = unsafe curl_multi_info_read(multi.raw, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
            let handle = unsafe message.pointee.easy_handle.map { unsafe CURLPointer($0) }
            let result = unsafe ccurl_result(message)
            if let fetch = fetches.first(where: { $0.request?.handle == handle }) {
                hasEnded = true
                finish(fetch, result)
            }
        }
        // What waits for a place may have one now.
        guard !hasEnded, !fetches.isEmpty else { return }
        unsafe curl_multi_poll(multi.raw, nil, 0, 3_600_000, nil)
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
        let deadline = fetch.deadline ?? now + fetch.order.timeout
        fetch.deadline = deadline
        guard deadline > now else { return fail(fetch, .timedOut, "It took too long") }
        let request = DocumentRequest(
            fetch.order, url: fetch.chain.url, seconds: deadline - now, settings)
        guard let request else {
            return fail(fetch, .storage, "There is no memory for a request")
        }
        fetch.request = request
        unsafe curl_multi_add_handle(multi.raw, request.handle.raw)
    }

    private func drop(_ fetch: Fetch) {
        guard let request = fetch.request.take() else { return }
        unsafe curl_multi_remove_handle(multi.raw, request.handle.raw)
    }

    private func finish(_ fetch: Fetch, _ result: CURLcode) {
        guard let request = fetch.request else { return }
        let head = request.head
        drop(fetch)
        if let failure = request.failure {
            let limit = fetch.order.limit >> 20
            let text =
                failure == .tooLarge
                ? "It is longer than \(limit) MiB" : "It cannot be stored"
            return fail(fetch, failure, text)
        }
        guard result == CURLE_OK else { return fail(fetch, Self.failure(result), request.trouble) }
        if RedirectChain.isRedirect(head.status), let url = request.redirect {
            switch fetch.chain.follow(head.status, to: url) {
            case nil: return
            case .tooMany?:
                return fail(fetch, .tooManyRedirects, "There are too many redirects")
            case .unsupportedURL?:
                return fail(fetch, .unsupportedURL, "It leads to \(url)")
            }
        }
        end(fetch, answer(head, request, fetch))
    }

    private func answer(
        _ head: ResponseHead, _ request: DocumentRequest, _ fetch: Fetch
    ) -> DocumentAnswer {
        var answer = DocumentAnswer()
        answer.status = head.status
        answer.movedTo = fetch.chain.movedTo
        answer.etag = head["ETag"]
        answer.modified = head["Last-Modified"]
        answer.type = head.contentType
        answer.cacheControl = head["Cache-Control"]
        answer.retryAfter = head.retryAfter(now: clock.secondsSinceEpoch)
        answer.length = request.length
        return answer
    }

    private func fail(_ fetch: Fetch, _ failure: DocumentAnswer.Failure, _ reason: String) {
        var answer = DocumentAnswer()
        answer.failure = failure
        answer.reason = reason
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
