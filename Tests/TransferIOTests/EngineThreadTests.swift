import Dispatch
import Synchronization
import TestSupport
import Testing
import UndersongBase

@testable import UndersongTransferIO

@Suite(.blockingThreads, .timeLimit(.minutes(1))) struct `A thread of an engine` {
    /// The numbers that engines have received, and what their threads have signalled.
    private final class Log: Sendable {
        let numbers = Mutex<[Int]>([])
        let arrival = DispatchSemaphore(value: 0)
        let ending = DispatchSemaphore(value: 0)
    }

    private final class Engine: EngineState {
        enum Letter: Sendable {
            case number(Int)
            case token(Token)
            case end
        }

        private let log: Log
        private let rests: Bool
        private var isEnded = false

        /// `rests` makes an engine that is idle at once.
        init(_ log: Log, rests: Bool) {
            self.log = log
            self.rests = rests
        }

        deinit { log.ending.signal() }

        var isIdle: Bool { rests || isEnded }

        func receive(_ letter: Letter) {
            switch letter {
            case .number(let number): log.numbers.withLock { $0.append(number) }
            case .token: break
            case .end: isEnded = true
            }
            log.arrival.signal()
        }

        func advance() -> Due { .never }
    }

    private final class Token: Sendable {}

    private let log = Log()

    @Test func `A held thread receives letters in order once it is started`() throws {
        let thread = EngineThread<Engine>(named: "test", clock: ManualClock())
        for number in 1...3 { thread.post(.number(number)) }
        #expect(log.numbers.withLock { $0 } == [])

        thread.start { [log] _, _ in Engine(log, rests: false) }
        thread.post(.number(4))

        for _ in 1...4 { try log.arrival.waitPatiently() }
        #expect(log.numbers.withLock { $0 } == [1, 2, 3, 4])
        thread.post(.end)
        try log.ending.waitPatiently()
    }

    @Test func `A thread that was started and has ended drops letters`() throws {
        let thread = EngineThread<Engine>(named: "test", clock: ManualClock())
        thread.start { [log] _, _ in Engine(log, rests: false) }
        thread.post(.end)
        try log.ending.waitPatiently()

        var token: Token? = Token()
        weak let left = token
        if let token { thread.post(.token(token)) }
        token = nil

        #expect(left == nil)
    }

    @Test func `A thread that rests starts again with each letter`() throws {
        let thread = EngineThread(named: "test", clock: ManualClock()) { [log] _, _ in
            Engine(log, rests: true)
        }

        for number in 1...3 {
            thread.post(.number(number))
            try log.arrival.waitPatiently()
            try log.ending.waitPatiently()
        }

        #expect(log.numbers.withLock { $0 } == [1, 2, 3])
    }
}
