import Testing
import UndersongTransfers

/// The questions of a server, and the answers of a session's host.
@Suite struct `A question to a session's host` {
    private var policy = TransferPolicy(seed: 1)
    private var time = 1000.0

    private static let url = "https://a.example/file"

    private mutating func handle(_ input: TransferPolicy.Input) -> [TransferPolicy.Effect] {
        policy.handle(input, at: Moment(boot: time, epoch: time))
    }

    /// Adds a task and begins it.
    private mutating func begin(earliest: Double? = nil) -> [TransferPolicy.Effect] {
        var request = TransferRequest(url: Self.url, destination: "/file")
        request.earliestBegin = earliest
        var session = SessionTask(session: "s", number: 1)
        session.fields = [SessionTask.Field(name: "Authorization", value: "old")]
        _ = handle(.session(.add(request, session, TransferPart())))
        return handle(.session(.resume(1, isBackground: false)))
    }

    private func attempt(_ effects: [TransferPolicy.Effect]) -> TransferAttempt? {
        for case .start(1, let attempt) in effects { return attempt }
        return nil
    }

    private var question: SessionQuestion? { policy.tasks[1]?.session?.question }

    private func refusal(_ url: String = Self.url) -> ResponseHead {
        ResponseHead(
            status: 401, url: url,
            ["WWW-Authenticate": "Basic realm=\"a\", Digest realm=\"b, c\", nonce=\"x\""])
    }

    @Test mutating func `A challenge stops the task, and its answer is sent to that server only`()
        throws
    {
        #expect(attempt(begin())?.credential == nil)
        let effects = handle(.response(1, refusal("https://b.example/there")))

        #expect(effects.contains(.stop(1)))
        let first = try #require(question)
        #expect(first.challenges.map(\.method) == [.known(.digest), .known(.basic)])
        #expect(first.challenges.map(\.realm) == ["b, c", "a"])
        #expect(!policy.isBusy(session: "s") && !policy.hasWork)
        let answer = ChallengeAnswer(user: "me", password: "secret")
        #expect(
            attempt(handle(.session(.answer(1, question: first.number + 1, answer)))) == nil)
        let sent = try #require(
            attempt(handle(.session(.answer(1, question: first.number, answer)))))
        #expect(sent.url == "https://b.example/there" && sent.fields == [])
        #expect(sent.credential?.method == .digest && sent.credential?.password == "secret")

        _ = handle(.response(1, refusal("https://b.example/there")))

        let second = try #require(question)
        #expect(second.challenges.map(\.failures) == [1, 1] && second.number > first.number)
        _ = handle(.session(.answer(1, question: second.number, ChallengeAnswer(.cancel))))
        #expect(policy.tasks[1]?.stage == .cancelled)
        #expect(policy.tasks[1]?.session?.credential == nil && question == nil)
    }

    @Test mutating func `A challenge that nobody answers is the response`() throws {
        _ = begin()
        _ = handle(.response(1, refusal()))
        let digest = try #require(question)
        _ = handle(.session(.answer(1, question: digest.number, ChallengeAnswer(.other))))
        let basic = try #require(question)
        #expect(basic.challenges.map(\.method) == [.known(.basic)])

        let sent = attempt(
            handle(.session(.answer(1, question: basic.number, ChallengeAnswer(.other)))))

        #expect(sent?.credential == nil && sent?.fields.map(\.value) == ["old"])
        #expect(handle(.response(1, refusal())).contains(.write(1, 0)))
    }

    @Test mutating func `A status 401 without a method that is known is the response`() {
        _ = begin()
        let head = ResponseHead(
            status: 401, url: Self.url, ["WWW-Authenticate": "Negotiate, NTLM abc=="])

        #expect(handle(.response(1, head)).contains(.write(1, 0)))
    }

    @Test mutating func `A delayed task asks once its date has come, and begins without an answer`()
        throws
    {
        #expect(attempt(begin(earliest: 1100)) == nil)
        #expect(question == nil)
        time = 1100
        #expect(attempt(handle(.timePassed)) == nil)
        #expect(try #require(question).challenges == [])
        #expect(policy.hasWork)

        time = 1100 + TransferPolicy.delayLimit - 1
        #expect(attempt(handle(.timePassed)) == nil)
        time += 1

        #expect(attempt(handle(.timePassed))?.url == Self.url)
        #expect(question == nil)
    }

    @Test mutating func `A delayed task begins with the request that the host gives it`() throws {
        _ = begin(earliest: 1100)
        time = 1100
        _ = handle(.timePassed)
        let number = try #require(question).number
        let request = SessionTask.Request(url: "https://c.example/new", method: "POST")

        let sent = attempt(handle(.session(.begin(1, question: number, request))))

        #expect(sent?.url == "https://c.example/new" && sent?.method == "POST")
        #expect(sent?.fields == [])
    }
}
