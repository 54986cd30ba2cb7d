import Testing
import UndersongBase
import UndersongTransfers

/// The answer to a request for the rest of a file of 1000 bytes, of which 400 are there.
@Suite struct `A response to a request for the rest` {
    private static let old = "Sun, 06 Nov 1994 08:00:00 GMT"
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    private func task(_ validator: Validator? = .entityTag("\"a\"")) -> TransferTask {
        let request = TransferRequest(url: "http://host/file.mp3", destination: "/tmp/file.mp3")
        var task = TransferTask(id: 1, request, at: Moment(boot: 0, epoch: 0))
        task.part.offset = 400
        task.part.total = 1000
        task.part.validator = validator
        return task
    }

    private func decide(
        _ status: Int, _ fields: [String: String], _ task: TransferTask? = nil,
        from offset: Int64 = 400, url: String = "http://host/file.mp3"
    ) -> ResumeDecision {
        let task = task ?? self.task()
        var attempt = TransferAttempt(url: url)
        attempt.offset = offset
        attempt.ifRange = task.hasTriedBareRange ? nil : task.part.validator?.ifRange
        let head = ResponseHead(status: status, url: attempt.url, fields)
        return ResumeDecision.decide(head, to: attempt, of: task, now: 0)
    }

    private func isRestart(_ decision: ResumeDecision) -> Bool {
        if case .startAgain = decision { true } else { false }
    }

    @Test func `A response with the same tag and the right bytes is appended`() {
        let decision = decide(206, ["ETag": "\"a\"", "Content-Range": "bytes 400-999/1000"])

        #expect(decision == .write(offset: 400, total: 1000))
    }

    @Test func `A response that begins earlier is written where it begins`() {
        let decision = decide(206, ["ETag": "\"a\"", "Content-Range": "bytes 256-999/1000"])

        #expect(decision == .write(offset: 256, total: 1000))
    }

    @Test func `A response with the longest range contradicts itself about its length`() {
        let decision = decide(
            206,
            [
                "ETag": "\"a\"", "Content-Range": "bytes 0-9223372036854775807/*",
                "Content-Length": "1000",
            ])

        #expect(isRestart(decision))
    }

    @Test func `A response that ends early, or does not know the length, is appended`() {
        let early = decide(206, ["ETag": "\"a\"", "Content-Range": "bytes 400-499/1000"])
        let unknown = decide(206, ["ETag": "\"a\"", "Content-Range": "bytes 400-999/*"])

        #expect(early == .write(offset: 400, total: 1000))
        #expect(unknown == .write(offset: 400, total: 1000))
    }

    @Test(arguments: [
        // Bytes are left out.
        ["ETag": "\"a\"", "Content-Range": "bytes 401-999/1000"],
        // The file is longer, or shorter.
        ["ETag": "\"a\"", "Content-Range": "bytes 400-1000/1001"],
        ["ETag": "\"a\"", "Content-Range": "bytes 400-899/900"],
        // Another version; a weak one; none at all.
        ["ETag": "\"b\"", "Content-Range": "bytes 400-999/1000"],
        ["ETag": "W/\"a\"", "Content-Range": "bytes 400-999/1000"],
        ["Content-Range": "bytes 400-999/1000"],
        ["Last-Modified": "\"a\"", "Content-Range": "bytes 400-999/1000"],
        // No range, no valid one, or more than one.
        ["ETag": "\"a\""],
        ["ETag": "\"a\"", "Content-Range": "bytes 400-399/1000"],
        ["ETag": "\"a\"", "Content-Range": "bytes 400-1000/1000"],
        ["ETag": "\"a\"", "Content-Range": "items 400-999/1000"],
        [
            "ETag": "\"a\"", "Content-Range": "bytes 400-999/1000",
            "Content-Type": "multipart/byteranges; boundary=x",
        ],
        // Compressed.
        ["ETag": "\"a\"", "Content-Range": "bytes 400-999/1000", "Content-Encoding": "gzip"],
        // A length that is not the range's.
        ["ETag": "\"a\"", "Content-Range": "bytes 400-999/1000", "Content-Length": "599"],
    ]) func `A response that does not prove that it continues the file is never appended`(
        fields: [String: String]
    ) {
        #expect(isRestart(decide(206, fields)))
    }

    @Test func `A response with a date counts only if it has the same one, and no tag`() {
        let task = task(.lastModified(Self.old))
        let range = ["Content-Range": "bytes 400-999/1000", "Date": Self.date]

        let same = decide(206, range.merging(["Last-Modified": Self.old]) { $1 }, task)
        let later = decide(206, range.merging(["Last-Modified": Self.date]) { $1 }, task)
        let none = decide(206, range, task)
        let tagged = decide(
            206, range.merging(["Last-Modified": Self.old, "ETag": "\"a\""]) { $1 }, task)

        #expect(same == .write(offset: 400, total: 1000))
        #expect(isRestart(later))
        #expect(isRestart(none))
        #expect(isRestart(tagged))
    }

