import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongAudioSession
import UndersongBase
import UndersongPlayback

extension EndToEnd {
    @Suite struct `Playback from the network` {
        /// Noise on a server that answers as `answer` says, and a player with an empty queue.
        struct Stage {
            let network: Network
            let server: ScriptedHTTPServer
            let music: Music
            let studio: Studio
            let sources: Sources

            init(
                seconds: [Double] = [9], options: [String] = ["-b", "128"],
                _ answer:
                    @escaping @Sendable (ScriptedHTTPServer.Request, [UInt8]) ->
                    ScriptedHTTPServer.Response
            ) throws {
                let music = try Music()
                let sources = try Sources(music, seconds: seconds, options: [options])
                let files = try sources.paths.map { try Data(contentsOf: URL(filePath: $0)) }
                server = try ScriptedHTTPServer { request in
                    let number = request.path.split(separator: "/").last?.prefix { $0 != "." }
                    let index = number.flatMap { Int($0) } ?? 0
                    return answer(request, Array(files[min(index, files.count - 1)]))
                }
                network = try Network()
                (self.music, self.sources) = (music, sources)
                studio = try Studio(on: SoundServer(), network: network.streams)
            }

            /// The items, by their numbers.
            func urls(_ numbers: Int...) -> [QueueEntry] {
                numbers.map { number in
                    QueueEntry(.network(url: FilePath(server.url("/\(number).mp3"))))
                }
            }
        }

        @Test(.comparesSamples)
        func `Playing from the network sounds as the files do, without a gap between them`()
            async throws
        {
            let stage = try Stage(seconds: [1.5, 1.3, 2]) {
                ScriptedHTTPServer.Response(file: $1, to: $0)
            }
            let sources = stage.sources

            await stage.studio.player.append(stage.urls(0, 1, 2))
            try await stage.studio.play()
            try stage.studio.wait { $0.head.reason == .known(.noItemToPlay) }
            let heard = try await stage.studio.finish(sources)

            #expect(heard.difference(fromWhole: [0, 1, 2], of: sources) == "")
            #expect(heard.joined.last?.end == sources.music[2].count)
            #expect(heard.seams(of: sources).allSatisfy { $0.next.silence == 0 })
            #expect(heard.unmatchedFrames == 0)
            #expect(stage.server.requests.count == 3)
        }

        @Test(.comparesSamples)
        func `Playing from the network stops at the last frame that has come, and resumes there`()
            async throws
        {
            // Everything but the first request stalls until it is let go.
            let isOpen = Mutex(false)
            let stage = try Stage { request, file in
                if request.number > 1 {
                    try? waitUntil { isOpen.withLock { $0 } }
                }
                var response = ScriptedHTTPServer.Response(file: file, to: request)
                if request.number == 1 { response.cut = 60_000 }
                return response
            }
            let (studio, sources) = (stage.studio, stage.sources)

            await studio.player.append(stage.urls(0))
            try await studio.play()
            let stopped = try studio.wait {
                $0.isState && $0.head.reason == .known(.toMinimizeStalls)
            }
            let count = studio.count
            isOpen.withLock { $0 = true }
            try studio.wait(after: count) { $0.isState && $0.head.status == .playing }
            try studio.wait { $0.head.reason == .known(.noItemToPlay) }
            let heard = try await studio.finish(sources)

            #expect(heard.difference(fromWhole: [0], of: sources) == "")
            #expect(heard.joined.last?.end == sources.music[0].count)
            #expect(heard.unmatchedFrames == 0)
            // The position that was reported is where the silence is.
            let silent = heard.pieces.dropFirst().max { $0.silence < $1.silence }
            #expect(silent?.start == stopped.head.position.frame)
            #expect(ReportedSound(studio.events, of: sources).misplaced == [])
            // The rest was asked for with proof of the version.
            let again = try #require(stage.server.requests.last)
            #expect(again.rangeStart == 60_000 && again.fields["if-range"] == "\"1\"")
        }

        @Test(.comparesSamples)
        func `Playing from the network loses no frame to a cut and to a killed process`()
            async throws
        {
            let stage = try Stage(seconds: [6]) { request, file in
                var response = ScriptedHTTPServer.Response(file: file, to: request)
                response.cut = 9000
                return response
            }
            let (studio, sources) = (stage.studio, stage.sources)

            await studio.player.append(stage.urls(0))
            try await studio.play()
            try stage.network.kill(by: SIGKILL)
            try studio.wait { $0.head.reason == .known(.noItemToPlay) }
            let heard = try await studio.finish(sources)

            #expect(heard.difference(fromWhole: [0], of: sources) == "")
            #expect(heard.joined.last?.end == sources.music[0].count)
            #expect(heard.unmatchedFrames == 0)
            #expect(stage.server.requests.count > 9)
        }

