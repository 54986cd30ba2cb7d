import Dispatch
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongTransferClient
import UndersongTransfers

/// The link to `undersong-transferd`, which a mock plays.
@Suite(.blockingThreads, .timeLimit(.minutes(3)))
final class `A link to a service`: Sendable {
    /// The events of the link, and the actions of the mock.
    private struct Events {
        var opened: [Int] = []
        var ended: [Bool] = []
        var closed: [Int] = []
        var delays: [Double?] = []
        /// True if the next call ends its connection instead of being answered.
        var losesNext = false
        var isSilent = false
        /// The replies that are never sent: a request that is dropped is answered with an error.
        var unsent: [MockTransferd.Reply] = []
    }

    private let events: SharedEvents
    private let transferd: MockTransferd
    private let clock = ManualClock()
    private let link: ControlLink

    init() throws {
        let events = SharedEvents()
        self.events = events
        transferd = try MockTransferd { events.answer($0, $1, $2) }
        link = ControlLink(Self.location(transferd.folder), name: "tests", clock: clock)
    }

    deinit {
        link.close()
        transferd.end()
    }

    @Test func `ControlLink has the connection made for the first call, and keeps it`() throws {
        for number in 1...3 { #expect(result(of: number) == .success) }

        #expect(events.value.closed == [1, 2, 3])
        #expect(transferd.openedCount == 1)
        #expect(events.value.opened.count == 1)
    }

    @Test func `ControlLink keeps calls in order that are made while it connects`() throws {
        let (mayConnect, answers) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let location = Self.location(transferd.folder)
        let link = ControlLink(clock: clock, queue: DispatchQueue(label: "test")) {
            onNotice, onClose throws(ControlError) in
            mayConnect.wait()
            return try location.connect(name: "tests", onNotice: onNotice, onClose: onClose)
        }
        for number in 1...20 {
            link.send(CloseStream(id: number), events.handlers) { _ in answers.signal() }
        }
        #expect(link.connection == nil)

        mayConnect.signal()

        for _ in 1...20 { try answers.waitPatiently() }
        #expect(events.value.closed == Array(1...20))
        #expect(transferd.openedCount == 1)
        link.close()
    }

    @Test func `ControlLink connects again after the time that its user returns`() throws {
        events.change { ($0.delays, $0.losesNext) = ([0, 3, 7], true) }
        #expect(result(of: 1) == .lost)
        // At once.
        try waitUntil { events.value.opened.count == 2 }
        transferd.end()
        try waitUntil { clock.dueTimes.count == 1 }
        #expect(events.value.ended == [true, true])
        #expect(clock.dueTimes == [clock.now + 3_000_000_000])

        clock.advance(by: 3)

        // There is nobody.
        try waitUntil { events.value.ended == [true, true, false] }
        try waitUntil { clock.dueTimes == [clock.now + 7_000_000_000] }
    }

    @Test func `ControlLink is opened by the next call if its user wants no other attempt`() throws
    {
        events.change { ($0.delays, $0.losesNext) = ([nil], true) }
        #expect(result(of: 1) == .lost)
        try waitUntil { events.value.ended == [true] }

        #expect(result(of: 2) == .success)

        #expect(events.value.closed == [2])
        #expect(events.value.opened.count == 2)
        #expect(clock.dueTimes == [])
    }

    @Test func `ControlLink is not closed while it is wanted, and reports nothing when it is`()
        throws
    {
        #expect(result(of: 1) == .success)

        link.close(unless: { true })
        #expect(result(of: 2) == .success)
        link.close(unless: { false })

        #expect(link.connection == nil)
        try waitUntil { transferd.openCount == 0 }
        #expect(result(of: 3) == .success)
        #expect(transferd.openedCount == 2)
        #expect(events.value.ended == [])
    }

    @Test func `ControlLink gives up a connection on which a call hangs`() async throws {
        events.change { ($0.delays, $0.isSilent) = ([nil], true) }
        async let result: Nothing = link.call(CloseStream(id: 1), within: 10, events.handlers)
        try await eventually { clock.dueTimes == [11_000_000_000] }
        #expect(transferd.openCount == 1)

        clock.advance(by: 10)

        do {
            _ = try await result
            Issue.record("The call was answered")
        } catch {
            #expect((error as? ControlError)?.code == .unavailable)
        }
        try await eventually { events.value.ended == [true] }
        #expect(link.connection == nil)
    }

    @Test func `ControlLink calls its user on the present connection only`() throws {
        #expect(result(of: 1) == .success)
        let first = try #require(link.connection?.number)
        link.close()
        #expect(result(of: 2) == .success)
        let second = try #require(link.connection?.number)
        let done = DispatchSemaphore(value: 0)

        link.perform(on: first) { [events] _ in events.change { $0.closed.append(-1) } }
        link.perform(on: second) { _ in done.signal() }
        try done.waitPatiently()

        #expect(second > first)
        #expect(events.value.closed == [1, 2])
    }

    private enum Outcome: Equatable {
        case success
        case lost
        case refused
    }

    private func result(of number: Int) -> Outcome {
        do throws(ControlError) {
            _ = try link.connect(events.handlers).client.call(CloseStream(id: number))
            return .success
        } catch {
            return error.code == .unavailable ? .lost : .refused
        }
    }

    private static func location(_ folder: String) -> TransferLocation {
        var location = TransferLocation(session: "default", runtimeFolder: folder, searchPath: nil)
        location.startsProgram = false
        return location
    }

    /// The events, as the link's and the mock's threads share them.
    private final class SharedEvents: Sendable {
        private let state = Mutex(Events())

        var value: Events { state.withLock(\.self) }

        func change(_ body: (inout Events) -> Void) { state.withLock { body(&$0) } }

        var handlers: ControlLink.Handlers {
            ControlLink.Handlers(
                opened: { connection throws(ControlError) in
                    self.change { $0.opened.append(connection.number) }
                    // Only a connection on which something was sent shows its end.
                    _ = try connection.client.call(GetPushListening())
                },
                ended: { _, wasOpen in
                    self.state.withLock { events in
                        events.ended.append(wasOpen)
                        return events.delays.isEmpty ? nil : events.delays.removeFirst()
                    }
                })
        }

        func answer(
            _ request: ControlRequest, _ connection: ControlConnection,
            _ reply: @escaping MockTransferd.Reply
        ) {
            guard let call = try? request.decode(CloseStream.self),
                request.method == CloseStream.method
            else { return reply(.success(ControlReply(Nothing()))) }
            let (isLost, isSilent) = state.withLock { events in
                defer { events.losesNext = false }
                if !events.losesNext { events.closed.append(call.id) }
                return (events.losesNext, events.isSilent)
            }
            if isLost { return connection.close(reason: "a test") }
            if isSilent { return state.withLock { $0.unsent.append(reply) } }
            reply(.success(ControlReply(Nothing())))
        }
    }
}
