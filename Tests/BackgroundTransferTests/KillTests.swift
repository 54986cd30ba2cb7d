import Foundation
import Glibc
import TestSupport
import Testing
import UndersongControl

@testable import UndersongBackgroundTransfer

private typealias Server = ScriptedHTTPServer

@Suite(.blockingThreads) struct `A session whose process is killed again and again` {
    /// TR1, TR10: every file comes whole, and once, in the order in which they were complete.
    @Test(.rule("J1"))
    func `A session whose process is killed again and again gives every file once`() throws {
        let files = (0..<6).map { bytes(300_000, seed: UInt64($0 + 1)) }
        let server = try Server { request in
            let number = Int(request.path.dropFirst()) ?? 0
            var response = Server.Response(file: files[number], to: request)
            // Each comes in pieces that are worth the next request at once.
            if response.body.count > 100_000 { response.cut = 100_000 }
            return response
        }
        let bench = try SessionBench()
        let session = bench.session()
        for number in files.indices {
            let url = try #require(URL(string: server.url("/\(number)")))
            let task = session.downloadTask(with: url)
            task.taskDescription = "\(number)"
            task.resume()
        }

        var got: [Int: Int] = [:]
        var ends: [Int] = []
        for round in 0... {
            if round < 8 { bench.kill() }
            guard ends.count < files.count else { break }
            switch try bench.recorder.next() {
            case .file(let task, let bytes):
                #expect(bytes == files[task - 1])
                got[task, default: 0] += 1
            case .end(let task, let code):
                #expect(code == nil)
                ends.append(task)
            case .answer, .resumed, .finished, .invalid: Issue.record("an event of another kind")
            }
        }

        #expect(got == Dictionary(uniqueKeysWithValues: (1...6).map { ($0, 1) }))
        #expect(ends.sorted() == Array(1...6))
        try waitUntil { bench.names(in: "done") == [] && bench.names(in: "files") == [] }
        #expect(bench.recorder.events.rest.isEmpty)
        #expect(try session.allTasksNow() == [])
    }
}
