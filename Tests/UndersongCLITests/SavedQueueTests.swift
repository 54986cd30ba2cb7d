import Foundation
import TestSupport
import Testing
import UndersongControl
import UndersongPlayback

@testable import UndersongCLI

/// The verbs of saved queues, as programs.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `A saved queue` {
    private static let items = [
        ListedItem(id: 11, title: "One", path: "/11.mp3"),
        ListedItem(id: 12, title: "Two", path: "/12.mp3"),
    ]

    /// Runs undersong with its own home folder.
    private func run(_ service: FakeService, _ arguments: String...) throws -> Program {
        let program = try Program(["queue"] + arguments, environment: service.environment)
        try program.wait()
        return program
    }

    private func folder(_ service: FakeService) -> String {
        service.runtimeFolder + "/.local/share/undersong/queues"
    }

    @Test func `A saved queue is a playlist that only the user can read, listed by name`() throws {
        let service = try FakeService(queue: Self.items)
        defer { service.end() }

        let first = try run(service, "save", "Für später")
        let second = try run(service, "save", "--json", "a.1")
        let names = try run(service, "saved")
        let json = try run(service, "saved", "--json")

        #expect(first.text == "saved 2 items as Für später\n")
        #expect(second.text == "{\"count\":2,\"name\":\"a.1\"}\n")
        #expect(names.lines == ["Für später", "a.1"])
        #expect(json.text == "[\"Für später\",\"a.1\"]\n")
        let folder = folder(service)
        let text = try String(contentsOfFile: folder + "/Für später.xspf", encoding: .utf8)
        #expect(text.contains("<location>file:///12.mp3</location>"))
        let attributes = try [folder, folder + "/a.1.xspf"].map {
            try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int
        }
        #expect(attributes == [0o700, 0o600])
    }

    @Test func `A saved queue replaces the queue when loaded, or is appended to it`() throws {
        let service = try FakeService(queue: Self.items, added: [12])
        defer { service.end() }
        _ = try run(service, "save", "mine")

        let loaded = try run(service, "load", "mine")
        let added = try run(service, "load", "mine", "--append")

        #expect(loaded.text == "loaded 2 items\n")
        #expect(added.text == "added 1 item\n")
        let files = Files([folder(service) + "/mine.xspf"])
        #expect(
            try service.queueRequests.suffix(2) == [.replace(files), .add(files)])
    }

    @Test func `A saved queue is removed by forget`() throws {
        let service = try FakeService(queue: Self.items)
        defer { service.end() }
        _ = try run(service, "save", "mine")

        let forgotten = try run(service, "forget", "mine")
        let names = try run(service, "saved")
        let again = try run(service, "forget", "mine")
        _ = try run(service, "save", "other")
        let asJSON = try run(service, "forget", "other", "--json", "--session", "default")

        #expect(asJSON.text == #"{"name":"other"}"# + "\n")
        #expect(forgotten.text + forgotten.errorText == "")
        #expect(names.text == "no queue is saved\n")
        #expect(again.errorText == "undersong: cannot forget a queue: No queue is saved as mine\n")
        #expect(try again.wait() == 1)
    }

    @Test func `A saved queue with an unknown name is answered with the most similar name`() throws
    {
        let service = try FakeService(queue: Self.items)
        defer { service.end() }
        _ = try run(service, "save", "morning")

        let program = try run(service, "load", "mornign")

        #expect(try program.wait() == 1)
        #expect(
            program.errorText == "undersong: cannot load a queue: No queue is saved as mornign; "
                + "did you mean 'morning'?\n")
    }

    @Test(arguments: ["list.m3u", "a/b", "/x.XSPF", "-"])
    func `A saved queue cannot have the name of a file`(name: String) throws {
        let service = try FakeService(queue: Self.items)
        defer { service.end() }

        let program = try run(service, "save", "--", name)

        #expect(try program.wait() == 64)
        #expect(
            program.errorText == "undersong: cannot save the queue as \(name): That is a file, not "
                + "a name; 'undersong queue export' writes files\n")
        #expect(!FileManager.default.fileExists(atPath: folder(service)))
    }

    @Test(arguments: [
        ("a", true), ("Für später", true), ("日本 1", true), ("نیم‌روز", true), ("हिन्दी", true),
        ("a.b_c-d", true), ("_", true), ("e\u{301}", true),
        (String(repeating: "x", count: 64), true),
        ("", false), (" a", false), ("a ", false), (".a", false), ("-a", false), ("a/b", false),
        ("a\nb", false), ("a\0", false), ("a:b", false), ("..", false), ("🎵", false),
        ("a\u{202E}b", false), (String(repeating: "x", count: 65), false),
    ])
    func `A saved queue has a name of letters, digits and a few other characters`(
        name: String, isValid: Bool
    ) {
        #expect((SavedQueueName(name) != nil) == isValid)
    }
}
