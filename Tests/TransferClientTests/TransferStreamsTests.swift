import Synchronization
import TestSupport
import Testing
import UndersongBase
import UndersongControl
import UndersongTransferClient
import UndersongTransfers

/// The connection of streams to `undersong-transferd`, which a mock plays.
@Suite(.blockingThreads, .timeLimit(.minutes(3)))
final class `The connection of streams`: Sendable {
    /// The requests to the program.
    private struct Requests {
        var opened: [String] = []
        var closed = 0
        /// The places that were wanted, by stream.
        var wanted: [Int: Int64] = [:]
        /// True if the next connection on which something is wanted ends.
        var losesNext = false
    }

    private let requests: SharedRequests
    private let transferd: MockTransferd
    private let streams: TransferStreams

    init() throws {
        let requests = SharedRequests()
        self.requests = requests
        transferd = try MockTransferd { requests.answer($0, $1, $2) }
        var location = TransferLocation(
            session: "default", runtimeFolder: transferd.folder, searchPath: nil)
        location.startsProgram = false
        streams = TransferStreams(location, folder: nil, name: "tests", clock: SystemClock())
    }

    deinit { transferd.end() }

    @Test func `The connection of streams is closed after the last one, and does not end the next`()
        throws
    {
        for round in 1...300 {
            let stream = try streams.stream(at: "http://a/\(round)", isForText: false)
            stream.want(0)
            try waitUntil { requests.wanted(ofLast: "http://a/\(round)") == 0 }
            #expect(stream.status.activity == .idle)
        }

        try waitUntil { transferd.openCount == 0 }
        #expect(requests.opened == (1...300).map { "http://a/\($0)" })
    }

    @Test func `The connection of streams is made again when lost, whatever is wanted meanwhile`()
        throws
    {
        for round in 1...200 {
            let stream = try streams.stream(at: "http://a/\(round)", isForText: false)
            requests.loseOnce()
            for place in 0..<Int64(20 + round % 30) { stream.want(place) }
            let last = Int64(1000 + round)
            stream.want(last)

            try waitUntil { requests.wanted(ofLast: "http://a/\(round)") == last }
        }
    }

    @Test func `The connection of streams ends a stream that was closed while it was opened`()
        throws
    {
        let keeper = try streams.stream(at: "http://a/keeper", isForText: false)
        keeper.want(0)
        try waitUntil { requests.wanted(ofLast: keeper.url) == 0 }
        for round in 1...200 {
            let stream = try streams.stream(at: "http://a/\(round)", isForText: false)
            stream.want(0)
        }

        try waitUntil { requests.closed == 200 }
        #expect(requests.opened.count == 201)
        withExtendedLifetime(keeper) {}
    }

    @Test func `The connection of streams finds a stream or none while it is closed`() throws {
        let isOver = Atomic(false)
        let looked = Semaphore()
        let url = "http://a/b"
        startThread(named: "test") { [streams] in
            while !isOver.load(ordering: .relaxed) {
                if let stream = streams.openStream(at: url) { #expect(stream.url == url) }
            }
            looked.post()
        }
        defer {
            isOver.store(true, ordering: .relaxed)
            looked.wait()
        }

        for _ in 0..<60_000 { _ = try streams.stream(at: url, isForText: false) }
    }

    /// The requests, as the mock's threads share them.
    private final class SharedRequests: Sendable {
        private let state = Mutex(Requests())

        var opened: [String] { state.withLock(\.opened) }
        var closed: Int { state.withLock(\.closed) }

        /// The place that was wanted last of the last stream at `url`.
        func wanted(ofLast url: String) -> Int64? {
            state.withLock { state in
                state.opened.lastIndex(of: url).flatMap { state.wanted[$0 + 1] }
            }
        }

        /// Ends the next connection on which something is wanted.
        func loseOnce() { state.withLock { $0.losesNext = true } }

        func answer(
            _ request: ControlRequest, _ connection: ControlConnection,
            _ reply: @escaping MockTransferd.Reply
        ) {
            switch request.method {
            case OpenStream.method:
                guard let call = try? request.decode(OpenStream.self) else { return }
                let id = state.withLock { state in
                    state.opened.append(call.url)
                    return state.opened.count
                }
                reply(.success(ControlReply(OpenStream.Reply(id: id))))
            case WantStream.method:
                guard let call = try? request.decode(WantStream.self) else { return }
                let isLost = state.withLock { state in
                    state.wanted[call.id] = call.from
                    defer { state.losesNext = false }
                    return state.losesNext
                }
                if isLost { connection.close(reason: "a test") }
                reply(.success(ControlReply(Nothing())))
            default:
                state.withLock { $0.closed += 1 }
                reply(.success(ControlReply(Nothing())))
            }
        }
    }
}
