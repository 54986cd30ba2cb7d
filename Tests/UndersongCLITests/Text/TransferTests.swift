import Testing
import UndersongControl
import UndersongTransfers

@testable import UndersongCLI

@Suite struct `A download on the command line` {
    @Test func `A download has a time`() {
        #expect(TransferTime(argument: "2d")?.seconds == 172_800)
        #expect(TransferTime(argument: "90s")?.seconds == 90)
        #expect(TransferTime(argument: "1.5h")?.seconds == 5400)
        #expect(TransferTime(argument: "10")?.seconds == 600)
        for text in ["", "0", "-1h", "h", "2w", "1000d", "nan"] {
            #expect(TransferTime(argument: text) == nil)
        }
    }

    @Test func `A download has a speed`() {
        #expect(TransferSpeed(argument: "500k")?.bytes == 500_000)
        #expect(TransferSpeed(argument: "2M")?.bytes == 2_000_000)
        #expect(TransferSpeed(argument: "1234")?.bytes == 1234)
        #expect(TransferSpeed(argument: "off").map(\.bytes) == .some(nil))
        for text in ["", "0", "-1", "k", "1e20", "nan"] {
            #expect(TransferSpeed(argument: text) == nil)
        }
    }

    @Test(
        arguments: [
            ("https://host/a/Some%20Song.mp3?x=/y", "Some Song.mp3"),
            ("http://host/a/b.mp3", "b.mp3"),
            ("HTTPS://User:pass@Host:8080/Some%20Name.MP3?token=/x#y", "Some Name.MP3"),
            ("http://[::1]:80/x", "x"), ("http://host", nil), ("http://host?a/b.mp3", nil),
            ("http://host/", nil), ("http://host/..", nil), ("http://host/%2e%2e", nil),
            ("http://host/a%2Fb", nil), ("http://host/a%00b", nil), ("http://host/%ff", nil),
            ("http://host/100%", "100%"),
        ] as [(String, String?)])
    func `A download is named as in its URL`(url: String, name: String?) {
        #expect(TransferName.name(in: url) == name)
    }

    @Test func `A download whose name has 300 bytes has a shorter one, with its extension`() {
        let name = TransferName.name(
            in: "http://host/" + String(repeating: "%C3%A9", count: 148) + ".mp3")
        let other = TransferName.name(
            in: "http://host/" + String(repeating: "x.", count: 150) + "y")

        #expect(name == String(repeating: "é", count: 98) + ".mp3")
        #expect(other == String(repeating: "x.", count: 99) + ".y")
    }

    @Test func `Downloads that would have the same name are not started`() throws {
        let same = try DownloadVerb.Fetch.parse([
            "http://a/x.mp3", "http://b/y.mp3", "http://c/x.mp3", "--to", "/nowhere/",
        ])
        let different = try DownloadVerb.Fetch.parse(["http://a/x.mp3", "http://b/y.mp3"])

        let failure = #expect(throws: Failure.self) { try same.calls() }
        #expect(failure?.status == 64)
        #expect(
            failure?.message == "cannot download http://a/x.mp3 and http://c/x.mp3: Both would be "
                + "/nowhere/x.mp3; download them one by one with --to FILE")
        #expect(try different.calls().count == 2)
    }

    @Test func `A download that is refused after others have been started names those`() throws {
        let calls = ["a", "b", "c"].map { AddTransfer(url: "http://h/\($0)", to: "/\($0)") }
        func start(refusing refused: String) throws -> [TransferStatus] {
            try DownloadVerb.Fetch.start(calls) { call in
                guard call.to != refused else {
                    throw ControlError(.notPossible, "cannot download \(call.url): No")
                }
                return TransferStatus(
                    id: call.to == "/a" ? 7 : 8, url: call.url, path: call.to, state: .waiting,
                    received: 0)
            }
        }

        #expect(try start(refusing: "/d").map(\.id) == [7, 8, 8])
        let third = #expect(throws: Failure.self) { try start(refusing: "/c") }
        #expect(
            third == Failure("cannot download http://h/c: No; already started: 7 (/a), 8 (/b)"))
        let first = #expect(throws: ControlError.self) { try start(refusing: "/a") }
        #expect(first?.message == "cannot download http://h/a: No")
    }

    @Test func `A download asks for an absolute path, and for sound where the name says so`() throws
    {
        let verb = try DownloadVerb.Fetch.parse(["http://host/a.mp3", "--to", "/nowhere/b"])
        let other = try DownloadVerb.Fetch.parse(["http://host/a.zip", "--to", "/nowhere/"])

        let call = try verb.call("http://host/a.mp3")
        #expect(call.to == "/nowhere/b")
        #expect(call.audio == true)
        #expect(try other.call("http://host/a.zip").to == "/nowhere/a.zip")
        #expect(try other.call("http://host/a.zip").audio == nil)
    }

    @Test func `A download has what no URL may contain escaped`() throws {
        let verb = try DownloadVerb.Fetch.parse(["http://host/a b.mp3"])

        let call = try verb.call("http://host/a b.mp3")

        #expect(call.url == "http://host/a%20b.mp3")
        #expect(call.to.hasSuffix("/a b.mp3"))
    }

    @Test func `A download is shown with a bar, its size and its speed`() {
        var time = 0.0
        var progress = TransferProgress([7], isTerminal: true, isJSON: false) { time }
        var status = TransferStatus(
            id: 7, url: "http://host/a", path: "/a", state: .receiving, received: 1_000_000)
        status.total = 4_000_000

        let first = progress.update([status], columns: 100)
        time = 1
        status.received = 3_000_000
        let second = progress.update([status], columns: 100)

        #expect(first == "\u{1B}[K[#####---------------] 25 %  1.0 MB of 4.0 MB  /a\n")
        #expect(
            second
                == "\r\u{1B}[1A\u{1B}[K[###############-----] 75 %  3.0 MB of 4.0 MB  2.0 MB/s  /a\n"
        )
    }

    @Test func `A download is a line once it is over where there is no terminal`() {
        var progress = TransferProgress([7], isTerminal: false, isJSON: false) { 0 }
        var status = TransferStatus(
            id: 7, url: "http://host/a", path: "/a", state: .receiving, received: 1)

        let going = progress.update([status], columns: 80)
        status.state = .failed
        status.reason = "The server answers 404"
        let over = progress.update([status], columns: 80)
        let again = progress.update([status], columns: 80)

        #expect(going == "")
        #expect(over == "7  failed: The server answers 404  /a\n")
        #expect(again == "")
    }
}
