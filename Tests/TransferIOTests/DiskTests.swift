import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongBase
import UndersongTransferIO
import UndersongTransfers

private typealias Server = ScriptedHTTPServer

/// The bytes received while the disk is slow, and their record.
@Suite struct `A slow disk` {
    /// A disk that takes its time for parts until it is released.
    private final class Disk: Sendable {
        private struct State {
            var isHeld = true
            var lengths: [Int64] = []
        }

        private let state = Mutex(State())
        private let release = Semaphore()
        let begins = Inbox<Int64>()

        /// Waits, and notes how long the file was when the wait began.
        func sync(_ descriptor: Int32) -> Int32 {
            var status = stat()
            fstat(descriptor, &status)
            begins.put(Int64(status.st_size))
            if state.withLock(\.isHeld) {
                try? release.waitPatiently(orSay: "the disk is not released")
            }
            return fdatasync(descriptor) == 0 ? 0 : errno
        }

        /// Lets all waits end, now and later.
        func free() {
            state.withLock { $0.isHeld = false }
            release.post()
        }
    }

    @Test func `A slow disk delays no byte, and no record counts one before it is on the disk`()
        throws
    {
        let file = bytes(9 << 20)
        let disk = Disk()
        let first = Inbox<Int64>()
        let server = try Server { request in
            var response = Server.Response(file: file, to: request)
            response.pause = (5 << 20, { try? first.put(disk.begins.next()) })
            return response
        }
        let bench = try Bench { $0.sync = { disk.sync($0) } }

        bench.add(server.url("/file"))

        // Everything comes although the disk has not taken the first bytes.
        try waitUntil { bench.partLength == file.count }
        #expect(try bench.recordedOffset() == 0)
        disk.free()
        _ = try bench.end()
        #expect(bench.contents() == file)
        #expect(try first.next() <= 5 << 20)
    }

    @Test func `A killed process loses only what a slow disk had not stored yet`() throws {
        let file = bytes(6 << 20)
        let server = try Server { request in
            var response = Server.Response(file: file, to: request)
            if request.number == 1 { response.stall = 5 << 20 }
            return response
        }
        let bench = try Bench()

        bench.add(server.url("/file"))
        try waitUntil { try bench.recordedOffset() > 0 }

        let offset = try bench.recordedOffset()
        #expect(offset >= 4 << 20 && offset <= 5 << 20)
    }
}
