import AVFoundation
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import TransferClient

extension Players {
    @Suite struct `From the network` {
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

        @Test func `a player waits for what has not arrived, and says so`() async throws {
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

        @Test func `an asset reports at once that its server cannot be reached`() async throws {
            let folder = try Folder()
            let url = try #require(URL(string: "http://127.0.0.1:1/a.mp3"))
            let (asset, clip) = (AVURLAsset(url: url), AVAsset(url: url))

            for asset in [asset, clip] {
                let error = await #expect(throws: AVError.self) {
                    try await asset.load(.duration)
                }
                #expect(error?.code == .contentIsUnavailable)
                #expect(
                    error?.localizedDescription.hasPrefix("cannot open http://127.0.0.1:1/a.mp3: ")
                        == true)
                #expect(!asset.isPlayable)
                await #expect(throws: AVError.self) { try await asset.load(.metadata) }
                // Both are asked again.
                #expect(asset.statusOfValue(forKey: "metadata", error: nil) == .unknown)
            }
            withExtendedLifetime(folder) {}
        }

        @Test func `an asset has its metadata, whatever is loaded first`() async throws {
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

        @Test func `an item that the server refuses fails with the server's answer`() async throws {
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
