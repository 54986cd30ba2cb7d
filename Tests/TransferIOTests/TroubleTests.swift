import Foundation
import TestSupport
import Testing
import Transfers

private typealias Server = ScriptedHTTPServer

@Suite struct `A transfer in trouble` {
    /// TR9.
    @Test(arguments: [200_000, 3 << 20, 5 << 20])
    func `waits for room on a full disk, and then continues`(room: Int) throws {
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

    /// TR7.
    @Test func `is tried again where the server sends nothing more`() throws {
        let file = bytes(2 << 20)
        let server = try Server { request in
            var response = Server.Response(file: file, to: request)
            if request.number == 1 { response.stall = 1 << 20 }
            return response
        }
        let bench = try Bench()

        bench.add(server.url("/file")) { $0.stallTimeout = 1 }
        let end = try bench.end()

        #expect(end == bench.finished && bench.contents() == file)
        #expect(server.requests.map(\.rangeStart) == [nil, 1 << 20])
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