    @Test func `A response to what nothing was known about is never appended`() {
        let task = task(nil)

        #expect(isRestart(decide(206, ["Content-Range": "bytes 400-999/1000"], task)))
    }

    @Test func `A response with the whole file is written from its start`() {
        let same = decide(200, ["ETag": "\"a\"", "Content-Length": "1000"])
        let other = decide(200, ["ETag": "\"b\"", "Content-Length": "900"])
        let endless = decide(200, [:])

        #expect(same == .write(offset: 0, total: 1000))
        #expect(other == .write(offset: 0, total: 900))
        #expect(endless == .write(offset: 0, total: nil))
    }

    @Test func `A whole large file is asked for once without a condition`() {
        var task = task()
        let much = ResumeDecision.bareRangeWorth
        task.part.offset = much
        let fields = ["ETag": "\"a\"", "Content-Length": "9999999"]

        let first = decide(200, fields, task, from: much)
        let changed = decide(200, ["ETag": "\"b\""], task, from: much)
        task.hasTriedBareRange = true
        let second = decide(200, fields, task, from: much)

        #expect(first == .askBare)
        #expect(changed == .write(offset: 0, total: nil))
        #expect(second == .write(offset: 0, total: 9_999_999))
    }

    @Test func `A response without more ends only a file that is that long, and the same`() {
        let whole = decide(416, ["ETag": "\"a\"", "Content-Range": "bytes */400"])
        let longer = decide(416, ["ETag": "\"a\"", "Content-Range": "bytes */401"])
        let other = decide(416, ["ETag": "\"b\"", "Content-Range": "bytes */400"])
        let unproved = decide(416, ["Content-Range": "bytes */400"])
        let unasked = decide(416, [:], from: 0)

        #expect(whole == .complete)
        #expect(isRestart(longer))
        #expect(isRestart(other))
        #expect(isRestart(unproved))
        #expect(unasked == .retry("The server answers 416", after: nil))
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
    func `A response with an error that passes is waited out`(status: Int) {
        let text = "The server answers \(status)"

        #expect(decide(status, [:]) == .retry(text, after: nil))
        #expect(decide(status, ["Retry-After": "120"]) == .retry(text, after: 120))
        #expect(
            decide(status, ["Retry-After": "Thu, 01 Jan 1970 00:05:00 GMT"])
                == .retry(text, after: 300))
        #expect(decide(status, ["Retry-After": "soon"]) == .retry(text, after: nil))
    }

    @Test(arguments: [304, 400, 401, 403, 404, 410, 451])
    func `A response with another error is final`(status: Int) {
        let failure = TransferFailure(.httpStatus, "The server answers \(status)")

        #expect(decide(status, [:]) == .fail(failure))
    }

    @Test(arguments: [401, 403, 404, 410])
    func `A URL that has expired is replaced by the first one`(status: Int) {
        #expect(decide(status, [:], url: "http://cdn/file?token=1") == .askFirstURL)
    }

    @Test func `A compressed response is refused`() {
        guard case .fail(let failure) = decide(200, ["Content-Encoding": "gzip"]) else {
            Issue.record("it is not refused")
            return
        }

        #expect(failure.code == .encoded)
        #expect(decide(200, ["Content-Encoding": "identity"]) == .write(offset: 0, total: nil))
    }

    @Test func `A short text is refused where sound is expected`() {
        var task = task(nil)
        let page = ["Content-Type": "text/html; charset=utf-8", "Content-Length": "2000"]
        let long = ["Content-Type": "text/plain", "Content-Length": "5000000"]

        let anything = decide(200, page, task)
        task.request.expectsAudio = true
        let sound = decide(200, page, task)
        let mislabelled = decide(200, long, task)

        #expect(anything == .write(offset: 0, total: 2000))
        #expect(
            sound
                == .fail(TransferFailure(.notAudio, "The server sends text/html instead of sound")))
        #expect(mislabelled == .write(offset: 0, total: 5_000_000))
    }

    @Test func `A response with a part of the file, unasked, is not believed`() {
        let decision = decide(
            206, ["ETag": "\"a\"", "Content-Range": "bytes 0-99/1000"], from: 0)

        #expect(
            decision
                == .retry(
                    "The server sends a part of the file, which was not requested", after: nil))
    }
}

@Suite struct `A response that can be continued` {
    private func validator(_ fields: [String: String]) -> Validator? {
        ResponseHead(status: 200, url: "", fields).validator
    }

