import AVFoundation
import TestSupport
import Testing

extension EndToEnd {
    /// The sound of the classes that repeat items. Each test runs in a process of its own, whose
    /// audio session and `AVPlayer.outputDestination` no other player shares.
    @Suite struct `Repetition with Apple's classes` {
        @Test(.rule("T33", "T34", "T35"), .comparesSamples)
        func `A looper plays an item three times without a gap`() async {
            await #expect(processExitsWith: .success) {
                let stage = try Stage(seconds: 0.7)
                let player = AVQueuePlayer()
                let looper = AVPlayerLooper(
                    player: player, templateItem: AVPlayerItem(url: stage.url))
                var counts: [Int] = []

                player.play()
                for await count in looper.values(of: \.loopCount) {
                    counts.append(count)
                    if count == 2 { break }
                }
                looper.disableLooping()
                for await item in player.values(of: \.currentItem) where item == nil { break }

                let heard = try stage.finish()
                #expect(counts == [0, 1, 2])
                #expect(heard.difference(fromWhole: [0, 0, 0], of: stage.sources) == "")
                #expect(heard.seams(of: stage.sources).map(\.next.silence) == [0, 0])
                #expect(looper.status == .cancelled)
            }
        }

        @Test(.rule("T39"), .comparesSamples)
        func `A looper repeats a range, exact to the frame`() async {
            await #expect(processExitsWith: .success) {
                let stage = try Stage(seconds: 0.7)
                let player = AVQueuePlayer()
                let range = CMTimeRange(start: CMTime(frame: 8820), end: CMTime(frame: 22050))
                let looper = AVPlayerLooper(
                    player: player, templateItem: AVPlayerItem(url: stage.url), timeRange: range)

                player.play()
                for await count in looper.values(of: \.loopCount) where count >= 4 { break }
                looper.disableLooping()
                for await item in player.values(of: \.currentItem) where item == nil { break }

                let heard = try stage.finish()
                #expect(heard.joined.count == 5)
                #expect(heard.joined.allSatisfy { $0.start == 8820 && $0.end == 22050 })
                #expect(heard.joined.dropFirst().allSatisfy { $0.silence == 0 })
            }
        }

        @Test(.rule("T34"), .comparesSamples)
        func `An audio player with one loop plays exactly twice, without a gap`() async {
            await #expect(processExitsWith: .success) {
                let stage = try Stage(seconds: 0.7)
                let player = try AVAudioPlayer(contentsOf: stage.url)
                let ends = Ends()
                player.delegate = ends
                player.numberOfLoops = 1
                player.prepareToPlay()

                player.play()
                await ends.first()

                let heard = try stage.finish()
                #expect(heard.difference(fromWhole: [0, 0], of: stage.sources) == "")
                #expect(heard.joined.last?.end == stage.sources.music[0].count)
                #expect(heard.seams(of: stage.sources).map(\.next.silence) == [0])
                #expect(ends.count == 1)
                #expect(!player.isPlaying)
            }
        }

        @Test(.rule("T38"), .comparesSamples)
        func `An audio player starts at the time set, exact to the frame`() async {
            await #expect(processExitsWith: .success) {
                let stage = try Stage(seconds: 0.7)
                let player = try AVAudioPlayer(data: Data(contentsOf: stage.url))
                let ends = Ends()
                player.delegate = ends

                player.currentTime = 0.35
                player.play()
                await ends.first()

                let heard = try stage.finish()
                #expect(heard.joined.map(\.start) == [15435])
                #expect(heard.joined.map(\.end) == [stage.sources.music[0].count])
            }
        }

        @Test(.comparesSamples)
        func `A short sound plays exactly eight times, without a gap`() async {
            await #expect(processExitsWith: .success) {
                let stage = try Stage(seconds: 0.1)
                let player = try AVAudioPlayer(contentsOf: stage.url)
                let ends = Ends()
                player.delegate = ends
                player.numberOfLoops = 7

                player.play()
                await ends.first()

                let heard = try stage.finish()
                let numbers = Array(repeating: 0, count: 8)
                #expect(heard.difference(fromWhole: numbers, of: stage.sources) == "")
                #expect(heard.joined.count == 8)
                #expect(heard.seams(of: stage.sources).allSatisfy { $0.next.silence == 0 })
            }
        }
    }
}

/// A sound server for the players made meanwhile, and a file of noise.
private final class Stage {
    let sources: Sources
    private let music: Music
    private let server: SoundServer
    private let recording: Recording

    var url: URL { URL(fileURLWithPath: sources.paths[0]) }

    init(seconds: Double) throws {
        music = try Music()
        sources = try Sources(music, seconds: [seconds])
        server = try SoundServer()
        recording = try Recording(server)
        AVPlayer.outputDestination = .pulse(server: server.address, device: nil)
    }

    /// Ends the recording and returns what was heard.
    func finish() throws -> Heard { Heard(try recording.finish(), of: sources.music) }
}

/// Counts the ends reported by a player.
private final class Ends: NSObject, AVAudioPlayerDelegate, @unchecked Sendable {
    private let (stream, signal) = AsyncStream.makeStream(of: Void.self)
    private(set) var count = 0

    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
        count += 1
        signal.yield()
    }

    func first() async {
        for await _ in stream { return }
    }
}
