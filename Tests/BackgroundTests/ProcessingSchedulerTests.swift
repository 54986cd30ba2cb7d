import Testing
import UndersongBackground
import UndersongBase
import UndersongPlayback

@Suite struct `The scheduler of background processing` {
    private static let stamp = FileStamp(size: 10, modified: 20)

    private static func path(_ number: Int) -> FilePath { FilePath("/\(number).mp3") }

    private static func file(_ number: Int, _ record: AnalysisRecord? = nil)
        -> ProcessingScheduler.File
    {
        ProcessingScheduler.File(path: path(number), stamp: stamp, record: record)
    }

    private static func record(
        _ outcome: AnalysisRecord.Outcome = .analyzed(FileAnalysis(loudness: nil, seconds: 1)),
        stamp: FileStamp = stamp
    ) -> AnalysisRecord {
        AnalysisRecord(stamp: stamp, date: 5, outcome: outcome)
    }

    private static func result(_ record: AnalysisRecord) -> AnalysisNotice {
        var notice = AnalysisNotice(.analyzed, path(1))
        if case .analyzed(let analysis) = record.outcome { notice.analysis = analysis }
        return notice
    }

    private static func crash(_ count: Int, _ reason: String) -> AnalysisNotice {
        var notice = AnalysisNotice(.crashed, path(1), reason: reason)
        notice.count = count
        return notice
    }

    /// A scheduler that analyzes the first of `files`.
    private func scheduler(
        _ files: [ProcessingScheduler.File], retriesCrashes: Bool = false
    ) -> ProcessingScheduler {
        var scheduler = ProcessingScheduler(retriesCrashes: retriesCrashes)
        #expect(scheduler.react(.began, at: 0) == [.find])
        #expect(scheduler.react(.found(files), at: 0) == [.startWorker])
        #expect(scheduler.react(.workerReady, at: 0) == [.analyze(files[0].path)])
        return scheduler
    }

