import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongBase
import UndersongControl
import UndersongPlayback
import UndersongPodcasts

extension EndToEnd {
    /// Podcasts with the real programs, from a server to the queue.
    @Suite struct `A podcast` {
        private typealias Request = ScriptedHTTPServer.Request
        private typealias Response = ScriptedHTTPServer.Response

        @Test func `A podcast arrives as a file and in the queue`() throws {
            let episodes = Mutex(["1"])
            let song = try Data(contentsOf: URL(filePath: Self.song))
            let stage = try Stage { request in
                guard request.path == "/feed" else {
                    return Response(file: Array(song), to: request)
                }
                let numbers = episodes.withLock(\.self)
                return Self.feed(numbers, etag: "\"\(numbers.count)\"", to: request)
            }
            let added = try stage.undersong(
                "feed", "add", stage.server.url("/feed"), "--queue", "end")
            #expect(added == "added The Podcast: 1 episode\n")
            try stage.waitForQueue(["1"])

            #expect(try stage.undersong("feed", "refresh") == "no new episodes\n")
            #expect(stage.server.requests.last?.fields["if-none-match"] == "\"1\"")
            episodes.withLock { $0 = ["2", "1"] }
            #expect(try stage.undersong("feed", "refresh") == "1 new episode\n")
            try stage.waitForQueue(["1", "2"])

            let file = stage.home + "/Podcasts/The Podcast/Episode 2.mp3"
            #expect(try Data(contentsOf: URL(filePath: file)) == song)
            try waitUntil {
                try stage.undersong("feed", "episodes", "1").hasSuffix(
                    "2  downloaded  Episode 2\n1  downloaded  Episode 1\n")
            }
        }

        @Test func `A podcast arrives whole and once, whichever program is killed meanwhile`()
            throws
        {
            let count = Mutex(1)
            let song = try Data(contentsOf: URL(filePath: Self.song))
            let stage = try Stage { request in
                guard request.path == "/feed" else {
                    return Response(file: Array(song), to: request)
                }
                let numbers = (1...count.withLock(\.self)).reversed().map(String.init)
                return Self.feed(numbers, to: request)
            }
            _ = try stage.undersong(
                "feed", "add", stage.server.url("/feed"), "--auto", "all", "--queue", "end")

            for round in 0..<8 {
                count.withLock { $0 += 3 }
                let before = stage.server.requests.count
                var refresh = try stage.program("feed", "refresh")
                // A kill while the feed is read, while an episode comes, and while others wait. A
                // refresh that was under way already may have read the feed as it was before.
                try waitUntil {
                    if !refresh.data.isEmpty || !refresh.errorText.isEmpty {
                        refresh = try stage.program("feed", "refresh")
                    }
                    return stage.server.requests.count > before + round / 2
                }
                if round % 2 == 0 { try stage.restart() } else { stage.killTransfers() }
                _ = try refresh.wait()
            }
            try waitUntil {
                _ = try stage.program("feed", "refresh").wait()
                let episodes = try stage.reply(ListEpisodes.self, "feed", "episodes").episodes
                return episodes.count == 25 && episodes.allSatisfy { $0.state == .downloaded }
            }

            let folder = stage.home + "/Podcasts/The Podcast"
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(Set(names) == Set((1...25).map { "Episode \($0).mp3" }))
            for name in names {
                #expect(try Data(contentsOf: URL(filePath: "\(folder)/\(name)")) == song)
            }
            try stage.waitForQueue(Set(names))
        }

        @Test func `A podcast is refused, using little memory, if the server sends something else`()
            throws
        {
            let stage = try Stage { Self.answer($0) }
            let memory = try stage.memory

            for (path, text) in Self.refused {
                let url = stage.server.url(path)
                let program = try stage.program("feed", "add", url)
                #expect(try program.wait() == 1)
                #expect(program.errorText.hasPrefix("undersong: cannot add the feed \(url): "))
                #expect(program.errorText.contains(text))
            }
            let growth = try stage.memory - memory
            #expect(growth <= 8 << 20)
        }

        @Test func `A podcast of a hundred that stalls or drips keeps none of the others waiting`()
            throws
        {
            let stage = try Stage { request in
                var response = Self.feed(["1"], to: request)
                if request.path == "/3" { response.stall = 10 }
                if request.path == "/4" { response.drip = 1 }
                return response
            }
            let urls = (0..<100).map { stage.server.url("/\($0)") }
            let outlines = urls.map { "<outline xmlUrl='\($0)'/>" }.joined()
            let file = stage.home + "/list.opml"
            try Data("<opml><body>\(outlines)</body></opml>".utf8)
                .write(to: URL(filePath: file))
            let imported = try stage.undersong("feed", "import", file, "--auto", "none")
            #expect(imported == "added 100 feeds; 'undersong feed refresh' reads them\n")

            let program = try stage.program("feed", "refresh", "--json")
            try waitUntil {
                let feeds = try stage.reply(ListFeeds.self, "feed", "list").feeds
                return feeds.count { $0.title != nil } == 98
            }
            // The two others are still being read.
            #expect(program.text.isEmpty)
            #expect(try program.wait() == 1)

            let report = try JSONDecoder().decode(FeedReport.self, from: program.data)
            #expect(report.new == 98)
            #expect(report.failed.map(\.feed).sorted() == [4, 5])
        }