    @Test func `A response can be continued by a strong tag, or a date that is a minute old`() {
        let date = ["Date": "Sun, 06 Nov 1994 08:49:37 GMT"]
        let old = "Sun, 06 Nov 1994 08:48:37 GMT"
        let young = "Sun, 06 Nov 1994 08:48:38 GMT"

        #expect(validator(["ETag": "\"a\"", "Last-Modified": old]) == .entityTag("\"a\""))
        #expect(validator(["ETag": "W/\"a\""]) == nil)
        #expect(validator(["ETag": "a"]) == nil)
        #expect(validator(["ETag": "\""]) == nil)
        #expect(validator(date.merging(["Last-Modified": old]) { $1 }) == .lastModified(old))
        #expect(validator(date.merging(["Last-Modified": young]) { $1 }) == nil)
        #expect(validator(["Last-Modified": old]) == nil)
        #expect(validator([:]) == nil)
    }

    @Test func `A response with a weak tag cannot be continued by its date`() {
        let fields = [
            "ETag": "W/\"a\"", "Date": "Sun, 06 Nov 1994 08:49:37 GMT",
            "Last-Modified": "Sat, 05 Nov 1994 08:49:37 GMT",
        ]

        #expect(validator(fields) == nil)
    }
}

@Suite struct `A header` {
    @Test func `A header is read whatever its case and spaces, and the first of a name counts`() {
        var head = ResponseHead(status: 200, url: "")
        head.add(line: "content-LENGTH:   12 \r\n")
        head.add(line: "Content-Length: 13\r\n")
        head.add(line: "no field\r\n")

        #expect(head.contentLength == 12)
        #expect(head["CONTENT-length"] == "12")
    }

    @Test(
        arguments: [
            ("bytes 0-0/1", 0...0, 1), ("BYTES 5-9/10", 5...9, 10), ("bytes 5-9/*", 5...9, nil),
            ("bytes */7", nil, 7),
        ] as [(String, ClosedRange<Int64>?, Int64?)])
    func `A header has a range`(text: String, bytes: ClosedRange<Int64>?, total: Int64?) {
        #expect(ContentRange(text) == ContentRange(bytes: bytes, total: total))
    }

    @Test(arguments: [
        "", "bytes", "bytes 5", "bytes 5-4/10", "bytes 5-10/10", "bytes -5-9/10", "bytes 5-9/-1",
        "bytes 99999999999999999999-9/*", "bytes a-b/c", "items 0-1/2", "bytes 0-1/2/3",
    ]) func `A header has no range that is impossible`(text: String) {
        #expect(ContentRange(text) == nil)
    }
}

@Suite struct `A URL` {
    @Test(arguments: [
        ("http://host/a/b.mp3", "host"), ("HTTPS://User:pass@Host:8080/a?b=/c#d", "host:8080"),
        ("http://[::1]:80/x", "[::1]:80"), ("http://host", "host"), ("http://host?a/b", "host"),
        ("http://[::1]/x", "[::1]"), ("http://host:65535", "host:65535"),
        ("http://host:/", "host:"),
    ])
    func `A URL of HTTP has a host`(text: String, host: String) {
        #expect(TransferURL(text)?.host == host)
    }

    @Test(arguments: [
        "", "file:///etc/passwd", "ftp://host/file", "host/file", "http:/host", "http://",
        "http:///file", "http://:80/", "http://host:65536/", "http://host:0/", "http://host:+8/",
        "http://host:http/", "http://[::1]:99999/x", "http://ho st/",
        "http://host/a\nb", "javascript:alert(1)",
    ]) func `A URL of any other kind is refused`(text: String) {
        #expect(TransferURL(text) == nil)
    }
}

@Suite struct `Bytes that are not sound` {
    @Test(
        arguments: [
            ("<!DOCTYPE html>", "a web page"), ("\u{FEFF} \n<html lang=", "a web page"),
            ("<?xml version", "a web page"), ("<!-- x -->", "a web page"), ("<", "text"),
            ("{\"error\": \"Épisode introuvable\"}\r\n", "text"), ("", "nothing"),
        ])
    func `Text is recognized as no sound, unless it is a playlist by its name`(
        text: String, content: String
    ) {
        let bytes = Array(text.utf8)[...]

        #expect(TextSniffer.whatIsNoSound(bytes, name: "a.mp3") == content)
        #expect(TextSniffer.whatIsNoSound(bytes, name: "a.M3U8") == nil)
    }

    @Test(
        arguments: [
            Array("ID3\u{4}\u{0}".utf8), [0xFF, 0xFB, 0x90, 0x64], Array("OggS\u{0}".utf8),
            Array("fLaC\u{0}".utf8), Array("RIFF    WAVEfmt \u{10}\u{0}".utf8),
        ])
    func `Bytes that begin as sound does are not taken for text`(bytes: [UInt8]) {
        #expect(TextSniffer.whatIsNoSound(bytes[...], name: "a") == nil)
    }
}
