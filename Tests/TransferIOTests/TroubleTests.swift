import Foundation
import TestSupport
import Testing
import UndersongTransfers

private typealias Server = ScriptedHTTPServer

@Suite struct `A failing transfer` {
    /// TR9.
    @Test(arguments: [200_000, 3 << 20, 5 << 20])
    func `A transfer waits for room on a full disk, and then continues`(room: Int) throws {
        let file = bytes(6 << 20)
        let server = try Server { Server.Response(file: file, to: $0) }
        let bench = try Bench(diskSize: 8 << 20)
        try bench.fillDisk(butFor: room)

        bench.add(server.url("/file"))
        let state = try bench.state { $0.isWaiting(for: .diskFull) }
        let names = bench.names
        try bench.makeRoom()
        let end = try bench.end()

        #expect(state.isWaiting(for: .diskFull))
        #expect(names == [])
        #expect(end == bench.finished && bench.contents() == file)
        #expect(bench.names == ["file"])
    }

    /// TR9, where the file is to be on another disk than its part.
    @Test func `A transfer waits for room on the disk of its destination, and then continues`()
        throws
    {
        let file = bytes(3 << 20)
        let server = try Server { Server.Response(file: file, to: $0) }
        let disk = try Bench(diskSize: 4 << 20)
        let bench = try Bench()
        try disk.fillDisk(butFor: 1_300_000)

        bench.add(server.url("/file"), in: disk.files)
        let state = try bench.state { $0.isWaiting(for: .diskFull) }
        let names = disk.names
        try disk.makeRoom()
        let end = try bench.end()

        #expect(state.isWaiting(for: .diskFull))
        #expect(names == [])
        #expect(end == disk.finished && disk.contents() == file)
        #expect(disk.names == ["file"] && server.requests.count == 1)
    }

    @Test func `A transfer is tried again where the server does not answer in HTTP`() throws {
        let file = bytes(100_000)
        let server = try Server { request in
            var response = Server.Response(file: file, to: request)
            response.isNotHTTP = request.number == 1
            return response
        }
        let bench = try Bench()

        bench.add(server.url("/file"))
        let state = try bench.state { $0.isWaiting(for: .retry) }
        bench.handle(.retry(1))
        let end = try bench.end()

        #expect(state.isWaiting(for: .retry))
        #expect(end == bench.finished && bench.contents() == file)
    }

    @Test func `A transferred file is not whole where a length beyond counting was announced`()
        throws
    {
        let file = bytes(100_000)
        let server = try Server { request in
            var response = Server.Response(file: file, to: request)
            guard request.number == 1 else { return response }
            response.fields.append(("Content-Length", String(repeating: "9", count: 23)))
            response.announcesLength = false
            response.body = Array(file[..<5000])
            return response
        }
        let bench = try Bench()

        bench.add(server.url("/file"))
        let state = try bench.state { $0.isWaiting(for: .retry) }
        bench.handle(.retry(1))
        let end = try bench.end()

        #expect(state.isWaiting(for: .retry))
        #expect(end == bench.finished && bench.contents() == file)
    }

    /// TR7, with the time-out that a transfer has by default.
    @Test func `A transfer is tried again a minute after the last byte, and not before`() throws {
        let file = bytes(2 << 20)
        let server = try Server { request in
            var response = Server.Response(file: file, to: request)
            if request.number == 1 { response.stall = 1 << 20 }
            return response
        }
        let clock = ManualClock()
        let bench = try Bench(clock: clock)

        bench.add(server.url("/file"))
        try waitUntil { bench.partLength == 1 << 20 }
        try bench.turn()
        clock.advance(by: 59.9)
        try bench.turn()
        #expect(server.requests.count == 1)
        clock.advance(by: 0.2)
        try bench.turn()
        let end = try bench.end()

        #expect(end == bench.finished && bench.contents() == file)
        #expect(server.requests.map(\.rangeStart) == [nil, 1 << 20])
    }

    /// One that nobody vouches for, and one for another host.
    @Test(arguments: [nil, "127.0.0.9"])
    func `A transfer believes no server whose certificate is wrong`(name: String?) throws {
        let file = bytes(100_000)
        let server = try SecureServer(certifiedAs: name, ["file": file])
        let bench = try Bench {
            if name != nil { $0.certificateFile = server.certificate.path }
        }

        bench.add(server.url("file"))
        let end = try bench.end()

        guard case .failed(let failure) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(failure.code == .certificate)
        #expect(failure.text.hasPrefix("The server's certificate is not valid: "))
        #expect(bench.names == [] && server.requests.isEmpty)
    }

    @Test func `A transfer believes a server whose certificate it was given`() throws {
        let file = bytes(100_000)
        let server = try SecureServer(["file": file])
        let bench = try Bench { $0.certificateFile = server.certificate.path }

        bench.add(server.url("file"))
        let end = try bench.end()

        #expect(end == bench.finished && bench.contents() == file)
    }
}

extension TransferPolicy.State {
    fileprivate func isWaiting(for reason: WaitReason) -> Bool {
        if case .waiting(let reasons) = self { reasons.contains(reason) } else { false }
    }
}

extension Bench {
    /// The state of the transfer to `file` when it has come.
    fileprivate var finished: TransferPolicy.State {
        .finished(path: files.appending(path: "file").path)
    }
}
