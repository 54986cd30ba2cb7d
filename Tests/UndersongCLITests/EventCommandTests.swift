import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback
import UndersongPodcasts

@Suite(.blockingThreads, .timeLimit(.minutes(2))) struct `The command of --on-item` {
    private let folder = Folder()
    private let problems = Problems()

    private func command(
        _ line: String, on subject: EventCommand.Subject = .item, patience: Double = 30
    ) -> EventCommand {
        EventCommand(
            line, on: subject, session: "kitchen", patience: patience, clock: SystemClock()
        ) {
            [problems] in problems.add($0)
        }
    }

    @Test func `The item command has the item in its environment, and no facts that are not known`()
        throws
    {
        var event = PlayerEvent.began("Slack\0Water", seconds: 245.5, place: 2)
        if case .item(.began(let known, var description?)) = event.kind {
            var item = QueueItem(
                id: known.id, source: .file(path: FilePath(bytes: [0x2F, 0xE9])))
            item.title = known.title
            description.tags = ["artist": "The Undersongs", "album": ""]
            event.kind = .item(.began(item, description))
        }
        setenv("UNDERSONG_ALBUM", "of another item", 1)

        command(
            """
            env | grep -aE '^UNDERSONG_(TITLE|ARTIST|ALBUM|PATH|DURATION|PLACE|SESSION)=' \
                | LC_ALL=C sort > '\(folder.pipe)'
            """
        ).handle(event)

        let expected = """
            UNDERSONG_ARTIST=The Undersongs
            UNDERSONG_DURATION=245.5
            UNDERSONG_PATH=/\u{FFFD}
            UNDERSONG_PLACE=3
            UNDERSONG_SESSION=kitchen
            UNDERSONG_TITLE=SlackWater

            """
        #expect(try folder.read() == expected)
    }

    @Test func `The item command is not run for an item that ends`() throws {
        let command = command("echo $UNDERSONG_TITLE > '\(folder.pipe)'")

        // So many that a command would have begun meanwhile.
        for _ in 0..<1000 { command.handle(.ended("One", seconds: 3)) }
        command.handle(.began("Two"))

        #expect(try folder.read() == "Two\n")
    }

    @Test func `The item command is run one at a time, and then for the item that began last`()
        throws
    {
        let command = command("cat '\(folder.gate)'; echo $UNDERSONG_TITLE > '\(folder.pipe)'")

        command.handle(.began("One"))
        let gate = try folder.openGate()
        command.handle(.began("Two"))
        command.handle(.began("Three"))
        try gate.close()
        let first = try folder.read()
        try folder.openGate().close()

        #expect(first == "One\n")
        #expect(try folder.read() == "Three\n")
    }

    @Test func `The item command does not begin while it is running`() throws {
        let command = command(
            """
            mkdir '\(folder.path)/lock' || exit 7
            test $UNDERSONG_TITLE = One && cat '\(folder.gate)'
            rmdir '\(folder.path)/lock'
            test $UNDERSONG_TITLE != Three || echo > '\(folder.pipe)'
            """)

        command.handle(.began("One"))
        let gate = try folder.openGate()
        for _ in 0..<50 { command.handle(.began("Two")) }
        command.handle(.began("Three"))
        try gate.close()

        #expect(try folder.read() == "\n")
        #expect(problems.all == [])
    }

    @Test func `An item command that hangs is killed with its children, and the next one begins`()
        throws
    {
        let command = command(
            "test $UNDERSONG_TITLE = Two && echo > '\(folder.pipe)' || cat '\(folder.gate)'",
            patience: 2)

        command.handle(.began("One"))
        try problems.wait(for: 1)
        command.handle(.began("Two"))

        #expect(try folder.read() == "\n")
        #expect(problems.all.first?.hasSuffix(": It took longer than 2 s and was killed") == true)
    }

    @Test func `The item command is reported once when it fails, and again after a success`() throws
    {
        let command = command("echo > '\(folder.pipe)'; test $UNDERSONG_TITLE = Good")

        for title in ["Bad", "Bad", "Good", "Bad", "Good"] {
            command.handle(.began(title))
            _ = try folder.read()
        }
        try problems.wait(for: 2)

        #expect(problems.all.count == 2)
        #expect(
            problems.all.first?.hasPrefix("cannot run the command for an item, echo > ") == true)
        #expect(problems.all.allSatisfy { $0.hasSuffix(": Exit status 1") })
    }

    private static func episode(
        _ title: String, _ state: EpisodeState, isNew: Bool = false, problem: String? = nil
    ) -> PlayerEvent {
        var feed = Feed(id: 1, url: "http://a/feed")
        feed.title = "The Podcast"
        var episode = Episode(id: 7, feed: 1, key: "k", title: title, state: state)
        (episode.path, episode.problem) = ("/p/\(title).mp3", problem)
        return PlayerEvent(.episode(EpisodeReport(episode, of: feed, isNew: isNew)))
    }

    @Test func `The command for episodes is run for each new one, in order`() throws {
        let command = command(
            "cat '\(folder.gate)'; echo $UNDERSONG_PODCAST, $UNDERSONG_EPISODE, $UNDERSONG_TITLE, "
                + "$UNDERSONG_PATH > '\(folder.pipe)'", on: .episode)

        command.handle(Self.episode("One", .available, isNew: true))
        let gate = try folder.openGate()
        command.handle(.began("Song"))
        command.handle(Self.episode("Old", .available))
        command.handle(Self.episode("One", .downloaded))
        command.handle(Self.episode("Two", .available, isNew: true))
        command.handle(Self.episode("Three", .notPlayable, isNew: true))
        try gate.close()
        var lines = [try folder.read()]
        for _ in 1...2 {
            try folder.openGate().close()
            lines.append(try folder.read())
        }

        #expect(
            lines == ["One", "Two", "Three"].map { "The Podcast, 7, \($0),\n" })
    }

    @Test func `The command for downloads has the file, or the problem`() throws {
        let command = command(
            "echo $UNDERSONG_TITLE, $UNDERSONG_PATH, $UNDERSONG_PROBLEM > '\(folder.pipe)'",
            on: .download)

        command.handle(Self.episode("One", .wanted))
        command.handle(Self.episode("One", .downloaded))
        let first = try folder.read()
        command.handle(Self.episode("Two", .failed, problem: "404"))
        let second = try folder.read()

        #expect(first == "One, /p/One.mp3,\n")
        #expect(second == "Two, , 404\n")
    }

    @Test(arguments: [[], ["--quiet"]])
    func `The item command is run by play, which complains of its failure`(options: [String]) throws
    {
        let service = try FakeService { request, _ in
            switch request.method {
            case Play.method: ControlReply(Play.Reply(run: 1))
            case Subscribe.method: ControlReply(Subscribe.Reply(subscription: 1))
            default: ControlReply(PlayerStatus.paused)
            }
        }
        defer { service.end() }

        let program = try Program(
            ["play", "/a.mp3", "--on-item", "echo $UNDERSONG_TITLE > '\(folder.pipe)'; exit 3"]
                + options, environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        service.send(event: .began("One"))
        let title = try folder.read()
        try program.waitForOutput { $0.errorText.contains("Exit status 3") }
        service.send(.end())

        #expect(title == "One\n")
        #expect(try program.wait() == 0)
        let kinds = try service.calls(Subscribe.self).first?.kinds ?? []
        #expect(kinds.contains("item") && kinds.contains("episode"))
    }
}

/// The reports, in order.
private final class Problems: Sendable {
    private let list = Mutex<[String]>([])
    private let hasNews = DispatchSemaphore(value: 0)

    var all: [String] { list.withLock { $0 } }

    func add(_ problem: String) {
        list.withLock { $0.append(problem) }
        hasNews.signal()
    }

    func wait(for count: Int) throws {
        while all.count < count { try hasNews.waitPatiently(orSay: "there are only \(all)") }
    }
}

/// A folder with a pipe that commands write to, and one that they wait for.
private final class Folder: Sendable {
    let path = NSTemporaryDirectory() + "undersong-item-\(UUID())"
    var pipe: String { path + "/pipe" }
    var gate: String { path + "/gate" }

    init() {
        mkdir(path, 0o700)
        mkfifo(pipe, 0o600)
        mkfifo(gate, 0o600)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The output of the next command.
    func read() throws -> String {
        let file = try #require(FileHandle(forReadingAtPath: pipe))
        return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }

    /// Opens the gate once a command waits for it; it ends as soon as this is closed.
    func openGate() throws -> FileHandle { try #require(FileHandle(forWritingAtPath: gate)) }
}
