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
        let prefetch = Prefetch(keptFor: Self.long) { () throws(OutputError) in
            mayGoOn.wait()
            return 7
        }

        #expect(prefetch.isPending)
        mayGoOn.post()
        #expect(try prefetch.take() == 7)
        #expect(!prefetch.isPending)
        #expect(try prefetch.take() == nil)
    }

    @Test func `that could not be made before it was wanted is to be made in another way`() throws {
        let prefetch = Prefetch<Int>(keptFor: Self.long) { () throws(OutputError) in
            throw Self.refusal
        }
        while prefetch.isPending { HostTime.sleep(until: HostTime.now() + 1_000_000) }

        #expect(try prefetch.take() == nil)
    }

    @Test func `that cannot be made fails those that wait for it, with the same error`() {
        let mayFail = Semaphore()
        let prefetch = Prefetch<Int>(keptFor: Self.long) { () throws(OutputError) in
            mayFail.wait()
            throw Self.refusal
        }
        let errors = Inbox<OutputError>()

        together(
            {
                do throws(OutputError) { _ = try prefetch.take() } catch { errors.put(error) }
            },
            {
                // The other thread has begun to wait by then, or fails this test on its own.
                HostTime.sleep(until: HostTime.now() + 50_000_000)
                mayFail.post()
            })

        #expect(errors.rest == [Self.refusal])
    }

    @Test(arguments: [false, true])
    func `that is not taken is let go of`(isDropped: Bool) throws {
        let freed = Semaphore()
        let prefetch = Prefetch(keptFor: isDropped ? Self.long : 1_000_000) { Trace(freed) }

        if isDropped { prefetch.drop() }

        #expect(freed.wait(until: HostTime.now() + 10_000_000_000))
        #expect(!prefetch.isPending)
        #expect(try prefetch.take() == nil)
    }

    @Test func `that is taken stays with its owner`() throws {
        let freed = Semaphore()
        let prefetch = Prefetch(keptFor: 1_000_000) { Trace(freed) }

        let trace = try prefetch.take()

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
