import Testing
import UndersongPlayback

private let half = CMTime(value: 1800, timescale: 1)

private func left(at seconds: Double, isFinished: Bool = false) -> ResumePoint {
    ResumePoint(seconds: seconds, duration: 3600, isFinished: isFinished, lastPlayed: 0)
}

@Suite struct `A long file's position` {
    @Test(arguments: [
        (30.0, 3600.0, 30.0), (1800, 3600, 1800), (3539, 3600, 3539), (1163.9, 1200, 1163.9),
        (35_939, 36_000, 35_939),
    ])
    func `A long file's position is saved from its first half minute on`(
        time: Double, duration: Double, kept: Double
    ) {
        let position = ResumePolicy.position(at: time, of: duration, date: 7)

        #expect(
            position
                == ResumePoint(
                    seconds: kept, duration: duration, isFinished: false, lastPlayed: 7))
    }

    @Test(arguments: [(3540.0, 3600.0), (3600, 3600), (3700, 3600), (1164, 1200), (35_940, 36_000)])
    func `A long file's position is its end within the last minute or three percent`(
        time: Double, duration: Double
    ) {
        let position = ResumePolicy.position(at: time, of: duration, date: 7)

        #expect(
            position
                == ResumePoint(seconds: 0, duration: duration, isFinished: true, lastPlayed: 7))
    }

    @Test(arguments: [(29.9, 3600.0), (0, 3600), (600, 1199), (1199, 1199), (60, .infinity)])
    func `A position is not saved in the first half minute, or for a shorter file`(
        time: Double, duration: Double
    ) {
        #expect(ResumePolicy.position(at: time, of: duration, date: 7) == nil)
    }

    @Test func `A long file's position is where it resumes, a little earlier`() {
        let item = item(1)

        let time = ResumePolicy.resumeTime(of: item, from: left(at: 700.25))

        #expect(time == CMTime(value: 695_250, timescale: 1000))
        #expect(ResumePolicy.resumeTime(of: item, from: nil) == nil)
        #expect(ResumePolicy.resumeTime(of: item, from: left(at: 700, isFinished: true)) == nil)
        #expect(ResumePolicy.resumeTime(of: item, from: left(at: 4)) == nil)
    }

    @Test(arguments: [(CMTime(value: 1, timescale: 1), nil), (.zero, half)] as [(CMTime, CMTime?)])
    func `A long file's position does not apply to part of a file`(start: CMTime, end: CMTime?) {
        let item = QueueItem(id: ItemID(1), source: .file(path: "/1.mp3"), start: start, end: end)

        #expect(ResumePolicy.resumeTime(of: item, from: left(at: 700)) == nil)
    }

    @Test(arguments: [
        (0.0, 0.0), (29.9, 0), (30, 10), (299, 10), (300, 20), (3599, 20), (3600, 30), (1e9, 30),
        (-5, 0),
    ])
    func `A long file's position goes back further the longer the pause was`(
        pause: Double, back: Double
    ) {
        #expect(ResumePolicy.skipBack(after: pause, of: 1200, setting: 30) == back)
        #expect(ResumePolicy.skipBack(after: pause, of: 1199, setting: 30) == 0)
        #expect(ResumePolicy.skipBack(after: pause, of: 1200, setting: 0) == 0)
    }
}

@Suite struct `A plan with resume positions` {
    private static func plan(_ positions: [Int: ResumePoint]) -> PlaybackPlan {
        let memory = TransientFileMemory()
        for (number, position) in positions {
            memory.keepPosition(position, of: "/\(number).mp3")
        }
        var plan = PlaybackPlan()
        plan.memory = memory
        return plan
    }

    @Test func `A plan begins items where they were left, the first and the following ones`() {
        let queue = PlaybackQueue(count: 3)
        var plan = Self.plan([1: left(at: 105), 2: left(at: 205), 3: left(at: 9, isFinished: true)])

        let first = plan.revise(for: queue).first?.passage
        let second = plan.opened(PassageID(1), in: queue).first?.passage
        let third = plan.opened(PassageID(2), in: queue).first?.passage

        #expect(first?.start?.seconds == 100 && first?.isResumed == true)
        #expect(second?.start?.seconds == 200 && second?.isResumed == true)
        #expect(third?.start == .zero && third?.isResumed == false)
    }

    @Test func `A plan begins a repeated item at its start, since it was heard to its end`() {
        let queue = PlaybackQueue(count: 1, PlaybackModes(repeatMode: .one))
        var plan = Self.plan([1: left(at: 105)])

        let first = plan.revise(for: queue).first?.passage
        let again = plan.opened(PassageID(1), in: queue).first?.passage

        #expect(first?.start?.seconds == 100)
        #expect(again?.start == .zero && again?.isResumed == false)
    }

    @Test func `A plan jumps to where an item was left, unless a time is given`() {
        var plan = Self.plan([2: left(at: 205)])

        let left = plan.jump(to: item(2)).actions.first?.passage
        let renewed = plan.renew().first?.passage
        plan.began(PassageID(2))
        let heard = plan.renew().first?.passage
        let passage = plan.jump(to: item(2), at: .zero).actions.first?.passage

        #expect(left?.start?.seconds == 200 && left?.isResumed == true)
        #expect(renewed?.start?.seconds == 200 && renewed?.isResumed == true)
        #expect(heard?.start == nil && heard?.isResumed == false)
        #expect(passage?.start == .zero && passage?.isResumed == false)
    }

    @Test func `A plan begins at the start once resuming is off`() {
        let queue = PlaybackQueue(count: 2)
        var plan = Self.plan([1: left(at: 105), 2: left(at: 205)])
        _ = plan.revise(for: queue)

        plan.memory = nil

        #expect(plan.opened(PassageID(1), in: queue).first?.passage?.start == .zero)
    }
}
