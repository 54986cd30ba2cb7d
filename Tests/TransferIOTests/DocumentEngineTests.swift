import Foundation
import TestSupport
import Testing
import UndersongBase
import UndersongPodcasts
import UndersongTransferIO

@Suite struct `The engine for documents` {
    private typealias Response = ScriptedHTTPServer.Response

    @Test func `The document engine brings a body, and what the server says about it`() async throws
    {
        let server = try ScriptedHTTPServer { _ in
            textResponse(
                "hello",
                [
                    ("ETag", "W/\"a b\""), ("Last-Modified", "yesterday, at tea"),
                    ("Cache-Control", "max-age=60"),
                    ("Content-Type", "Text/XML; q=1; Charset=\"utf-8\""),
                ])
        }
        let (answer, body) = await fetch(server.url("/feed"))

        #expect(answer.status == 200)
        #expect(answer.etag == "W/\"a b\"")
        #expect(answer.modified == "yesterday, at tea")
        #expect(answer.cacheControl == "max-age=60")
        #expect(answer.type == "text/xml")
        #expect(answer.charset == "utf-8")
        #expect(answer.movedTo == nil)
        #expect(String(decoding: body, as: UTF8.self) == "hello")
        #expect(answer.length == 5)
    }

    @Test func `The document engine sends the server's own words back, byte for byte`() async throws
    {
        let server = try ScriptedHTTPServer { _ in textResponse("", status: 304) }
        let (answer, body) = await fetch(server.url("/feed")) {
            $0.etag = "W/\"a  b,c\""
            $0.modified = "yesterday, at tea"
        }

        #expect(answer.status == 304)
        #expect(body.isEmpty)
        #expect(server.requests[0].fields["if-none-match"] == "W/\"a  b,c\"")
        #expect(server.requests[0].fields["if-modified-since"] == "yesterday, at tea")
    }

    /// It could not be sent back byte for byte.
    @Test func `The document engine leaves out a tag that is not text`() async throws {
        let server = try ScriptedHTTPServer { _ in
            var response = textResponse("", [("Last-Modified", "yesterday, at tea")])
            response.rawField = Array("ETag: \"a".utf8) + [0xff] + Array("\"".utf8)
            return response
        }

        let answer = await fetch(server.url("/feed")).answer

        #expect(answer.etag == nil && answer.modified == "yesterday, at tea")
    }

    @Test(arguments: [
        ([301, 308], 2), ([301, 302, 301], 1), ([302], 0), ([307, 301], 0), ([], 0),
    ]) func `The document engine knows how far a feed has moved for good`(
        chain: [Int], permanent: Int
    ) async throws {
        let server = try ScriptedHTTPServer { request in
            let place = Int(request.path.dropFirst()) ?? 0
            guard place < chain.count else { return textResponse("there") }
            return textResponse("not this", status: chain[place], [("Location", "\(place + 1)")])
        }
        let (answer, body) = await fetch(server.url("/0"))

        #expect(answer.status == 200)
        #expect(String(decoding: body, as: UTF8.self) == "there")
        #expect(answer.movedTo == (permanent == 0 ? nil : server.url("/\(permanent)")))
    }

    @Test(arguments: [
        ("/loop", DocumentAnswer.Failure.tooManyRedirects),
        ("file:///etc/passwd", .unsupportedURL),
    ]) func `The document engine follows no redirect to nowhere`(
        location: String, failure: DocumentAnswer.Failure
    ) async throws {
        let server = try ScriptedHTTPServer { _ in
            textResponse("", status: 301, [("Location", location)])
        }

        #expect(await fetch(server.url("/feed")).answer.failure?.known == failure)
        #expect(server.requests.count == (location == "/loop" ? 21 : 1))
    }

