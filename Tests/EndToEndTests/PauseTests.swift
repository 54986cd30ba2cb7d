import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongAudioSession
import UndersongBackground
import UndersongPlayback

extension EndToEnd {
    @Suite struct `Pauses by the library` {
        @Test(.comparesSamples, arguments: SoundPort.allCases)
        func `Pauses at odd moments lose and repeat no frame, even near item boundaries`(
            port: SoundPort
        ) async throws {
            let server = try SoundServer()
            let music = try Music()
            let paths = try (0..<3).map { index in
                try music.encode(
                    Music.noise(seconds: 1.7, seed: UInt64(index)), to: "\(index).mp3")
            }
            let expected = trimmed(try Music.decoded(paths))
            let recording = try Recording(server)
            let session = AudioSession(
                SessionConfiguration(
                    output: port.destination(server: server.address, device: nil),
                    interval: CMTime(value: 1, timescale: 1000)))
            let (events, continuation) = AsyncStream.makeStream(of: PlayerEvent.self)
            session.subscribe { continuation.yield($0) }

            let running = Task { await session.run() }
            await session.player.append(paths.map { .file(path: $0) })
            await session.player.play()
            // Pauses after every 137 ms of reported music, so that pauses fall on all phases of the
            // device's blocks, and some less than a buffer before a seam.
            var ticks = 0
            var pauses = 0
            var isPaused = false
            for await event in events {
                switch event.kind {
                case .time(isExact: false) where !isPaused:
                    ticks += 1
                    if ticks.isMultiple(of: 137), !isNearTheEnd(event) {
                        isPaused = true
                        pauses += 1
                        await session.player.pause()
                    }
                case .state where isPaused && event.head.reason == .known(.userPaused):
                    isPaused = false
                    try recording.wait(0.12)
                    await session.player.play()
                case .end:
                    continuation.finish()
                default:
                    break
                }
            }
            await running.value

            #expect(pauses > 5)
            let heard = sounds(in: try recording.finish())
            // A pause shorter than a block of the device leaves no silence.
            #expect(heard.count > pauses / 2 && heard.count <= pauses + 1)
            let all = Array(heard.joined())
            let place = zip(all, expected).enumerated().first { $1.0 != $1.1 }?.offset
            let ends = heard.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
            let isAll = all == expected
            #expect(
                isAll, "\(all.count) of \(expected.count), at \(place ?? -1), pauses at \(ends)")
        }

        /// True if a pause now might come after the last sample.
        private func isNearTheEnd(_ event: PlayerEvent) -> Bool {
            event.head.place == 2 && event.head.position.seconds > 1.2
        }
    }
}
