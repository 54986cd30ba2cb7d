import Testing
import UndersongBase
import UndersongPlayback

private func hundredths(_ value: Int64) -> CMTime { CMTime(value: value, timescale: 100) }

@Suite struct `An agenda` {
    @Test func `An agenda has what comes next if a passage turns out shorter than expected`() {
        var listener = Listener()
        listener.change { $0.begin(segment(1, from: 0)) }
        _ = listener.hear(upTo: 20)

        listener.change { $0.end(at: 35) }

        let reported = listener.hear(upTo: 100)
        let times: [TimelineObserver.Observation] = [
            .tick(1, hundredths(3)),
            .ended(ItemID(1), time: CMTime(value: 35, timescale: 1000)),
        ]
        #expect(reported.map(\.observation) == times)
        #expect(reported.map(\.frame) == [30, 35])
    }

    @Test func `An agenda adds a watch with its first time after what is heard`() {
        var listener = Listener()
        listener.change { $0.begin(segment(1, from: 0)) }
        _ = listener.hear(upTo: 20)

        listener.watch { $0.add(TimeWatch(id: .observer(7), times: .at([hundredths(4)])), at: 20) }

        let reported = listener.hear(upTo: 40)
        #expect(reported.map(\.frame) == [30, 40, 40])
        #expect(
            reported.last?.observation
                == .crossed(watch: .observer(7), ItemID(1), time: hundredths(4)))
    }

    @Test(arguments: 0..<30)
    func `An agenda reports what the observer alone would, whatever changes meanwhile`(seed: Int)
        throws
    {
        var generator = SeededGenerator(seed: seed)
        var listener = Listener()
        var alone = listener

        for _ in 0..<200 {
            let change = RandomChange(using: &generator)
            change.perform(on: &listener)
            change.perform(on: &alone)

            let frame = listener.heard + Int.random(in: 0...400, using: &generator)
            let reported = listener.hear(upTo: frame)
            let expected = alone.hearWithoutAgenda(upTo: frame)

            let isSame =
                reported.map(\.frame) == expected.map(\.frame)
                && reported.map(\.observation) == expected.map(\.observation)
            try #require(isSame)
        }
    }
}

/// Follows a timeline of a thousand frames per second, with an agenda and with its observer alone.
private struct Listener {
    private(set) var heard = 0
    private(set) var timeline = Timeline()
    private var agenda: Agenda
    private var observer: TimelineObserver

    init() {
        observer = TimelineObserver(sampleRate: 1000, interval: CMTime(value: 1, timescale: 100))
        agenda = Agenda(observer)
    }

    mutating func change(_ body: (inout Timeline) -> Void) {
        body(&timeline)
        agenda.update(in: timeline)
    }

    mutating func watch(_ body: (inout TimelineObserver) -> Void) {
        body(&observer)
        agenda.update(in: timeline, change: body)
    }

    mutating func hear(upTo frame: Int) -> [Agenda.Entry] {
        heard = frame
        var reported: [Agenda.Entry] = []
        while let next = agenda.next, next.frame <= frame {
            reported.append(next)
            if let done = agenda.advance() { timeline.remove(done) }
            agenda.lookUp(in: timeline)
        }
        return reported
    }

    mutating func hearWithoutAgenda(upTo frame: Int) -> [Agenda.Entry] {
        heard = frame
        return observer.report(upTo: frame, in: &timeline)
    }
}

/// One action of the decode thread or of an observer of times.
private enum RandomChange {
    case begin(isJump: Bool)
    case end(after: Int)
    case cut(after: Int)
    case every(CMTime, id: Int)
    case at([CMTime], id: Int)
    case unwatch(id: Int)

    init(using generator: inout SeededGenerator) {
        let id = Int.random(in: 1...3, using: &generator)
        let length = Int.random(in: 0...900, using: &generator)
        let value = Int64.random(in: 1...30, using: &generator)
        self =
            switch Int.random(in: 0..<8, using: &generator) {
            case 0...1: .begin(isJump: Bool.random(using: &generator))
            case 2...3: .end(after: length)
            case 4: .cut(after: length)
            case 5: .every(hundredths(value), id: id)
            case 6: .at([hundredths(value), hundredths(value + 20)], id: id)
            default: .unwatch(id: id)
            }
    }

    func perform(on listener: inout Listener) {
        let heard = listener.heard
        let last = listener.timeline.last
        switch self {
        case .begin(let isJump):
            guard last == nil || last?.end != nil else { return }
            let start = max(last?.end ?? 0, heard)
            let number = (last?.passage.number ?? start) + 1
            listener.change { $0.begin(segment(number, from: start, isJump: isJump)) }
        case .end(let frames):
            guard let last, last.end == nil else { return }
            listener.change { $0.end(at: max(heard, last.start) + frames) }
        case .cut(let frames):
            listener.change { $0.cut(at: heard + frames) }
        case .every(let interval, let id):
            watch(TimeWatch(id: .observer(id), times: .every(interval)), of: &listener)
        case .at(let times, let id):
            watch(TimeWatch(id: .observer(id), times: .at(times)), of: &listener)
        case .unwatch(let id):
            listener.watch { $0.remove(watch: .observer(id)) }
        }
    }
    /// Adds a watch, replacing the one of the same name.
    private func watch(_ watch: TimeWatch, of listener: inout Listener) {
        let heard = listener.heard
        listener.watch { observer in
            observer.remove(watch: watch.id)
            observer.add(watch, at: heard)
        }
    }
}