    @Test(arguments: ["gzip", "deflate", "br"])
    func `The document engine decompresses, and counts what comes out`(
        encoding: String
    ) async throws {
        let text = String(repeating: "x", count: 60_000)
        let server = try ScriptedHTTPServer { request in
            guard request.fields["accept-encoding"]?.contains(encoding) ?? false else {
                return textResponse("not asked for")
            }
            var response = Response()
            response.fields = [("Content-Encoding", encoding)]
            response.body = Self.encoded(Array(text.utf8), encoding)
            return response
        }

        let (answer, body) = await fetch(server.url("/feed"))
        #expect(answer.length == 60_000)
        #expect(body == Array(text.utf8))
        #expect(
            await fetch(server.url("/feed")) { $0.limit = 59_999 }.answer.failure?.known
                == .tooLarge)
    }

    @Test func `The document engine stops a body that is too long, announced or not`() async throws
    {
        let body = [UInt8](repeating: 32, count: 3 << 20)
        let server = try ScriptedHTTPServer { request in
            var response = Response()
            response.body = body
            response.announcesLength = request.path == "/announced"
            return response
        }
        for path in ["/announced", "/not"] {
            let (answer, received) = await fetch(server.url(path)) { $0.limit = 1 << 20 }
            #expect(answer.failure?.known == .tooLarge)
            #expect(received.count <= 1 << 20)
        }
    }

    @Test func `The document engine reports how long a server wants to be left alone`() async throws
    {
        let server = try ScriptedHTTPServer { _ in
            textResponse("busy", status: 429, [("Retry-After", "120")])
        }
        let (answer, body) = await fetch(server.url("/feed"))

        #expect(answer.status == 429)
        #expect(answer.retryAfter == 120)
        #expect(body.isEmpty)
    }

    @Test func `The document engine gives up what does not end, and brings the others meanwhile`()
        async throws
    {
        let server = try ScriptedHTTPServer { request in
            var response = textResponse("feed \(request.path)")
            if request.path == "/stall" { response.stall = 2 }
            if request.path == "/drip" { response.drip = 0.5 }
            return response
        }
        var settings = DocumentEngine.Settings()
        settings.timeout = 3
        let engine = DocumentEngine(settings, clock: SystemClock())
        let ends = await withTaskGroup(of: String.self) { group in
            for path in ["/stall", "/drip"] + (0..<40).map({ "/\($0)" }) {
                group.addTask {
                    let (answer, _) = await fetch(server.url(path), engine)
                    return "\(path) \(answer.failure?.word ?? "done")"
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }

        #expect(Set(ends.suffix(2)) == ["/stall timed-out", "/drip timed-out"])
        #expect(ends.dropLast(2).allSatisfy { $0.hasSuffix("done") })
    }

    @Test func `The document engine says why a server cannot be reached`() async {
        let (answer, _) = await fetch("http://127.0.0.1:1/feed")

        #expect(answer.status == nil)
        #expect(answer.failure?.known == .unreachable)
        #expect(answer.reason?.isEmpty == false)
    }

    // MARK: Helpers

    /// Bytes, at most 65,535, as an encoding stores what cannot be compressed.
    private static func encoded(_ bytes: [UInt8], _ encoding: String) -> [UInt8] {
        switch encoding {
        case "gzip": return gzip(bytes)
        case "deflate": return zlib(bytes)
        default:
            // A window of 16 bits, a piece that is not the last one, its length in 16 bits, as it is.
            let head = UInt32(bytes.count - 1) << 4 | 1 << 20
            return [0, 8, 16].map { UInt8(truncatingIfNeeded: head >> $0) } + bytes + [3]
        }
    }

    private static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        let (length, sum) = (UInt16(bytes.count), high << 16 | low)
        let lengths = [length, ~length].flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        return [0x78, 1, 1] + lengths + bytes
            + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) }
    }

    /// Bytes as gzip stores them that cannot be compressed.
    private static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        func little(_ number: UInt32, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt32($0 * 8)) }
        }
        var sum: UInt32 = .max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
        }
        let length = UInt32(bytes.count)
        return [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1] + little(length, 2) + little(~length, 2)
            + bytes + little(~sum, 4) + little(length, 4)
    }
}

/// Fetches a document, by an engine of its own if none is given.
private func fetch(
    _ url: String,
    _ engine: DocumentEngine = DocumentEngine(DocumentEngine.Settings(), clock: SystemClock()),
    _ change: (inout FetchDocument) -> Void = { _ in }
) async -> (answer: DocumentAnswer, body: [UInt8]) {
    let path = FileManager.default.temporaryDirectory.appending(path: "document-\(UUID())").path
    defer { unlink(path) }
    let file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    var call = FetchDocument(url: url)
    change(&call)
    let answer = await withCheckedContinuation { [call] continuation in
        _ = engine.open(call, file: file) { continuation.resume(returning: $1) }
    }
    return (answer, Array(FileManager.default.contents(atPath: path) ?? Data()))
}