        // MARK: Answers

        private static let refused = [
            ("/portal", "It is a web page, not a feed"),
            ("/laughs", "It declares entities that stand for others"),
            ("/large", "It is longer than 16 MiB"),
        ]

        private static func answer(_ request: Request) -> Response {
            var response = Response()
            switch request.path {
            case "/portal": response.body = Array("<!doctype html><html>Log in</html>".utf8)
            case "/laughs":
                response.body = Array(
                    """
                    <!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
                    <rss><channel><title>&b;</title></channel></rss>
                    """.utf8)
            case "/large":
                response.body = [UInt8](repeating: 0x20, count: 50 << 20)
            default: return feed(["1"], to: request)
            }
            return response
        }

        /// A feed with episodes of these numbers; 304 if it is known already.
        private static func feed(
            _ numbers: [String], etag: String? = nil, to request: Request
        ) -> Response {
            var response = Response()
            if let etag {
                response.fields = [("ETag", etag)]
                if request.fields["if-none-match"] == etag {
                    response.status = 304
                    return response
                }
            }
            let host = request.fields["host"] ?? ""
            let items = numbers.map { number in
                """
                <item><guid>\(number)</guid><title>Episode \(number)</title>
                <enclosure url="http://\(host)/\(number).mp3" type="audio/mpeg" length="1"/></item>
                """
            }
            response.body = Array(
                """
                <rss version="2.0"><channel><title>The Podcast</title>\(items.joined())
                </channel></rss>
                """.utf8)
            return response
        }

        private static let song =
            URL(filePath: #filePath)
            .appending(path: "../../../Resources/Demo/01 Slack Water.mp3").standardizedFileURL.path

        // MARK: The stage

        /// A server, and a home folder in which a service runs.
        private final class Stage {
            let server: ScriptedHTTPServer
            let folder: RuntimeFolder
            private let daemon: Daemon

            init(_ answer: @escaping @Sendable (Request) -> Response) throws {
                server = try ScriptedHTTPServer(answer)
                folder = try RuntimeFolder()
                daemon = try Daemon(in: folder.path, environment: ["HOME": folder.path])
            }

            deinit {
                server.stop()
                daemon.killAnyone()
                killTransfers()
            }

            /// Kills the service, and starts another one.
            func restart() throws {
                daemon.killAnyone()
                try daemon.startUnlessRunning()
            }

            /// Kills `undersong-transferd` if it runs.
            func killTransfers() {
                let transfers = ControlSocket(
                    session: ControlSocket.transfers(of: "default"), runtimeFolder: folder.path
                ).path
                if let client = try? ControlClient(socket: transfers, name: "tests"),
                    let process = try? client.call(Hello(client: "tests")).process
                {
                    kill(process, SIGKILL)
                }
            }

            var home: String { folder.path }

            /// The memory of the service in bytes, without the pages of its program, which come and
            /// go.
            var memory: Int {
                get throws {
                    let text = try String(
                        contentsOfFile: "/proc/\(daemon.process)/status", encoding: .utf8)
                    let line = try #require(
                        text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
                    return try #require(Int(line.split(separator: " ")[1])) * 1024
                }
            }

            func program(_ arguments: String...) throws -> Program {
                try Program(Program.undersong, arguments, environment: daemon.environment)
            }

            func undersong(_ arguments: String...) throws -> String {
                let program = try Program(
                    Program.undersong, arguments, environment: daemon.environment)
                #expect(try program.wait() == 0, "\(program.errorText)")
                return program.text
            }

            /// The answer of a verb to a call.
            func reply<Call: ControlCall>(
                _ call: Call.Type, _ arguments: String...
            ) throws -> Call.Reply {
                let program = try Program(
                    Program.undersong, arguments + ["--json"], environment: daemon.environment)
                #expect(try program.wait() == 0, "\(program.errorText)")
                return try JSONDecoder().decode(Call.Reply.self, from: program.data)
            }

            /// Waits until the queue has these files, each once.
            func waitForQueue(_ names: Set<String>) throws {
                let client = try daemon.client()
                try waitUntil {
                    let paths = try client.call(ListQueue()).items.map(\.path)
                    let found = paths.compactMap { $0.split(separator: "/").last.map(String.init) }
                    #expect(Set(found).count == found.count)
                    return Set(found) == names
                }
            }

            /// Waits until the queue has these episodes.
            func waitForQueue(_ numbers: [String]) throws {
                let client = try daemon.client()
                try waitUntil {
                    let queue = try client.call(ListQueue())
                    return queue.items.map(\.path).map { $0.suffix(13) }
                        == numbers.map { Substring("Episode \($0).mp3") }
                }
            }
        }
    }
}
