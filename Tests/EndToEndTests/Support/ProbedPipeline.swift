import Foundation
import TestSupport
import UndersongBase
import UndersongPlayback

@testable import UndersongAudioIO

/// Reports of threads, for a test to await.
final class Reports<Report: Sendable>: @unchecked Sendable {
    // Unchecked: the reports are accessed only under the condition's lock.
    private let condition = NSCondition()
    private var reports: [Report] = []

    func add(_ report: Report) {
        condition.withLock {
            reports.append(report)
            condition.broadcast()
        }
    }

    /// Waits for a report, and removes it and those before it.
    @discardableResult
    func wait<Value>(for match: (Report) -> Value?) throws(Overdue) -> Value {
        condition.lock()
        defer { condition.unlock() }
        let deadline = Date.now + patience
        while true {
            for (index, report) in reports.enumerated() {
                guard let value = match(report) else { continue }
                reports.removeSubrange(...index)
                return value
            }
            guard condition.wait(until: deadline) else {
                throw Overdue("what is awaited is not reported")
            }
        }
    }

    /// The reports that have not been awaited.
    var all: [Report] { condition.withLock { reports } }
}

/// The sound path alone, without queue or session: a test gives it passages and waits for the
/// reports of its threads.
struct ProbedPipeline {
    enum Report: Sendable {
        case decode(DecodeReport)
        case clock(ClockEvent)
        case output(OutputReport)
    }

    let reports = Reports<Report>()
    let pipeline: PlaybackPipeline

    init(_ destination: OutputDestination, watches: [TimeWatch] = []) {
        let reports = reports
        pipeline = PlaybackPipeline(
            destination: destination,
            server: destination.server.map {
                PulseServer(.init(server: $0, clock: SystemClock()))
            },
            watches: watches, indexer: MediaIndexer(folder: nil), hostClock: SystemClock(),
            chooseFormat: { $0 },
            handlers: PlaybackPipeline.Handlers(
                decode: { reports.add(.decode($0)) }, ready: { _ in },
                output: { reports.add(.output($0)) },
                clock: { event, _ in reports.add(.clock(event)) }))
    }

    var decode: DecodeControl { pipeline.decode }
    var output: OutputControl { pipeline.output }

    /// Waits until the decode thread has handled all commands: it is given a file that cannot be
    /// played, and reports that.
    func waitForDecoder() throws {
        let last = passage(999, "/nowhere.mp3")
        decode.append(last)
        try reports.wait { report in
            if case .decode(.failed(last, _)) = report { true } else { nil }
        }
    }

    /// Plays everything and ends the threads.
    func playOut() throws {
        output.run()
        try reports.wait { if case .clock(.finished) = $0 { true } else { nil } }
        try stop()
    }

    func stop() throws {
        pipeline.stop()
        try reports.wait { if case .clock(.stopped) = $0 { true } else { nil } }
    }
}

/// A passage that plays the item of the same number from `start`; nil continues where the stream
/// is.
func passage(
    _ number: Int, _ path: String, from start: CMTime? = .zero,
    _ change: (inout PassageSettings) -> Void = { _ in }
) -> Passage {
    var settings = PassageSettings()
    change(&settings)
    return Passage(
        id: PassageID(number), item: QueueItem(id: ItemID(number), source: .file(path: path)),
        start: start, settings: settings)
}
