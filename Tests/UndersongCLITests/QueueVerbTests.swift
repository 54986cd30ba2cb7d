import Control
import Foundation
import Testing

@testable import UndersongCLI

/// The verbs of the queue, as programs.
@Suite(.timeLimit(.minutes(2))) struct `The queue verb` {
    @Test(arguments: [
        (["move", "3", "1"], Queue.Action.move(13, after: nil)),
        (["move", "1", "3"], .move(11, after: 13)),
        (["remove", "1-2", "3"], .remove([11, 12, 13])), (["jump", "2"], .jump(12)),
        (["clear"], .clear),
    ])
    func `changes by places what the service knows by ids`(
        arguments: [String], action: Queue.Action
    ) throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(["queue"] + arguments, environment: service.environment)

        #expect(program.wait() == 0)
        #expect(program.lines == ["  1  One", "> 2  Two", "  3  Three"])
        #expect(try service.calls(Queue.self).last?.action == action)
    }

    @Test(arguments: [["queue"], ["queue", "list"]])
    func `shows the queue`(arguments: [String]) throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(arguments, environment: service.environment)

        #expect(program.wait() == 0)
        #expect(program.lines == ["  1  One", "> 2  Two", "  3  Three"])
        #expect(try service.calls(Queue.self).map(\.action) == [.list()])
    }

    @Test func `adds files by their full paths`() throws {
        let service = try Self.service(added: [14, 15])
        defer { service.end() }

        let program = try Program(
            ["queue", "add", "a.mp3", "/b.mp3", "--start", "1:30"],
            environment: service.environment, in: "/usr")

        #expect(program.wait() == 0)
        #expect(program.text == "added 2 items\n")
        let files = Files(["/usr/a.mp3", "/b.mp3"], start: WireTime(value: 90, timescale: 1))
        #expect(try service.calls(Queue.self).map(\.action) == [.add(files)])
    }

    @Test func `inserts behind the current item, or behind the one at a place`() throws {
        let service = try Self.service(added: [14])
        defer { service.end() }

        let first = try Program(["queue", "insert", "/a.mp3"], environment: service.environment)
        #expect(first.wait() == 0)
        let second = try Program(
            ["queue", "insert", "--after", "3", "/a.mp3"], environment: service.environment)
        #expect(second.wait() == 0)

        let actions = try service.calls(Queue.self).map(\.action)
        #expect(
            actions == [
                .insert(Files(["/a.mp3"]), after: nil), .list(offset: 2, limit: 1),
                .insert(Files(["/a.mp3"]), after: 13),
            ])
    }

    @Test func `that adds nothing fails, and says why`() throws {
        let service = try Self.service(problems: ["cannot open /x: No such file or directory"])
        defer { service.end() }

        let program = try Program(["queue", "add", "/x"], environment: service.environment)

        #expect(program.wait() == 1)
        #expect(
            program.errorText == """
                undersong: cannot open /x: No such file or directory
                undersong: cannot add to the queue: There is nothing to play in what was named

                """)
    }

    @Test func `saves the queue into a playlist, whole and without a trace of the work`() throws {
        let service = try Self.service()
        defer { service.end() }
        let folder = service.runtimeFolder + "/lists"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let file = folder + "/list.m3u"
        try Data("old".utf8).write(to: URL(filePath: file))
        chmod(file, 0o640)

        let program = try Program(["queue", "save", file], environment: service.environment)

        #expect(program.wait() == 0)
        #expect(
            try String(contentsOfFile: file, encoding: .utf8)
                == "#EXTM3U\n#EXTINF:-1,One\n/11.mp3\n#EXTINF:-1,Two\n/12.mp3\n#EXTINF:-1,Three\n"
                + "/13.mp3\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["list.m3u"])
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        #expect(mode as? Int == 0o640)
    }

    @Test func `that cannot save says why, and leaves nothing`() throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(
            ["queue", "save", "/nowhere/list.m3u"], environment: service.environment)

        #expect(program.wait() == 1)
        #expect(
            program.errorText
                == "undersong: cannot write /nowhere/list.m3u: No such file or directory\n")
    }

    @Test func `that cannot put the playlist in its place leaves nothing`() throws {
        let service = try Self.service()
        defer { service.end() }
        let folder = service.runtimeFolder + "/lists"
        try FileManager.default.createDirectory(
            atPath: folder + "/list.m3u", withIntermediateDirectories: true)

        let program = try Program(
            ["queue", "save", folder + "/list.m3u"], environment: service.environment)

        #expect(program.wait() == 1)
        #expect(program.errorText.hasSuffix("list.m3u: Is a directory\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["list.m3u"])
    }

    private static func service(
        added: [Int] = [], problems: [String] = []
    ) throws -> FakeService {
        let items = [(11, "One"), (12, "Two"), (13, "Three")]
            .map { QueueEntry(id: $0.0, title: $0.1, path: "/\($0.0).mp3") }
        return try FakeService { request, _ in
            var queue = QueueList(items: items, current: 12)
            if let call = try? request.decode(Queue.self),
                case .list(let offset, let limit) = call.action
            {
                queue.items = Array(items.dropFirst(offset).prefix(limit))
                queue.offset = offset
            }
            return ControlReply(Queue.Reply(queue: queue, added: added, problems: problems))
        }
    }
}
