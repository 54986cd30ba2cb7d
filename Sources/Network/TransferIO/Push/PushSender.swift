import CUndersongCurl
package import UndersongBase
package import UndersongTransfers

/// Sends pushes to servers, some at a time, with libcurl on one thread, which starts with the first push
/// and ends with the last. Any thread may call it.
package final class PushSender: Sendable {
    /// The settings of a sender.
    package struct Settings: Sendable {
        /// The value of `User-Agent`.
        package var userAgent = "Undersong"
        /// A file with the certificates to trust; nil for the system's.
        package var certificateFile: String?
        /// The number of requests that run at the same time.
        package var concurrency = 16
        /// Seconds after which a push is given up, counted from its first attempt.
        package var timeout = 30.0

        package init() {}
    }

    /// The reason why a push has no answer.
    package struct Failure: Error, Hashable {
        /// "Could not resolve host: ntfy.example"
        package let reason: String
    }

    package typealias Done = @Sendable (Result<PushAnswer, Failure>) -> Void

    private let thread: EngineThread<PushSenderState>

    package init(_ settings: Settings, clock: any HostClock) {
        thread = EngineThread(named: "push sender", clock: clock) { multi, _ in
            PushSenderState(multi, settings, clock)
        }
    }

    /// Sends a push. `done` is called once, on the sender's thread, with the server's answer, whatever
    /// its status.
    package func send(_ push: OutgoingPush, _ done: @escaping Done) { thread.post((push, done)) }
}

/// The part of the sender that belongs to its thread.
final class PushSenderState: EngineState {
    typealias Letter = (push: OutgoingPush, done: PushSender.Done)

    private final class Posting {
        let push: OutgoingPush
        let done: PushSender.Done
        var chain: RedirectChain
        var easy: CURLEasy?
        /// The beginning of the answer's body.
        var body: [UInt8] = []
        /// The time at which it is given up; nil until its first request.
        var deadline: Double?

        init(_ letter: Letter) {
            push = letter.push
            done = letter.done
            chain = RedirectChain(url: letter.push.url)
        }
    }

    private let multi: CURLMulti
    private let settings: PushSender.Settings
    private let clock: any HostClock
    /// In the order in which they came.
    private var postings: [Posting] = []

    init(_ multi: CURLMulti, _ settings: PushSender.Settings, _ clock: any HostClock) {
        self.multi = multi
        self.settings = settings
        self.clock = clock
    }

    var isIdle: Bool { postings.isEmpty }

    func receive(_ letter: Letter) { postings.append(Posting(letter)) }

    func advance() -> Due {
        for posting in postings where posting.easy == nil {
            guard postings.count(where: { $0.easy != nil }) < settings.concurrency else { break }
            start(posting)
        }
        return .never
    }

    private func start(_ posting: Posting) {
        let now = clock.secondsSinceBoot
        let deadline = posting.deadline ?? now + settings.timeout
        posting.deadline = deadline
        guard deadline > now else { return fail(posting, tooLong) }
        let easy = CURLEasy(
            posting.chain.url, userAgent: settings.userAgent,
            certificateFile: settings.certificateFile)
        guard let easy else { return fail(posting, "There is no memory for a request") }
        easy.set(CURLOPT_FOLLOWLOCATION, 0)
        easy.set(CURLOPT_TIMEOUT_MS, Int(max(1, ((deadline - now) * 1000).rounded(.up))))
        easy.set(fields: posting.push.fields.map { "\($0.name): \($0.value)" })
        easy.post(posting.push.body)
        posting.body = []
        easy.onBody = { [unowned posting] bytes in
            let room = max(0, PushAnswer.bodyLimit - posting.body.count)
            unsafe posting.body.append(contentsOf: bytes.prefix(room))
            return bytes.count
        }
        posting.easy = easy
        multi.add(easy) { [unowned self, unowned posting] in finish(posting, $0) }
    }

    private func finish(_ posting: Posting, _ result: CURLcode) {
        guard let easy = posting.easy.take() else { return }
        multi.remove(easy)
        guard result == CURLE_OK else {
            return fail(
                posting, result == CURLE_OPERATION_TIMEDOUT ? tooLong : easy.trouble)
        }
        let head = easy.head
        guard RedirectChain.isRedirect(head.status), let url = easy.redirect else {
            return end(posting, .success(PushAnswer(head, body: posting.body)))
        }
        follow(posting, head.status, to: url)
    }

    /// Follows a redirect that keeps the method and the body, and to no less safe URL: a push is not what
    /// a GET brings.
    private func follow(_ posting: Posting, _ status: Int, to url: String) {
        let shown = NetworkName.withoutSecrets(url)
        guard status == 307 || status == 308 else {
            return fail(
                posting, "It redirects to \(shown), and a push would not arrive there (\(status))")
        }
        let wasSecure = TransferURL(posting.chain.url)?.isSecure ?? false
        switch posting.chain.follow(status, to: url) {
        case .tooMany?: fail(posting, "There are too many redirects")
        case .unsupportedURL?:
            fail(posting, "It redirects to \(shown), which is neither of HTTP nor of HTTPS")
        case nil:
            if wasSecure, TransferURL(url)?.isSecure == false {
                fail(posting, "It redirects from HTTPS to HTTP: \(shown)")
            }
        }
    }

    private var tooLong: String {
        "The server has not answered within \(Int(settings.timeout)) s"
    }

    private func fail(_ posting: Posting, _ reason: String) {
        end(posting, .failure(PushSender.Failure(reason: reason)))
    }

    private func end(_ posting: Posting, _ result: Result<PushAnswer, PushSender.Failure>) {
        postings.removeAll { $0 === posting }
        posting.done(result)
    }
}