        @Test func `A stalled item can be paused and stopped, and is not skipped`()
            async throws
        {
            let stage = try Stage { request, file in
                var response = ScriptedHTTPServer.Response(file: file, to: request)
                response.stall = 40_000
                return response
            }
            let studio = stage.studio

            await studio.player.append(stage.urls(0, 0))
            try await studio.play()
            try studio.wait { $0.head.reason == .known(.toMinimizeStalls) }
            try await studio.pause()
            await studio.player.play()
            try studio.wait(after: studio.count - 1) {
                $0.head.reason == .known(.toMinimizeStalls)
            }
            let first = await studio.session.report.current?.id
            await studio.session.halt()
            _ = try await studio.stop()

            #expect(first?.number == 1)
            #expect(studio.events.allSatisfy { if case .error = $0.kind { false } else { true } })
        }

        @Test func `A remote file that is not sound gives one error, and the next item plays`()
            async throws
        {
            let stage = try Stage(seconds: [1]) { request, file in
                var response = ScriptedHTTPServer.Response(file: file, to: request)
                if request.path == "/0.mp3" { response.status = 404 }
                if request.path == "/1.mp3" {
                    response.fields.append(("Content-Type", "text/html"))
                }
                return response
            }
            let studio = stage.studio

            await studio.player.append(stage.urls(0, 1, 2))
            await studio.player.play()
            try studio.wait { $0.head.reason == .known(.noItemToPlay) }
            _ = try await studio.stop()

            let errors = studio.events.compactMap { event in
                if case .error(let failure) = event.kind { failure } else { SessionFailure?.none }
            }
            #expect(errors.map(\.code) == ["refused-by-server", "not-sound"])
            #expect(
                errors.map(\.reason) == [
                    "The server answers 404", "The server sends a web page instead of sound",
                ])
            #expect(studio.events.count { $0.isBeginning } == 1)
        }

        @Test(arguments: ["audio/aac", "audio/mpeg", "application/octet-stream"])
        func `AAC is refused by its name, whatever the server calls it`(type: String)
            async throws
        {
            let stage = try Stage(seconds: [1]) { request, file in
                var response = ScriptedHTTPServer.Response(file: file, to: request)
                guard request.path == "/0.aac" else { return response }
                // Frames of AAC-LC, 44.1 kHz, stereo, with 100 bytes each.
                let header: [UInt8] = [0xFF, 0xF1, 0x50, 0x80, 0x0C, 0x9F, 0xFC]
                let frames = [[UInt8]](
                    repeating: header + Array(repeating: 0x21, count: 93), count: 300)
                response.body = Array(frames.joined())
                response.fields.append(("Content-Type", type))
                return response
            }
            let studio = stage.studio
            let url = FilePath(stage.server.url("/0.aac"))

            await studio.player.append([QueueEntry(.network(url: url))] + stage.urls(0))
            await studio.player.play()
            try studio.wait { $0.head.reason == .known(.noItemToPlay) }
            _ = try await studio.stop()

            let errors = studio.events.compactMap { event in
                if case .error(let failure) = event.kind { failure } else { SessionFailure?.none }
            }
            #expect(errors.count == 1)
            #expect(errors.first?.reason.contains("AAC") == true, "\(errors)")
            #expect(studio.events.count { $0.isBeginning } == 1)
        }

        @Test(.comparesSamples)
        func `A seek in a remote file reaches the very frame without fetching what precedes it`()
            async throws
        {
            let stage = try Stage(seconds: [60]) { request, file in
                var response = ScriptedHTTPServer.Response(file: file, to: request)
                // Nothing comes after a part of the file.
                if request.rangeStart == nil { response.stall = 200_000 }
                return response
            }
            let (studio, sources) = (stage.studio, stage.sources)

            await studio.player.append(stage.urls(0))
            try await studio.play()
            let isDone = await studio.player.seek(to: CMTime(frame: 44100 * 50 + 7))
            try studio.wait { $0.isJump }
            let count = studio.count
            try studio.wait(after: count) { event in
                if case .time = event.kind { event.head.position.seconds > 51 } else { false }
            }
            try await studio.pause()
            let heard = try await studio.finish(sources)

            #expect(isDone)
            let last = try #require(heard.joined.last)
            #expect(last.start == 44100 * 50 + 7)
            #expect(heard.unmatchedFrames == 0)
            let ranges = stage.server.requests.compactMap(\.rangeStart)
            #expect(ranges.count == 1 && ranges[0] > 700_000)
            #expect(stage.server.bytesSent < 500_000)
        }