    @Test func `Processing goes from file to file, each only once the one before is kept`() {
        var scheduler = scheduler([Self.file(1), Self.file(2)])
        let result = Self.record()

        #expect(scheduler.react(.finished(result), at: 1) == [.keep(result, of: Self.path(1))])
        #expect(scheduler.react(.finished(result), at: 1) == [])
        #expect(
            scheduler.react(.kept, at: 1) == [
                .report(Self.result(result)), .analyze(Self.path(2)),
            ])
        _ = scheduler.react(.finished(result), at: 1)
        #expect(scheduler.react(.kept, at: 1).last == .find)
        #expect(scheduler.react(.found([]), at: 1) == [.stopWorker, .tidy])
        #expect(scheduler.react(.tidied, at: 1) == [.end(.finished)])
        #expect(scheduler.report.analyzed == 2)
    }

    @Test func `Processing starts no worker for what is known, and asks for more files`() {
        var scheduler = ProcessingScheduler()
        _ = scheduler.react(.began, at: 0)

        #expect(scheduler.react(.found([Self.file(1, Self.record())]), at: 0) == [.find])
        #expect(
            scheduler.react(.found([Self.file(2, Self.record(.unplayable("noise")))]), at: 0)
                == [.find])
        #expect(scheduler.react(.found([]), at: 0) == [.tidy])
        #expect(scheduler.report.known == 2 && scheduler.report.analyzed == 0)
    }

    @Test func `Processing analyzes a file again once it has changed`() {
        let earlier = FileStamp(size: 10, modified: 19)
        var scheduler = ProcessingScheduler()
        _ = scheduler.react(.began, at: 0)

        let effects = scheduler.react(
            .found([Self.file(1, Self.record(stamp: earlier))]), at: 0)

        #expect(effects == [.startWorker])
    }

    @Test func `Processing reports files that are gone or unreadable, and keeps nothing of them`() {
        let gone = ProcessingScheduler.File(path: "/gone.mp3", stamp: nil, record: Self.record())
        var scheduler = ProcessingScheduler()
        _ = scheduler.react(.began, at: 0)

        #expect(
            scheduler.react(.found([gone, Self.file(1), Self.file(2)]), at: 0)
                == [.report(AnalysisNotice(.missing, "/gone.mp3")), .startWorker])
        _ = scheduler.react(.workerReady, at: 0)
        #expect(
            scheduler.react(.unavailable("Input/output error"), at: 0)
                == [
                    .report(
                        AnalysisNotice(
                            .unavailable, Self.path(1), reason: "Input/output error")),
                    .analyze(Self.path(2)),
                ])
        #expect(scheduler.report.missing == 2)
    }

    @Test
    func `Processing retries a file that crashes the worker twice, later each time, then skips it`()
    {
        var scheduler = scheduler([Self.file(1), Self.file(2)])
        var waits: [Double] = []
        for count in 1...3 {
            let effects = scheduler.react(.workerEnded("killed"), at: 7)
            let crashed = AnalysisRecord(
                stamp: Self.stamp, date: 7, outcome: .crashed(count: count))
            #expect(effects == [.keep(crashed, of: Self.path(1))])
            let after = scheduler.react(.kept, at: 7)
            #expect(after.first == .report(Self.crash(count, "killed")))
            if count < 3, let due = scheduler.due {
                waits.append(due - 7)
                #expect(scheduler.react(.timePassed, at: due - 0.1) == [])
                #expect(scheduler.passTime() == [.startWorker])
                #expect(scheduler.react(.workerReady, at: 8) == [.analyze(Self.path(1))])
            } else {
                #expect(
                    after.dropFirst() == [
                        .report(AnalysisNotice(.skipped, Self.path(1))), .startWorker,
                    ])
            }
        }

        #expect(waits == [1, 2])
        #expect(scheduler.react(.workerReady, at: 9) == [.analyze(Self.path(2))])
        #expect(scheduler.report.skipped == 1)
    }

    @Test func `Processing remembers earlier crashes, and forgives them only if the file is named`()
    {
        let twice = Self.file(1, Self.record(.crashed(count: 2)))
        let thrice = Self.file(2, Self.record(.crashed(count: 3)))
        var night = scheduler([twice, thrice])
        _ = night.react(.workerEnded("killed"), at: 0)
        #expect(night.react(.kept, at: 0).contains(.report(AnalysisNotice(.skipped, Self.path(1)))))
        #expect(night.report.known == 1)

        var named = scheduler([thrice], retriesCrashes: true)
        let effects = named.react(.workerEnded("killed"), at: 0)
        #expect(
            effects == [
                .keep(
                    AnalysisRecord(stamp: Self.stamp, date: 0, outcome: .crashed(count: 1)),
                    of: Self.path(2))
            ])
    }

    @Test func `Processing blames no file for a worker that cannot start, and gives up`() {
        var scheduler = ProcessingScheduler()
        _ = scheduler.react(.began, at: 0)
        _ = scheduler.react(.found([Self.file(1)]), at: 0)
        var effects: [ProcessingScheduler.Effect] = []
        var waits: [Double] = []
        for _ in 0..<4 {
            effects += scheduler.react(.workerEnded("exit status 127"), at: 0)
            waits.append(scheduler.due ?? 0)
            effects += scheduler.passTime()
        }
        let last = scheduler.react(.workerEnded("exit status 127"), at: 0)

        #expect(effects == Array(repeating: .startWorker, count: 4))
        #expect(waits == [1, 2, 4, 8])
        #expect(last == [.end(.failed)])
        #expect(scheduler.report.outcome == .failed && scheduler.report.reason == "exit status 127")
    }

    @Test func `Processing waits while results cannot be kept, and loses none`() {
        var scheduler = scheduler([Self.file(1)])
        let result = Self.record()
        _ = scheduler.react(.finished(result), at: 0)

        #expect(
            scheduler.react(.notKept("No space left on device"), at: 0)
                == [.report(AnalysisNotice(.paused, reason: "No space left on device"))])
        #expect(scheduler.due == 30)
        #expect(scheduler.passTime() == [.keep(result, of: Self.path(1))])
        #expect(scheduler.react(.notKept("No space left on device"), at: 0) == [])
        #expect(scheduler.due == 60)
        _ = scheduler.passTime()
        #expect(scheduler.report.analyzed == 0)
        #expect(
            scheduler.react(.kept, at: 0)
                == [.report(AnalysisNotice(.resumed)), .report(Self.result(result)), .find])
        #expect(scheduler.report.analyzed == 1)
    }

    @Test
    func `Processing ends at once when it expires, whatever it does, and does nothing afterwards`()
    {
        let result = Self.record()
        let steps: [[ProcessingScheduler.Input]] = [
            [], [.workerReady], [.workerReady, .finished(result)],
            [.workerReady, .finished(result), .notKept("full")],
        ]
        for inputs in steps {
            var scheduler = ProcessingScheduler()
            _ = scheduler.react(.began, at: 0)
            _ = scheduler.react(.found([Self.file(1)]), at: 0)
            for input in inputs { _ = scheduler.react(input, at: 0) }

            #expect(scheduler.react(.expired, at: 0) == [.stopWorker, .end(.expired)])
            for input in [.workerEnded("killed"), .timePassed, .kept, .expired, .tidied]
                as [ProcessingScheduler.Input]
            {
                #expect(scheduler.react(input, at: 0) == [])
            }
        }
    }

    @Test func `Processing stops a worker that makes no progress, as if it had crashed`() {
        var scheduler = scheduler([Self.file(1), Self.file(2)])
        for count in 1...3 {
            #expect(scheduler.react(.progressed, at: 100) == [])
            // What was seen before it has got on does not count.
            #expect(scheduler.react(.timePassed, at: 219.9) == [])

            let effects = scheduler.react(.timePassed, at: 220)

            let crashed = AnalysisRecord(
                stamp: Self.stamp, date: 220, outcome: .crashed(count: count))
            #expect(effects == [.stopWorker, .keep(crashed, of: Self.path(1))])
            let reason = "stopped, since it made no progress for 120 s"
            let after = scheduler.react(.kept, at: 7)
            #expect(after.first == .report(Self.crash(count, reason)))
            if count < 3 { _ = scheduler.passTime() }
            _ = scheduler.react(.workerReady, at: 8)
        }

        #expect(scheduler.report.skipped == 1)
        #expect(scheduler.react(.finished(Self.record()), at: 9).count == 1)
    }

    @Test func `Processing stops a worker that does not begin`() {
        var scheduler = ProcessingScheduler()
        _ = scheduler.react(.began, at: 0)
        let start = scheduler.react(.found([Self.file(1)]), at: 0)

        #expect(start == [.startWorker])
        #expect(scheduler.due == 120)
        #expect(scheduler.passTime() == [.stopWorker])
        #expect(scheduler.due == 121)
        #expect(scheduler.passTime() == [.startWorker])
    }

    @Test func `Processing watches each file from its own beginning`() {
        var scheduler = scheduler([Self.file(1), Self.file(2)])
        let result = Self.record()

        #expect(scheduler.react(.finished(result), at: 1) == [.keep(result, of: Self.path(1))])
        #expect(scheduler.due == nil)
        #expect(scheduler.react(.timePassed, at: 120) == [])
        let next = scheduler.react(.kept, at: 121)

        #expect(next.last == .analyze(Self.path(2)))
        #expect(scheduler.due == 241)
        #expect(scheduler.react(.timePassed, at: 240) == [])
    }

    /// PR6 and PR13, for a task that expires at every single step.
    @Test func `Processing repeats the work on one file at most, however often it expires`() {
        let count = 50
        var kept: [FilePath: AnalysisRecord] = [:]
        var begun: [FilePath: Int] = [:]
        var rounds = 0
        while kept.count < count {
            rounds += 1
            var scheduler = ProcessingScheduler()
            var inputs: [ProcessingScheduler.Input] = [.began]
            var found = false
            // Each round analyzes one file, and begins another.
            var analyses = 0
            while !inputs.isEmpty {
                for effect in scheduler.react(inputs.removeFirst(), at: 0) {
                    switch effect {
                    case .find:
                        let files = (1...count).map { Self.file($0, kept[Self.path($0)]) }
                        inputs.append(.found(found ? [] : files))
                        found = true
                    case .startWorker: inputs.append(.workerReady)
                    case .analyze(let path):
                        begun[path, default: 0] += 1
                        analyses += 1
                        inputs.append(analyses == 1 ? .finished(Self.record()) : .expired)
                    case .keep(let record, let path):
                        kept[path] = record
                        inputs.append(.kept)
                    case .tidy: inputs.append(.tidied)
                    default: break
                    }
                }
            }
        }

        #expect(rounds == count)
        #expect(begun.values.allSatisfy { $0 <= 2 })
        #expect(begun.values.reduce(0, +) == 2 * count - 1)
    }
}

extension ProcessingScheduler {
    /// Handles an input at a moment when both clocks show `seconds`.
    fileprivate mutating func react(_ input: Input, at seconds: Double) -> [Effect] {
        handle(input, at: ScheduleTime(boot: seconds, wall: seconds))
    }

    /// The moment at which something is due; nil for none.
    fileprivate var due: Double? { nextDue(at: ScheduleTime(boot: 0, wall: 0)).boot }

    /// Lets time pass until something is due.
    fileprivate mutating func passTime() -> [Effect] { react(.timePassed, at: due ?? 0) }
}
