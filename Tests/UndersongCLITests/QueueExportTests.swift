import Foundation
import TestSupport
import Testing
import UndersongBase
import UndersongControl
import UndersongPlayback

@testable import UndersongCLI

/// `undersong queue export` as a program.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `The queue export` {
    private static let items = [
        ListedItem(
            id: 11, title: "One", path: "/11.mp3",
            duration: WireTime(value: 2_459, timescale: 10)),
        ListedItem(id: 12, title: "Unknown", path: "-"),
        ListedItem(id: 13, title: "13.mp3", path: "/a/13.mp3"),
        ListedItem(
            id: 14, title: "Four", path: "/14.mp3", duration: WireTime(value: 9, timescale: 1),
            start: WireTime(value: 3, timescale: 2), end: WireTime(value: 4, timescale: 75)),
    ]

    private static let text = """
        #EXTM3U
        #EXTINF:246,One
        /11.mp3
        /a/13.mp3
        #EXTINF:-1,Four
        #EXTVLCOPT:start-time=1.5
        #EXTVLCOPT:stop-time=0.053333333
        #UNDERSONG-END:4/75
        /14.mp3

        """

    @Test func `The queue export is a complete playlist, and leaves no temporary file`() throws {
        let service = try FakeService(queue: Self.items)
        defer { service.end() }
        let folder = service.runtimeFolder + "/lists"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let file = folder + "/list.m3u"
        try Data("old".utf8).write(to: URL(filePath: file))
        chmod(file, 0o640)

        let program = try Program(
            ["queue", "export", "--json", "--force", file], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == "{\"count\":3,\"path\":\"\(file)\"}\n")
        #expect(
            program.errorText == "undersong: cannot save Unknown: A playlist cannot hold it\n")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == Self.text)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["list.m3u"])
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        #expect(mode as? Int == 0o640)
    }

    @Test func `The queue export names the artists known from tags, and keeps titles of playlists`()
        throws
    {
        var items = Self.items
        for index in items.indices { items[index].artist = "The Testers" }
        items[3].playlistTitle = "Testers & Co. - Four"
        let service = try FakeService(queue: items)
        defer { service.end() }

        let program = try Program(["queue", "export", "-"], environment: service.environment)

        #expect(try program.wait() == 0)
        let text = Self.text.replacing("246,One", with: "246,The Testers - One")
            .replacing("-1,Four", with: "-1,Testers & Co. - Four")
        #expect(program.text == text)
    }

    @Test func `The queue export is named in the answer`() throws {
        let service = try FakeService(queue: Self.items)
        defer { service.end() }
        let file = service.runtimeFolder + "/list.m3u"

        let program = try Program(["queue", "export", file], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == "wrote 3 items to \(file)\n")
    }

    @Test func `The queue export can be written to the standard output, in any format`() throws {
        let service = try FakeService(queue: Self.items)
        defer { service.end() }

        let list = try Program(["queue", "export", "-"], environment: service.environment)
        let xspf = try Program(
            ["queue", "export", "-", "--format", "xspf"], environment: service.environment)

        #expect(try list.wait() == 0)
        #expect(try xspf.wait() == 0)
        #expect(list.text == Self.text)
        #expect(xspf.text.hasPrefix("<?xml"))
        #expect(xspf.text.contains("<location>file:///14.mp3</location>"))
        #expect(xspf.text.hasSuffix("</playlist>\n"))
    }

    @Test func `The queue export contains all pages`() throws {
        let service = try FakeService(
            queue: (0..<2500).map { ListedItem(id: $0, title: "x", path: "/\($0)") })
        defer { service.end() }

        let program = try Program(["queue", "export", "-"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.lines.filter { $0.hasPrefix("/") } == (0..<2500).map { "/\($0)" })
        #expect(
            try service.queueRequests == [
                .list(offset: 0, limit: 1000), .list(offset: 1000, limit: 1000),
                .list(offset: 2000, limit: 1000),
            ])
    }

    @Test func `A queue export that cannot be written reports the reason, and leaves nothing`()
        throws
    {
        let service = try FakeService(queue: Self.items)
        defer { service.end() }

        let program = try Program(
            ["queue", "export", "/nowhere/list.m3u"], environment: service.environment)

        #expect(try program.wait() == 1)
        #expect(
            program.errorText
                == "undersong: cannot write /nowhere/list.m3u: No such file or directory\n")
    }

    @Test func `A queue export that cannot be moved into place leaves nothing`() throws {
        let service = try FakeService(queue: Self.items)
        defer { service.end() }
        let folder = service.runtimeFolder + "/lists"
        try FileManager.default.createDirectory(
            atPath: folder + "/list.m3u", withIntermediateDirectories: true)

        let program = try Program(
            ["queue", "export", "--force", folder + "/list.m3u"], environment: service.environment)

        #expect(try program.wait() == 1)
        #expect(program.errorText.hasSuffix("list.m3u: Is a directory\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["list.m3u"])
    }

    @Test func `The queue export does not replace a file unless that is asked for`() throws {
        let service = try FakeService(queue: Self.items)
        defer { service.end() }
        let file = service.runtimeFolder + "/list.m3u"
        try Data("old".utf8).write(to: URL(filePath: file))

        let program = try Program(["queue", "export", file], environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(
            program.errorText
                == "undersong: cannot write \(file): It exists; --force replaces it\n")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "old")
    }

    @Test func `The queue export needs a format`() throws {
        let service = try FakeService(queue: Self.items)
        defer { service.end() }

        let program = try Program(
            ["queue", "export", "/tmp/x.d/list"], environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(
            program.errorText == "undersong: cannot export the queue: The name list names no "
                + "format; use --format\n")
        #expect(service.methods == [])
    }

    @Test(arguments: [
        ("a.m3u", "m3u"), ("/b.c/a.M3U8", "m3u8"), ("a.b.xspf", "xspf"), ("-", "m3u8"),
    ])
    func `The queue export has the format of its file name`(file: String, format: String) throws {
        #expect(try QueueVerb.Export.format(of: FilePath(file)).rawValue == format)
    }
}