        @Test
        func `A station is heard with its titles where they belong, and again after it was cut`()
            async throws
        {
            let stage = try Stage(seconds: [8]) { request, file in
                var response = ScriptedHTTPServer.Response()
                response.fields = [
                    ("icy-metaint", "16000"), ("icy-name", "Radio Test"),
                    ("Content-Type", "audio/mpeg"),
                ]
                response.announcesLength = false
                let half = file.count / 2
                let part = request.number == 1 ? file[..<half] : file[half...]
                var place = part.startIndex
                while part.endIndex - place >= 16000 {
                    response.body += part[place..<place + 16000]
                    let title = Array("StreamTitle='No. \(request.number)';".utf8)
                    response.body += [2] + title + Array(repeating: 0, count: 32 - title.count)
                    place += 16000
                }
                response.body += part[place...]
                if request.number > 1 { response.stall = response.body.count }
                return response
            }
            let studio = stage.studio

            await studio.player.append(stage.urls(0))
            try await studio.play()
            let first = try studio.wait { event in
                if case .metadata("No. 1") = event.kind { true } else { false }
            }
            let second = try studio.wait { event in
                if case .metadata("No. 2") = event.kind { true } else { false }
            }
            let report = await studio.session.report
            let isDone = await studio.player.seek(to: CMTime(value: 1, timescale: 1))
            _ = try await studio.stop()

            #expect(stage.server.requests.allSatisfy { $0.fields["icy-metadata"] == "1" })
            // The file has 16,000 bytes a second, and the titles come 16,000 bytes into a response.
            let size = try Data(contentsOf: URL(filePath: stage.sources.paths[0])).count
            let half = Double(size / 2) / 16_000
            #expect(abs(first.head.position.seconds - 1) < 0.2, "\(first.head.position)")
            #expect(
                abs(second.head.position.seconds - half - 1) < 0.2,
                "\(second.head.position)")
            let network = report.player.network
            #expect(report.player.item?.title == "No. 2")
            #expect(network?.live == true && network?.station == "Radio Test")
            #expect(!report.isSeekable && !isDone)
        }

        @Test(.comparesSamples)
        func `A station is heard in real time without a stall after its burst`() async throws {
            // As Icecast does it: 64 KiB at once, and then 128 kbit/s.
            let stage = try Stage(seconds: [20]) { _, file in
                var response = ScriptedHTTPServer.Response()
                response.fields = [
                    ("icy-name", "Radio Test"), ("icy-br", "128"), ("Content-Type", "audio/mpeg"),
                ]
                response.announcesLength = false
                response.body = file
                response.pace = (burst: 65_536, rate: 16_000)
                response.stall = file.count
                return response
            }
            let studio = stage.studio

            await studio.player.append(stage.urls(0))
            try await studio.play()
            try studio.wait { event in
                if case .time = event.kind { event.head.position.seconds > 11 } else { false }
            }
            try await studio.pause()
            let heard = try await studio.finish(stage.sources)

            let stalls = studio.events.filter {
                $0.isState && $0.head.reason == .known(.toMinimizeStalls)
            }
            #expect(stalls.map(\.head.position.seconds) == [])
            #expect(heard.unmatchedFrames == 0)
            #expect(heard.pieces.dropFirst().allSatisfy { $0.silence == 0 })
        }

        @Test func `Playlists of a server are expanded, and HLS is refused by name`() async throws {
            let network = try Network()
            let server = try ScriptedHTTPServer { request in
                var response = ScriptedHTTPServer.Response()
                switch request.path {
                case "/list/all.m3u":
                    response.body = Array(
                        "#EXTM3U\n#EXTINF:5,One\na b.mp3\n/c.mp3\nhttp://other/d.mp3\nmore.pls\n"
                            .utf8)
                case "/list/more.pls":
                    response.body = Array("[playlist]\nFile1=e.mp3\nTitle1=Five\n".utf8)
                case "/listen":
                    response.fields = [("Content-Type", "audio/x-scpls")]
                    response.body = Array("[playlist]\nFile1=http://radio/live\n".utf8)
                case "/hls.m3u8":
                    response.body = Array("#EXTM3U\n#EXT-X-VERSION:3\nsegment.ts\n".utf8)
                default: response.status = 404
                }
                return response
            }
            let fetcher = PlaylistFetcher(network.streams, clock: SystemClock())
            let names = ["/list/all.m3u", "/listen", "/hls.m3u8", "/song.mp3", "/gone.m3u"]
                .map { FilePath(server.url($0)) }

            let finder = MediaFinder(names, network: fetcher)
            let found = finder.all()

            #expect(
                found.map(\.source.path.description) == [
                    server.url("/list/a%20b.mp3"), server.url("/c.mp3"), "http://other/d.mp3",
                    server.url("/list/e.mp3"), "http://radio/live", server.url("/song.mp3"),
                ])
            #expect(found.allSatisfy { $0.source.isRemote })
            #expect(found[0].title == "One")
            #expect(
                finder.errors.map(\.reason) == [
                    "It is an HLS playlist, which is not supported", "The server answers 404",
                ])
            // What is named like sound is not asked for.
            #expect(!server.requests.contains { $0.path == "/song.mp3" })
        }
    }
}
