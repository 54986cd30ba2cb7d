import AudioSession
import Foundation
import Playback
import Testing

extension EndToEnd {
    @Suite struct `The loudness of a player` {
        @Test func `scales each frame alone, and another one is reached within 20 ms`()
            async throws
        {
            let files = try Music()
            let sources = try Sources(files, seconds: [4])
            let studio = try Studio()
            await studio.player.append(sources.media)
            await studio.play()
            studio.recording.wait(0.3)

            for volume in [0.5, 0.3, 1] as [Float] {
                await studio.player.set { $0.volume = volume }
                studio.recording.wait(0.3)
            }
            let recording = await studio.stop()

            // A device that has run dry, on a busy machine, leaves a silence and nothing else.
            let heard = sounds(in: recording).flatMap { $0 }
            let walk = Walk(along: heard, of: trimmed(sources.music[0]), factors: [1, 0.5, 0.3, 1])
            #expect(walk.failure == "")
            #expect(walk.lengths.allSatisfy { $0 > 4410 })
            let told = studio.events.compactMap { event in
                if case .settings(let settings) = event.kind { settings.volume } else { nil }
            }
            #expect(told == [0.5, 0.3, 1])
        }

        @Test func `that is muted is silence in which the time goes on`() async throws {
            let files = try Music()
            let sources = try Sources(files, seconds: [4])
            let studio = try Studio()
            await studio.player.append(sources.media)
            await studio.play()
            studio.recording.wait(0.3)

            for isMuted in [true, false] {
                await studio.player.set { $0.isMuted = isMuted }
                studio.recording.wait(0.3)
            }
            let recording = await studio.stop()

            let heard = Heard(recording, of: sources.music).joined
            #expect(heard.count == 2)
            let (first, second) = (try #require(heard.first), try #require(heard.last))
            #expect(second.source == 0 && second.start - first.end > 8820)
            // A device that has run dry is late by whole blocks.
            let late = second.position - first.position - (second.start - first.start)
            #expect(late >= 0 && late.isMultiple(of: 882))
            let silence = recording[first.position + first.count + 882..<second.position - 882]
            let isSilent = silence.allSatisfy { $0 == 0 }
            #expect(isSilent && silence.count > 4410)
        }

        @Test func `of the line is that of all that is played, from the first frame on`() throws {
            let files = try Music()
            let sources = try Sources(files, seconds: [0.7, 0.6])

            let program = try Program(
                Program.undersong,
                ["render", "-o", files.path("out.wav"), "--volume", "30"] + sources.paths)
            let status = program.wait()

            #expect(status == 0)
            let written = frames(try Music.samples(ofWAV: files.path("out.wav")))
            let isScaled = written == sources.music.flatMap { $0 }.map { scaled($0, 0.3) }
            #expect(isScaled)
        }
    }
}

/// What was heard, compared with its source: stretches of it at one factor after the other, and
/// between them straight ways of 20 ms from one to the next.
private struct Walk {
    private static let ramp = 882

    /// How many frames there are at each factor.
    private(set) var lengths: [Int] = []
    /// Where it differs; empty where it does not.
    private(set) var failure = ""

    init(along heard: [Frame], of source: [Frame], factors: [Float]) {
        var frame = 0
        for (index, factor) in factors.enumerated() {
            let start = frame
            while frame < heard.count, heard[frame] == scaled(source[frame], factor) { frame += 1 }
            lengths.append(frame - start)
            guard index + 1 < factors.count else { break }
            // A ramp's first frames may be so small that they are the same before and in it.
            let first = (0...8).map { frame - $0 }.first { first in
                (0..<Self.ramp).allSatisfy { place in
                    let way = Float(place) / Float(Self.ramp)
                    let between = factor + (factors[index + 1] - factor) * way
                    return first + place < heard.count
                        && isNear(heard[first + place], scaled(source[first + place], between))
                }
            }
            guard let first else {
                failure = "frame \(frame) is not the way from \(factor)"
                return
            }
            frame = first + Self.ramp
        }
        if frame < heard.count { failure = "frame \(frame) is changed" }
    }

    private func isNear(_ left: Frame, _ right: Frame) -> Bool {
        zip(channels(left), channels(right)).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
    }
}

/// Both samples of a frame.
private func channels(_ frame: Frame) -> [Int16] {
    [Int16(truncatingIfNeeded: frame), Int16(truncatingIfNeeded: frame >> 16)]
}

/// A frame whose samples are multiplied and brought to the nearest whole number.
private func scaled(_ frame: Frame, _ factor: Float) -> Frame {
    let samples = channels(frame).map { Int16((Float($0) * factor).rounded()) }
    return Frame(UInt16(bitPattern: samples[0])) | Frame(UInt16(bitPattern: samples[1])) << 16
}
