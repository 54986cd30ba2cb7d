import Foundation
import TestSupport
import Testing
import UndersongBackground
import UndersongControl
import UndersongPlayback

@testable import UndersongCLI

/// The verbs of the queue, as programs.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `The queue verb` {
    @Test(arguments: [
        (["move", "3", "1"], QueueRequest.move(13, after: nil)),
        (["move", "1", "3"], .move(11, after: 13)),
        (["remove", "1-2", "3"], .remove([11, 12, 13])), (["jump", "2"], .jump(12)),
        (["clear"], .clear),
    ])
    func `The queue verb translates places into the service's ids`(
        arguments: [String], action: QueueRequest
    ) throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(["queue"] + arguments, environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.lines == ["  1  One", "> 2  Two", "  3  Three"])
        #expect(try service.queueRequests.last == action)
    }

    @Test(arguments: [(["two"], 0), (["ten"], 1)] as [([String], Int32)])
    func `The queue verb plays the first item that a search finds`(words: [String], status: Int32)
        throws
    {
        let service = try FakeService { request, _ in
            let queue = QueueList(items: [], current: nil, count: 3)
            switch try QueueRequest(request) {
            case .search("two", offset: nil, limit: 1):
                let item = ListedItem(id: 12, title: "Two", path: "/two.mp3")
                return ControlReply(FoundItems(found: [item], count: 3, current: nil))
            case let other?: return other.answer(from: queue)
            case nil: return ControlReply(PlayerStatus.paused)
            }
        }
        defer { service.end() }

        let program = try Program(
            ["queue", "search", "--play"] + words, environment: service.environment)

        #expect(try program.wait() == status)
        let actions = try service.queueRequests
        #expect(
            actions == [.search(words.joined(separator: " "), limit: 1)]
                + (status == 0 ? [.jump(12)] : []))
        #expect(try service.calls(Command.self).map(\.verb) == (status == 0 ? [.resume] : []))
    }

    @Test func `The queue verb shows all that a search finds, and that more may be found soon`()
        throws
    {
        let items = (0..<2500).map { index in
            var item = ListedItem(id: index, title: "Item", path: "/\(index).mp3")
            (item.index, item.number) = (index, index + 1)
            return item
        }
        let service = try FakeService { request, _ in
            guard case .search(_, let offset, let limit)? = try QueueRequest(request)
            else { return nil }
            let found = items.dropFirst(offset ?? 0).prefix(limit ?? QueueList.limit)
            return ControlReply(
                FoundItems(
                    found: Array(found), foundCount: items.count, hasUnreadTags: true, count: 3000,
                    current: nil))
        }
        defer { service.end() }

        let program = try Program(
            ["queue", "search", "item"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.lines.count == 2500 && program.lines.last == "  2500  Item")
        #expect(
            program.errorText
                == "undersong: still reading tags; try again for more matches\n")
    }

    @Test func `The queue verb shows what was added to a long queue where it is`() throws {
        let service = try Self.service(count: 2500, added: [2509, 2510])
        defer { service.end() }

        let program = try Program(["queue", "add", "/etc"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.lines.first == "added 2 items")
        #expect(program.lines.dropFirst().first == "  … 2493 before")
        #expect(program.lines.last == "  2500  Item")
        #expect(program.lines.count == 9)
    }

    @Test(arguments: [["queue"], ["queue", "list"]])
    func `The queue verb shows the queue`(arguments: [String]) throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(arguments, environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.lines == ["  1  One", "> 2  Two", "  3  Three"])
        #expect(try service.queueRequests == [.list(offset: 0, limit: 1000)])
    }

    @Test func `The queue verb adds files by their absolute paths`() throws {
        let service = try Self.service(added: [14, 15])
        defer { service.end() }

        let program = try Program(
            ["queue", "add", "bin", "/etc/passwd", "--start", "1:30"],
            environment: service.environment, in: "/usr")

        #expect(try program.wait() == 0)
        #expect(program.lines == ["added 2 items", "  1  One", "> 2  Two", "  3  Three"])
        let files = Files(["/usr/bin", "/etc/passwd"], start: WireTime(value: 90, timescale: 1))
        #expect(try service.queueRequests == [.add(files)])
    }

    @Test func `The queue verb inserts after the current item, or after the one at a place`() throws
    {
        let service = try Self.service(added: [14])
        defer { service.end() }

        let first = try Program(["queue", "insert", "/usr"], environment: service.environment)
        #expect(try first.wait() == 0)
        let second = try Program(
            ["queue", "insert", "--after", "3", "/usr"], environment: service.environment)
        #expect(try second.wait() == 0)

        let actions = try service.queueRequests
        #expect(
            actions == [
                .insert(Files(["/usr"]), after: nil), .list(offset: 2, limit: 1),
                .insert(Files(["/usr"]), after: 13),
            ])
    }

    @Test func `The queue verb fails with the reason if it adds nothing`() throws {
        let service = try Self.service(problems: ["cannot read /usr: It contains no music"])
        defer { service.end() }

        let program = try Program(["queue", "add", "/usr"], environment: service.environment)

        #expect(try program.wait() == 1)
        #expect(
            program.errorText == """
                undersong: cannot read /usr: It contains no music
                undersong: cannot add to the queue: None of the files can be played

                """)
    }

    @Test(arguments: ["add", "insert"])
    func `The queue verb adds the files that exist, and fails for the others`(verb: String) throws {
        let service = try Self.service(added: [14])
        defer { service.end() }

        let program = try Program(
            ["queue", verb, "nosuch.mp3", "bin"], environment: service.environment, in: "/usr")

        #expect(try program.wait() == 1)
        #expect(program.lines.first == "added 1 item")
        #expect(
            program.errorText
                == "undersong: cannot find /usr/nosuch.mp3: No such file or directory\n")
        let files = Files(["/usr/bin"])
        let action = verb == "add" ? QueueRequest.add(files) : .insert(files, after: nil)
        #expect(try service.queueRequests == [action])
    }

    @Test(arguments: ["add", "insert"])
    func `The queue verb adds what is on the network without looking for a file`(verb: String)
        throws
    {
        let service = try Self.service(added: [14])
        defer { service.end() }
        let url = "http://example.org/a.mp3"

        let program = try Program(["queue", verb, url], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.lines.first == "added 1 item" && program.errorText == "")
        let files = Files([url])
        let action = verb == "add" ? QueueRequest.add(files) : .insert(files, after: nil)
        #expect(try service.queueRequests == [action])
    }

    @Test func `The queue verb adds nothing if none of the files exists`() throws {
        let service = try Self.service(added: [14])
        defer { service.end() }

        let program = try Program(
            ["queue", "add", "/nosuch.mp3"], environment: service.environment)

        #expect(try program.wait() == 1)
        #expect(program.text == "")
        #expect(
            program.errorText == "undersong: cannot find /nosuch.mp3: No such file or directory\n")
        #expect(try service.queueRequests.isEmpty)
    }

    @Test(arguments: [("+1", 13), ("-1", 11), ("+0", 12)])
    func `The queue verb jumps relative to the current item`(place: String, id: Int) throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(["queue", "jump", place], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(try service.queueRequests.last == .jump(id))
    }

    @Test(arguments: [("+2", 4), ("-2", 0), ("+9223372036854775807", Int.max)])
    func `The queue verb does not jump beyond the queue`(place: String, number: Int) throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(["queue", "jump", place], environment: service.environment)

        #expect(try program.wait() == 1)
        #expect(
            program.errorText == "undersong: cannot jump in the queue: The queue has "
                + "\(number > 3 ? "only " : "")3 items; there is no item \(number)\n")
        #expect(try service.queueRequests.allSatisfy { $0 != .jump(12) })
    }

    @Test(arguments: [
        (["remove", "-1"], QueueRequest.remove([11])),
        (["remove", "current-last"], .remove([12, 13])),
        (["move", "+1", "first"], .move(13, after: nil)),
        (["move", "-1", "+1"], .move(11, after: 13)),
        (["jump", "last"], .jump(13)),
        (["insert", "--after", "last", "/usr"], .insert(Files(["/usr"]), after: 13)),
        (["shuffle"], .shuffle), (["sort"], .sort(by: .path)),
        (["sort", "title"], .sort(by: .title)),
        (["crop"], .crop("")), (["crop", "a", "b"], .crop("a b")), (["redo"], .redo),
        (["undo"], .undo),
        (["crop", "artist:Sigur Rós", "-live"], .crop("artist:\"Sigur Rós\" -live")),
        (["crop", "artist:bjork OR debut"], .crop("artist:bjork OR debut")),
    ])
    func `The queue verb knows relative and named places, and edits of the whole queue`(
        arguments: [String], action: QueueRequest
    ) throws {
        let service = try Self.service(added: [14])
        defer { service.end() }

        let program = try Program(["queue"] + arguments, environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(try service.queueRequests.last == action)
    }

    @Test(
        .rule("LQ3"),
        arguments: [
            ([""], "cannot crop the queue: The query is empty"),
            (["artits:x"], "cannot crop the queue: artits: is not a field; did you mean artist:?"),
        ])
    func `The queue verb does not crop to a query that is empty or wrong`(
        words: [String], error: String
    ) throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(["queue", "crop"] + words, environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(program.errorText.hasPrefix("undersong: " + error))
        #expect(try service.queueRequests.isEmpty)
    }

    @Test func `The queue verb reports how many duplicates it has removed`() throws {
        let service = try FakeService { _, _ in
            ControlReply(
                ChangedQueue(queue: QueueList(items: [], current: nil), removedCount: 2))
        }
        defer { service.end() }

        let program = try Program(["queue", "dedupe"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == "removed 2 items\n")
        #expect(try service.queueRequests == [.dedupe])
    }

    @Test(arguments: [
        (["move", "1", "2000"], 1995, 2005), (["remove", "1000"], 995, 1005),
        (["jump", "1"], 1, 7), (["shuffle"], 1, 7),
    ])
    func `The queue verb shows only what is near an edit`(
        arguments: [String], first: Int, last: Int
    ) throws {
        let service = try Self.service(count: 2500)
        defer { service.end() }

        let program = try Program(["queue"] + arguments, environment: service.environment)

        #expect(try program.wait() == 0)
        let places = program.lines.compactMap { line in
            line.split(separator: " ").compactMap { Int($0) }.first
        }
        let shown = program.lines.filter { !$0.contains("…") }
        #expect(shown.count == last - first + 1)
        #expect(places.contains(first) && places.contains(last))
        #expect(program.lines.last == "  … \(2500 - last) more")
    }

    @Test func `The queue verb adds the files that a list names, in their order`() throws {
        let service = try Self.service(added: [14])
        defer { service.end() }
        let list = service.runtimeFolder + "/list"
        try Data("etc/passwd\0bin\0".utf8).write(to: URL(fileURLWithPath: list))

        for arguments in [["add"], ["insert"], ["add", "/usr"]] {
            let program = try Program(
                ["queue"] + arguments + ["--files-from", list], environment: service.environment,
                in: "/")
            #expect(try program.wait() == 0)
        }

        let actions = try service.queueRequests
        let files = Files(["/etc/passwd", "/bin"])
        #expect(
            actions == [
                .add(files), .insert(files, after: nil),
                .add(Files(["/usr", "/etc/passwd", "/bin"])),
            ])
    }

    @Test(arguments: ["add", "insert"])
    func `The queue verb without files or a list is called incorrectly`(verb: String) throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(["queue", verb], environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(program.errorText.contains("queue \(verb): no file given"))
    }

    @Test func `The queue verb cannot read a list that is not there, or is empty`() throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(
            ["queue", "add", "--files-from", "/nosuch"], environment: service.environment)
        #expect(try program.wait() == 1)
        let empty = try Program(
            ["queue", "add", "--files-from", "/dev/null"], environment: service.environment)
        #expect(try empty.wait() == 1)

        #expect(
            program.errorText
                == "undersong: cannot read /nosuch: No such file or directory\n")
        #expect(empty.errorText == "undersong: cannot read /dev/null: It names no files\n")
        #expect(try service.queueRequests.isEmpty)
    }

    @Test(arguments: [["jump", "+"], ["jump", "1-2"], ["move", "1", "x"], ["remove", "5-3"]])
    func `The queue verb does not accept anything else for a place`(arguments: [String]) throws {
        let service = try Self.service()
        defer { service.end() }

        let program = try Program(["queue"] + arguments, environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(program.errorText.contains("is not a valid "))
        #expect(try service.queueRequests.isEmpty)
    }

    @Test func `The queue verb shows a queue of many pages, as text and as JSON`() throws {
        let service = try Self.service(count: 2500)
        defer { service.end() }

        let program = try Program(["queue", "list"], environment: service.environment)
        #expect(try program.wait() == 0)
        let json = try Program(["queue", "--json"], environment: service.environment)
        #expect(try json.wait() == 0)

        #expect(program.lines.count == 2500)
        #expect(program.lines.last == "  2500  Item")
        let reply = try JSONDecoder().decode(ChangedQueue.self, from: Data(json.text.utf8))
        #expect(reply.queue.items.map(\.id) == Array(11..<2511))
        #expect(reply.queue.current == 12)
    }

    private static func service(
        count: Int = 3, added: [Int] = [], problems: [String] = []
    ) throws -> FakeService {
        let items = (0..<count).map { index in
            ListedItem(
                id: 11 + index, title: index < 3 ? ["One", "Two", "Three"][index] : "Item",
                path: "/\(11 + index).mp3")
        }
        return try FakeService(queue: items, added: added, problems: problems)
    }
}
