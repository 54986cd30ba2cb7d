import AVFoundation
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongTransferClient

extension Players {
    @Suite struct `Items from the network` {
        /// A folder for a test's own `undersong-transferd`, which ends some time after the test.
        private final class Folder: Sendable {
            let path = "/tmp/undersong-\(UUID().uuidString.prefix(13))"

            init() throws {
                try FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])
                let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
                    .deletingLastPathComponent().appending(path: "undersong-transferd").path
                NetworkMedia.setLocation(
                    TransferLocation(
                        session: "default", runtimeFolder: path, stateFolder: path + "/state",
                        program: program, searchPath: nil))
            }

            deinit { try? FileManager.default.removeItem(atPath: path) }
        }

        @Test func `A player waits for what has not arrived from the network, and says so`()
            async throws
        {
            let folder = try Folder()
            let file = Array(try Data(contentsOf: Sound.url(0)))
            let isOpen = Mutex(false)
            let server = try ScriptedHTTPServer { request in
                var response = ScriptedHTTPServer.Response(file: file, to: request)
                if (request.rangeStart ?? 0) == 0 {
                    response.cut = 100_000
                } else {
                    try? waitUntil { isOpen.withLock { $0 } }
                }
                return response
            }
            let url = try #require(URL(string: server.url("/song.mp3")))
            let player = AVQueuePlayer.silent([AVPlayerItem(url: url)])
            let item = try #require(player.currentItem)
            let log = Log()
            let listener = Listener(.AVPlayerItemPlaybackStalled, of: item) { _ in
                log.note("stalled")
            }

            player.play()
            await player.waitFor(.playing)
            await item.waitFor(.readyToPlay)
            let loaded = item.loadedTimeRanges.map(\.timeRangeValue)
            await log.wait(for: "stalled")
            let reason = player.reasonForWaitingToPlay
            let isEmpty = item.isPlaybackBufferEmpty
            let keepsUp = item.isPlaybackLikelyToKeepUp
            isOpen.withLock { $0 = true }
            await player.waitFor(.playing)

            #expect(item.status == .readyToPlay)
            #expect((25..<35).contains(item.duration.seconds))
            #expect(loaded.count == 1 && loaded.first?.start == .zero)
            #expect((loaded.first?.duration.seconds ?? 99) < 20)
            #expect(reason == .toMinimizeStalls && isEmpty && !keepsUp)
            try await eventually { !item.isPlaybackBufferEmpty }
            withExtendedLifetime((listener, folder)) {}
        }

        @Test func `An item logs its access: how it began, its stalls and its bytes`() async throws
        {
            let folder = try Folder()
            let file = Array(try Data(contentsOf: Sound.url(0)))
            let isOpen = Mutex(false)
            let server = try ScriptedHTTPServer { request in
                var response = ScriptedHTTPServer.Response(file: file, to: request)
                if (request.rangeStart ?? 0) == 0 {
                    response.cut = 100_000
                } else {
                    try? waitUntil { isOpen.withLock { $0 } }
                }
                return response
            }
            let url = try #require(URL(string: server.url("/song.mp3")))
            let item = AVPlayerItem(url: url)
            let log = Log()
            let entries = Listener(.AVPlayerItemNewAccessLogEntry, of: item) { _ in
                log.note("entry")
            }
            let stalls = Listener(.AVPlayerItemPlaybackStalled, of: item) { _ in log.note("stall") }
            #expect(item.accessLog() == nil)
            let player = AVQueuePlayer.silent([item])

            player.play()
            await log.wait(for: "stall")
            let first = try #require(item.accessLog()?.events.first)
            isOpen.withLock { $0 = true }
            try await eventually {
                item.accessLog()?.events.first?.numberOfBytesTransferred == Int64(file.count)
            }

            #expect(log.all.first == "entry" && log.all.filter { $0 == "entry" }.count == 1)
            #expect(first.uri == url.absoluteString && first.playbackType == "FILE")
            #expect(first.numberOfStalls == 1 && first.numberOfBytesTransferred == 100_000)
            #expect(first.startupTime >= 0 && (0..<0.5).contains(first.playbackStartOffset))
            #expect(first.playbackStartDate != nil)
            let data = try #require(item.accessLog()?.extendedLogData())
            let text = try #require(String(data: data, encoding: .utf8))
            #expect(text.contains(" \(url.absoluteString) \(file.count) 1 "))
            withExtendedLifetime((entries, stalls, folder)) {}
        }

        @Test func `An item is read ahead by as many seconds as it prefers`() async throws {
            let folder = try Folder()
            // Sound, and then megabytes that need not be sound: nobody plays that far.
            let song = Array(try Data(contentsOf: Sound.url(0)))
            let file = song + [UInt8](repeating: 0, count: 6_000_000)
            // The server holds back what is beyond, so that a slow reader does not get it meanwhile.
            let isOpen = Mutex(false)
            let server = try ScriptedHTTPServer { request in
                var response = ScriptedHTTPServer.Response(file: file, to: request)
                if (request.rangeStart ?? 0) == 0 {
                    response.pause = (1_500_000, { try? waitUntil { isOpen.withLock { $0 } } })
                }
                return response
            }
            let url = try #require(URL(string: server.url("/song.mp3")))
            let item = AVPlayerItem(url: url)
            item.preferredForwardBufferDuration = 5
            let player = AVQueuePlayer.silent([item])

            await item.waitFor(.readyToPlay)
            try await eventually { item.isPlaybackBufferFull }
            let ranges = { item.loadedTimeRanges.map(\.timeRangeValue) }
            let few = try #require(ranges().first { $0.start == .zero }).end.seconds
            isOpen.withLock { $0 = true }
            item.preferredForwardBufferDuration = item.duration.seconds
            try await eventually { ranges().first { $0.start == .zero }?.end == item.duration }

            #expect(few < item.duration.seconds / 2)
            withExtendedLifetime((player, folder)) {}
        }

        @Test func `A station's titles reach the outputs that want them`() async throws {
            final class Receiver: NSObject, AVPlayerItemMetadataOutputPushDelegate, Sendable {
                let log = Log()

                func metadataOutput(
                    _ output: AVPlayerItemMetadataOutput,
                    didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup],
                    from track: AVPlayerItemTrack?
                ) {
                    dispatchPrecondition(condition: .onQueue(Receiver.queue))
                    let items = groups.flatMap(\.items)
                    let names = items.compactMap(\.identifier?.rawValue)
                    log.note("\(names) \(items.compactMap(\.stringValue)) \(track != nil)")
                }

                static let queue = DispatchQueue(label: "titles")
            }
            let folder = try Folder()
            let file = Array(try Data(contentsOf: Sound.url(0)))
            let server = try ScriptedHTTPServer { _ in
                var response = ScriptedHTTPServer.Response()
                response.fields = [("icy-metaint", "16000"), ("Content-Type", "audio/mpeg")]
                response.announcesLength = false
                for place in stride(from: 0, to: file.count - 16000, by: 16000) {
                    let title = Array("StreamTitle='One';".utf8)
                    response.body += file[place..<place + 16000]
                    response.body.append(2)
                    response.body += title
                    response.body += Array(repeating: 0, count: 32 - title.count)
                }
                response.stall = response.body.count
                return response
            }
            let item = AVPlayerItem(url: try #require(URL(string: server.url("/live"))))
            let (receiver, other) = (Receiver(), Receiver())
            let output = AVPlayerItemMetadataOutput(identifiers: ["icy/StreamTitle"])
            output.setDelegate(receiver, queue: Receiver.queue)
            let unwanted = AVPlayerItemMetadataOutput(identifiers: ["id3/TIT2"])
            unwanted.setDelegate(other, queue: Receiver.queue)
            item.add(output)
            item.add(unwanted)
            let player = AVQueuePlayer.silent([item])

            player.play()
            await receiver.log.wait { !$0.isEmpty }
            item.remove(unwanted)

            #expect(receiver.log.all == [#"["icy/StreamTitle"] ["One"] true"#])
            #expect(other.log.all.isEmpty)
            #expect(item.outputs == [output])
            let title = item.timedMetadata?.first
            #expect(title?.keySpace == .icy && title?.commonKey == .commonKeyTitle)
            withExtendedLifetime((player, folder)) {}
        }

        /// A server that refuses connections, and a host that there cannot be, since its name is too long
        /// to be looked up, unless this machine has no network.
        static let deadServers: [(String, Set<URLError.Code>)] = [
            ("http://127.0.0.1:1/a.mp3", [.cannotConnectToHost]),
            (
                "http://\(String(repeating: "x", count: 100)).invalid/a.mp3",
                [.cannotFindHost, .notConnectedToInternet]
            ),
        ]

        @Test(arguments: deadServers)
        func `An item whose server cannot be reached fails, and the queue continues`(
            address: String, codes: Set<URLError.Code>
        ) async throws {
            let folder = try Folder()
            let dead = AVPlayerItem(url: try #require(URL(string: address)))
            let good = Sound.item(0, seconds: 30)
            let log = Log()
            let listener = Listener(.AVPlayerItemFailedToPlayToEndTime, of: dead) { notification in
                let key = AVPlayerItemFailedToPlayToEndTimeErrorKey
                let code = (notification.userInfo?[key] as? URLError)?.code
                log.note("\(code.map(codes.contains) == true)")
            }
            let player = AVQueuePlayer.silent([dead, good])

            player.play()
            await dead.waitFor(.failed)
            await player.waitFor(current: good)
            await player.waitFor(.playing)

            let error = try #require(dead.error as? URLError)
            #expect(codes.contains(error.code))
            #expect((error as NSError).domain == NSURLErrorDomain)
            #expect(error.localizedDescription.hasPrefix("cannot play \(address): "))
            let event = try #require(dead.errorLog()?.events.first)
            #expect(event.errorDomain == NSURLErrorDomain)
            #expect(event.errorStatusCode == error.code.rawValue)
            #expect(log.all == ["true"])
            withExtendedLifetime((listener, folder)) {}
        }

        @Test(arguments: deadServers)
        func `An asset whose server cannot be reached fails to load, and says so by key`(
            address: String, codes: Set<URLError.Code>
        ) async throws {
            let folder = try Folder()
            let url = try #require(URL(string: address))

            for asset in [AVURLAsset(url: url), AVAsset(url: url)] {
                let log = Log()
                asset.loadValuesAsynchronously(forKeys: ["playable", "duration", "metadata"]) {
                    log.note("done")
                }
                await log.wait(for: "done")

                let error = await #expect(throws: URLError.self) {
                    try await asset.load(.isPlayable)
                }
                let code = try #require(error?.code)
                #expect(codes.contains(code))
                for key in ["playable", "duration", "metadata"] {
                    var error: NSError?
                    #expect(asset.statusOfValue(forKey: key, error: &error) == .failed)
                    #expect(error?.domain == NSURLErrorDomain && error?.code == code.rawValue)
                }
                #expect(!asset.isPlayable && asset.metadata.isEmpty)
            }
            withExtendedLifetime(folder) {}
        }

        @Test func `An item fails if nothing can use the network`() async throws {
            let folder = try Folder()
            NetworkMedia.setLocation(
                TransferLocation(
                    session: "default", runtimeFolder: folder.path,
                    program: folder.path + "/nothing", searchPath: nil))
            let url = try #require(URL(string: "http://127.0.0.1:1/a.mp3"))
            let player = AVQueuePlayer.silent([AVPlayerItem(url: url)])
            let item = try #require(player.currentItem)

            await item.waitFor(.failed)

            #expect((item.error as? URLError)?.code == .notConnectedToInternet)
            withExtendedLifetime((player, folder)) {}
        }

        @Test func `An asset that is read only once has loaded the estimate of its length`()
            async throws
        {
            let folder = try Folder()
            let file = try TaggedFile.withoutLength()
            let bytes = Array(try Data(contentsOf: file.url))
            let server = try ScriptedHTTPServer { .init(file: bytes, to: $0) }
            let asset = AVURLAsset(url: try #require(URL(string: server.url("/song.mp3"))))
            let log = Log()

            asset.loadValuesAsynchronously(forKeys: ["duration"]) { log.note("done") }
            await log.wait(for: "done")

            #expect(asset.statusOfValue(forKey: "duration", error: nil) == .loaded)
            withExtendedLifetime(folder) {}
        }

        @Test func `An asset has its metadata, whatever is loaded first`() async throws {
            let folder = try Folder()
            let file = Array(try Data(contentsOf: Sound.url(0)))
            let server = try ScriptedHTTPServer { .init(file: file, to: $0) }
            let local = try await AVURLAsset(url: Sound.url(0)).load(.metadata)

            let asset = AVURLAsset(url: try #require(URL(string: server.url("/song.mp3"))))
            let remote = try await asset.load(.metadata)

            #expect(!remote.isEmpty)
            #expect(remote.map(\.stringValue) == local.map(\.stringValue))
            withExtendedLifetime(folder) {}
        }

        @Test func `An item that the server refuses fails with the server's answer`() async throws {
            let folder = try Folder()
            let server = try ScriptedHTTPServer { _ in
                var response = ScriptedHTTPServer.Response()
                response.status = 404
                return response
            }
            let url = try #require(URL(string: server.url("/song.mp3")))
            let player = AVQueuePlayer.silent([AVPlayerItem(url: url)])
            let item = try #require(player.currentItem)

            await item.waitFor(.failed)

            let error = try #require(item.error as? AVError)
            #expect(error.code == .serverIncorrectlyConfigured)
            #expect(error.localizedDescription.hasSuffix("The server answers 404"))
            withExtendedLifetime((player, folder)) {}
        }
    }
}
