import Foundation
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongAudioIO

extension EndToEnd {
    @Suite struct `A jump at the boundary of a crossfade` {
        @Test func `A jump at a crossfade's boundary plays nothing of the frames held back for it`()
            throws
        {
            let music = try Music()
            let passages = try (1...3).map { number in
                let path = try music.encode(
                    Music.noise(seconds: 1, seed: UInt64(number)), to: "\(number).mp3")
                return passage(number, path) { $0.crossfade = 0.25 }
            }
            let channels = PipelineChannels(hostClock: SystemClock())
            let (control, timeline) = (channels.decode, channels.timeline)
            let output = StandingOutput(gate: channels.gate, signals: channels.signals)
            let reports = Reports<DecodeReport>()
            startThread(named: "decode") {
                var thread = DecodeThread(
                    channels, DecodeThread.Media(indexer: MediaIndexer(folder: nil)),
                    allowsRounding: false, chooseFormat: { $0 },
                    start: { _, frames in output.take(frames) }, report: { reports.add($0) })
                thread.run()
            }
            control.append(passages[0])
            control.append(passages[1])
            try reports.waitForEnd(of: passages[1])

            let seam = try #require(timeline.current[PassageID(1)]?.end)
            Thread.detachNewThread { output.standOnce(at: seam) }
            control.splice(passages[2], at: .now)
            control.append(nil)
            let heard = try output.heard()
            control.stop()

            #expect(seam == 44_100 - 11_025)
            let isThird = try heard == Music.decoded([passages[2].item.source.path.description])
            #expect(isThird)
            #expect(timeline.current.last?.isJump == true)
        }
    }
}

extension Reports<DecodeReport> {
    fileprivate func waitForEnd(of passage: Passage) throws {
        try wait { if case .ended(passage.id, _) = $0 { true } else { nil } }
    }
}

/// Stops at a given frame when the gate closes, and takes all the rest once it has reopened.
private final class StandingOutput: @unchecked Sendable {
    // Unchecked: the frames are set before the thread that takes them is started.
    private var frames: FrameConsumer?
    private let gate: SpliceGate
    private let signals: PipelineSignals
    private let isDone = DispatchSemaphore(value: 0)
    private var samples: [Frame] = []

    init(gate: SpliceGate, signals: PipelineSignals) {
        self.gate = gate
        self.signals = signals
    }

    func take(_ frames: consuming FrameConsumer) { self.frames = consume frames }

    func standOnce(at frame: Int) {
        guard var frames = frames.take() else { return }
        frames.advance(by: frame)
        while gate.closing == nil {
            signals.output.wait(by: PollClock(host: SystemClock())) { gate.closing != nil }
        }
        guard let closing = gate.closing else { return }
        gate.reportStop(at: frame, before: closing)
        while !gate.hasReopened(since: closing) {
            signals.output.wait(by: PollClock(host: SystemClock())) {
                gate.hasReopened(since: closing)
            }
        }
        while frames.available > 0 || !frames.isFinished {
            let next = frames.next(limit: .max)
            samples += next.bindMemory(to: Frame.self)
            frames.advance(by: next.count / 4)
            signals.decode.notify()
            if next.isEmpty {
                signals.output.wait(by: PollClock(host: SystemClock())) {
                    frames.available > 0 || frames.isFinished
                }
            }
        }
        isDone.signal()
    }

    /// The frames after the one where it stopped, once all have been taken.
    func heard() throws -> [Frame] {
        try isDone.waitPatiently()
        return samples
    }
}
