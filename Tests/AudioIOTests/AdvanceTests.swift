import Playback
import TestSupport
import Testing
import Threads

@testable import AudioIO

/// What is made before it is needed, such as a connection to the sound server.
@Suite struct `A value made in advance` {
    private static let long: Int64 = 60_000_000_000
    private static let refusal = OutputError(
        .serverUnavailable, operation: "connect to the sound server", reason: "Connection refused")

    @Test func `is waited for while it is being made, and handed over once`() throws {
        let mayGoOn = Semaphore()
        let advance = Advance(keptFor: Self.long) { () throws(OutputError) in
            mayGoOn.wait()
            return 7
        }

        #expect(advance.isPending)
        mayGoOn.post()
        #expect(try advance.take() == 7)
        #expect(!advance.isPending)
        #expect(try advance.take() == nil)
    }

    @Test func `that could not be made before it was wanted is to be made in another way`() throws {
        let advance = Advance<Int>(keptFor: Self.long) { () throws(OutputError) in
            throw Self.refusal
        }
        while advance.isPending { HostTime.sleep(until: HostTime.now() + 1_000_000) }

        #expect(try advance.take() == nil)
    }

    @Test func `that cannot be made fails whoever waits for it, with the same error`() {
        let mayFail = Semaphore()
        let advance = Advance<Int>(keptFor: Self.long) { () throws(OutputError) in
            mayFail.wait()
            throw Self.refusal
        }
        let errors = Inbox<OutputError>()

        together(
            {
                do throws(OutputError) { _ = try advance.take() } catch { errors.put(error) }
            },
            {
                // The other thread has begun to wait by then, or fails this test on its own.
                HostTime.sleep(until: HostTime.now() + 50_000_000)
                mayFail.post()
            })

        #expect(errors.rest == [Self.refusal])
    }

    @Test(arguments: [false, true])
    func `that nobody takes is let go of`(isDropped: Bool) throws {
        let freed = Semaphore()
        let advance = Advance(keptFor: isDropped ? Self.long : 1_000_000) { Trace(freed) }

        if isDropped { advance.drop() }

        #expect(freed.wait(until: HostTime.now() + 10_000_000_000))
        #expect(!advance.isPending)
        #expect(try advance.take() == nil)
    }

    @Test func `that is taken stays with its owner`() throws {
        let freed = Semaphore()
        let advance = Advance(keptFor: 1_000_000) { Trace(freed) }

        let trace = try advance.take()

        #expect(trace == nil || !freed.wait(until: HostTime.now() + 50_000_000))
        withExtendedLifetime(trace) {}
    }
}

/// Posts when nobody has it any more.
private final class Trace: Sendable {
    private let freed: Semaphore

    init(_ freed: Semaphore) { self.freed = freed }

    deinit { freed.post() }
}
