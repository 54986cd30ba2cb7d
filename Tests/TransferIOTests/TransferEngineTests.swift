import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongBase
import UndersongTransferIO
import UndersongTransfers

private typealias Server = ScriptedHTTPServer

@Suite struct `A file that is transferred` {
    private static let old = bytes(300_000)
    private static let new = bytes(310_000, seed: 2)

    @Test func `A transferred file comes whole, and leaves no part`() throws {
        let server = try Server { Server.Response(file: Self.old, to: $0) }
        let bench = try Bench()

        bench.add(server.url("/file"))

        let path = bench.files.appending(path: "file").path
        #expect(try bench.end() == .finished(path: path))
        #expect(bench.contents() == Self.old)
        #expect(bench.names == ["file"])
        bench.stop()
        let parts = bench.state.appending(path: "parts").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: parts) == [])
    }

    @Test func `A transfer lets its process settle after the start, and after each request`() throws
    {
        let server = try Server { Server.Response(file: Self.old, to: $0) }
        let bench = try Bench()
        try bench.settlements.next()

        bench.add(server.url("/file"))
        try bench.settlements.next()
        _ = try bench.end()
        bench.add(server.url("/file"), to: "second")
        try bench.settlements.next()
    }

    @Test func `A transferred file continues where the connection was cut`() throws {
        let server = try Server { request in
            var response = Server.Response(file: Self.old, to: request)
            if request.number <= 3 { response.cut = 70_000 }
            return response
        }
        let bench = try Bench()

        bench.add(server.url("/file"))

        _ = try bench.end()
        #expect(bench.contents() == Self.old)
        #expect(server.requests.map(\.rangeStart) == [nil, 70_000, 140_000, 210_000])
        #expect(server.requests.last?.fields["if-range"] == "\"1\"")
        #expect(server.bytesSent == Self.old.count)
    }

    /// The server's answer after it has cut the first one, which was of the old file.
    enum Second: String, CaseIterable, Sendable {
        case wholeForRange, shifted, otherTotal, multipart, unsatisfied, changedTag, changedIgnoring
        case changedWeak, changedWithoutValidator, changedLastModified, leavesOut, noRange
    }

    /// The answer to a request for the rest (TR4, TR5), and the file that there is then.
    private static func answer(_ second: Second, _ request: Server.Request) -> Server.Response {
        let first = request.number == 1
        var response: Server.Response
        switch second {
        case .wholeForRange:
            response = Server.Response()
            response.fields = [("ETag", "\"1\""), ("Accept-Ranges", "bytes")]
            response.body = old
        case .changedTag:
            response = Server.Response(
                file: first ? old : new, tag: first ? "\"1\"" : "\"2\"", to: request)
        case .changedWeak, .changedWithoutValidator:
            let tag = second == .changedWeak ? "W/\"1\"" : nil
            response = Server.Response(file: first ? old : new, tag: tag, to: request)
        case .changedLastModified:
            response = Server.Response(
                file: first ? old : new, tag: nil,
                modified: first
                    ? "Sun, 06 Nov 1994 07:00:00 GMT" : "Sun, 06 Nov 1994 08:00:00 GMT",
                to: request)
        case .changedIgnoring:
            response = ranged(first ? old : new, first ? "\"1\"" : "\"2\"", request)
        case .shifted, .otherTotal, .multipart, .unsatisfied, .leavesOut, .noRange:
            response = ranged(old, "\"1\"", request)
            if let start = request.rangeStart { distort(&response, second, start) }
        }
        if first { response.cut = 150_000 }
        return response
    }

    /// A range whatever `If-Range` says.
    private static func ranged(
        _ file: [UInt8], _ tag: String, _ request: Server.Request
    ) -> Server.Response {
        var response = Server.Response()
        response.fields = [("ETag", tag)]
        let start = request.rangeStart ?? 0
        response.body = Array(file[start...])
        guard start > 0 else { return response }
        response.status = 206
        response.fields.append(("Content-Range", "bytes \(start)-\(file.count - 1)/\(file.count)"))
        return response
    }

    private static func distort(
        _ response: inout Server.Response, _ second: Second, _ start: Int
    ) {
        let total = old.count
        switch second {
        case .shifted:
            response.body = Array(old[(start - 4096)...])
            response.fields = [
                ("ETag", "\"1\""), ("Content-Range", "bytes \(start - 4096)-\(total - 1)/\(total)"),
            ]
        case .otherTotal:
            response.body.append(0)
            response.fields = [
                ("ETag", "\"1\""), ("Content-Range", "bytes \(start)-\(total)/\(total + 1)"),
            ]
        case .leavesOut:
            response.body.removeFirst()
            response.fields = [
                ("ETag", "\"1\""), ("Content-Range", "bytes \(start + 1)-\(total - 1)/\(total)"),
            ]
        case .multipart:
            response.fields.append(("Content-Type", "multipart/byteranges; boundary=x"))
        case .unsatisfied:
            response.status = 416
            response.fields = [("Content-Range", "bytes */\(total)")]
            response.body = []
        default: response.fields = [("ETag", "\"1\"")]
        }
    }

    @Test(arguments: Second.allCases)
    func `A transferred file is one version, whatever the server answers about the rest`(
        second: Second
    ) throws {
        let server = try Server { Self.answer(second, $0) }
        let bench = try Bench()

        bench.add(server.url("/file"))

        _ = try bench.end()
        let isChanged = second.rawValue.hasPrefix("changed")
        #expect(bench.contents() == (isChanged ? Self.new : Self.old))
        #expect(server.requests.count <= 3)
    }

    /// A transfer that was stopped after 150,000 bytes, and the server that sends the rest.
    private func interrupted() throws -> (Server, Bench) {
        let server = try Server { request in
            var response = Server.Response(file: Self.old, to: request)
            if request.number == 1 { response.stall = 150_000 }
            return response
        }
        let bench = try Bench()
        bench.add(server.url("/file"))
        try waitUntil { bench.partLength == 150_000 }
        bench.stop()
        return (server, bench)
    }

    @Test func `A transferred file is what the disk is known to hold, not the part's length`()
        throws
    {
        for wreck in [bytes(400_000, seed: 9), Array(repeating: 0, count: 400_000), []] {
            let (server, bench) = try interrupted()
            // What is after the recorded offset is what a power cut may leave.
            let part = bench.state.appending(path: "parts/1.part")
            let record = bench.state.appending(path: "pending/1.task")
            let text = try String(contentsOf: record, encoding: .utf8)
            let offset = try #require(text.firstMatch(of: #/"offset":(\d+)/#).flatMap { Int($0.1) })
            try Data(try Data(contentsOf: part).prefix(offset) + wreck).write(to: part)

            try bench.start()

            _ = try bench.end()
            #expect(bench.contents() == Self.old)
            server.stop()
        }
    }

    @Test func `A transfer removes the link that a killed process made to test the folder`()
        throws
    {
        let (server, bench) = try interrupted()
        let part = bench.state.appending(path: "parts/1.part")
        var status = stat()
        #expect(stat(part.path, &status) == 0)
        let trial = bench.files.appending(
            path: ".undersong-\(status.st_dev)-\(status.st_ino)")
        try FileManager.default.linkItem(at: part, to: trial)

        try bench.start()

        _ = try bench.end()
        #expect(bench.contents() == Self.old)
        #expect(bench.names.count == 1)
        server.stop()
    }

    @Test func `A transferred file begins again where the part is shorter than it was`() throws {
        let (server, bench) = try interrupted()
        try Data([1, 2, 3]).write(to: bench.state.appending(path: "parts/1.part"))

        try bench.start()

        _ = try bench.end()
        #expect(bench.contents() == Self.old)
        #expect(server.requests.last?.rangeStart == nil)
    }

    @Test(.rule("J5", "J6"))
    func `A transfer follows redirects, but not in circles or out of the web`() throws {
        let server = try Server { request in
            var response = Server.Response()
            response.status = 302
            let number = Int(request.path.dropFirst(2)) ?? 0
            let target =
                switch request.path.dropFirst().first {
                case "h" where number == 0: "/file"
                case "h": "/h\(number - 1)"
                case "l": "/l"
                case "p": "file:///etc/passwd"
                case "q": "ftp://127.0.0.1/file"
                default: ""
                }
            guard !target.isEmpty else { return Server.Response(file: Self.old, to: request) }
            response.fields = [("Location", target)]
            return response
        }
        let bench = try Bench()
        for (number, path) in ["/h9", "/l", "/p", "/q"].enumerated() {
            bench.add(server.url(path), to: "\(number)")
        }

        var codes: [TransferFailure.Code?] = []
        for id in 1...4 {
            codes.append(try bench.code(of: id))
        }
        #expect(codes == [nil, .tooManyRedirects, .unsupportedURL, .unsupportedURL])
        #expect(bench.contents("0") == Self.old)
        #expect(bench.names == ["0"])
    }

    @Test func `A transferred file is refused when it is not what it should be`() throws {
        let server = try Server { request in
            var response = Server.Response(file: Self.old, to: request)
            switch request.path {
            case "/gzip": response.fields.append(("Content-Encoding", "gzip"))
            case "/page": response.fields.append(("Content-Type", "text/html"))
            case "/markup": response.body = Array("<!doctype html><p>Not found".utf8)
            case "/gone": response.status = 404
            default: break
            }
            if request.path == "/page" { response.body = Array("Not found".utf8) }
            return response
        }
        let bench = try Bench()
        for (number, path) in ["/gzip", "/page", "/markup", "/gone", "/sum"].enumerated() {
            bench.add(server.url(path), to: "\(number)") { request in
                request.expectsAudio = path == "/page" || path == "/markup"
                if path == "/sum" { request.sha256 = String(repeating: "0", count: 64) }
            }
        }

        var codes: [TransferFailure.Code?] = []
        for id in 1...5 { codes.append(try bench.code(of: id)) }

        #expect(codes == [.encoded, .notAudio, .notAudio, .httpStatus, .checksum])
        #expect(bench.names == [])
    }

    @Test func `A transferred file has the sum that was asked for`() throws {
        let server = try Server { Server.Response(file: Self.old, to: $0) }
        let bench = try Bench()
        var sum = SHA256()
        Self.old.withUnsafeBytes { sum.update($0) }
        let digest = sum.digest()

        bench.add(server.url("/file")) { $0.sha256 = digest }

        #expect(try bench.code(of: 1) == nil)
    }

    @Test func `A transferred file replaces no other, and says where it is`() throws {
        let server = try Server { request in
            var response = Server.Response(file: Self.old, to: request)
            if request.number == 1 { response.stall = 100_000 }
            return response
        }
        let bench = try Bench()
        bench.add(server.url("/file"), to: "a song.mp3")
        try waitUntil { bench.partLength == 100_000 }
        try Data("mine".utf8).write(to: bench.files.appending(path: "a song.mp3"))
        bench.handle(.pause(1))
        bench.handle(.resume(1))

        let path = bench.files.appending(path: "a song (2).mp3").path
        #expect(try bench.end() == .finished(path: path))
        #expect(bench.contents("a song.mp3") == Array("mine".utf8))
        #expect(bench.contents("a song (2).mp3") == Self.old)
    }

    @Test func `A transfer whose folder is gone fails, and places its file when tried again`()
        throws
    {
        let server = try Server { request in
            var response = Server.Response(file: Self.old, to: request)
            if request.number == 1 { response.stall = 100_000 }
            return response
        }
        let bench = try Bench()
        bench.add(server.url("/file"))
        try waitUntil { bench.partLength == 100_000 }
        try FileManager.default.removeItem(at: bench.files)
        bench.handle(.pause(1))
        bench.handle(.resume(1))
        #expect(try bench.code(of: 1) == .folderGone)
        let requests = server.requests.count

        try FileManager.default.createDirectory(
            at: bench.files, withIntermediateDirectories: true)
        bench.handle(.retry(1))

        _ = try bench.state { if case .finished = $0 { true } else { false } }
        #expect(bench.contents() == Self.old)
        #expect(server.requests.count == requests)
    }

    @Test func `A transferred file that ends in a cut chunk is never finished`() throws {
        let server = try Server { request in
            var response = Server.Response()
            response.announcesLength = false
            response.fields = [("Transfer-Encoding", "chunked")]
            response.body = Array("10000\r\n".utf8) + bytes(0x10000) + Array("\r\n".utf8)
            if request.number > 1 { response.body += Array("0\r\n\r\n".utf8) }
            return response
        }
        let bench = try Bench()

        bench.add(server.url("/file"))

        _ = try bench.end()
        #expect(bench.contents() == bytes(0x10000))
        #expect(server.requests.count == 2)
    }

    @Test func `A transfer of no bytes makes a file`() throws {
        let server = try Server { Server.Response(file: [], to: $0) }
        let bench = try Bench()

        bench.add(server.url("/file"))

        #expect(try bench.code(of: 1) == nil)
        #expect(bench.contents() == [])
    }
}

extension Bench {
    /// Why transfer `id` has failed; nil if it has not.
    fileprivate func code(of id: Int) throws -> TransferFailure.Code? {
        if case .failed(let failure) = try end(of: id) { failure.code } else { nil }
    }
}

@Suite struct `A transfer folder` {
    @Test func `A folder of transfers is used by one process at a time`() throws {
        let bench = try Bench()

        #expect(throws: (any Error).self) { try Bench.Second(bench.state.path) }
    }

    @Test func `A folder of transfers sets a damaged record aside, and keeps the others`() throws {
        let server = try Server { _ in
            var response = Server.Response()
            response.isSilent = true
            return response
        }
        let bench = try Bench()
        for name in ["a", "b", "c"] { bench.add(server.url("/"), to: name) }
        bench.stop()
        let pending = bench.state.appending(path: "pending")
        let record = pending.appending(path: "2.task")
        var data = try Data(contentsOf: record)
        data[20] ^= 1
        try data.write(to: record)

        let folder = try Bench.Second(bench.state.path)

        #expect(folder.ids == [1, 3])
        #expect(folder.troubles == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: pending.path)
        #expect(names.contains("2.task.damaged"))
    }
}
