import UndersongBase
import UndersongPlayback

/// A player on a stage: the simplest possible sound path, store, listener and sound server, which
/// do what its effects request, and report when the test lets them. Time passes by hand.
///
/// Anything that must never happen is recorded as a fault.
struct PlayerStage {
    private(set) var player: Player
    private(set) var faults: [String] = []
    /// Items that cannot be played.
    var unplayable: Set<ItemID> = []
    /// Items that need a stream of their own unless that of the item before carries them.
    var wide: Set<ItemID> = []

    /// Decodes and is heard; nil if there is no stream.
    private var path: SoundPathModel?
    private var passages: [PassageID: Passage] = [:]
    private var wasOpened = false
    private var isReady = false
    private var runs = false
    private var sounds = false
    private var works = true
    private var hasServer = true
    private var owes: Set<Owed> = []
    private var standsAtEnd = false
    private var isAllowed = true
    private var isStopping = false

    /// The kept state, and the queue as others know it.
    private var kept: PlayerRecord?
    private var known: QueueOrder
    private var isCommitting = false

    private var asked: Set<Player.AnswerID> = []
    private var questions = 0
    private var lastRun = 0
    private(set) var end: SessionEnd?
    /// The status published last.
    private var status: TimeControlStatus
    private var statusWhenSilent: TimeControlStatus
    private var time: Int64 = 0

    /// A report of the sound path or a timer at some time.
    private enum Owed: CaseIterable { case held, retry, timer, stopped, deadline }

    init(endsWithQueue: Bool) {
        player = Player(endsWithQueue: endsWithQueue)
        known = player.queue.order
        status = player.status
        statusWhenSilent = player.status
    }

    mutating func stage(_ count: Int) -> [ItemID] {
        player.stage((0..<count).map { .init(.file(path: "/\($0)")) })
    }

    /// Asks the player a new question, which has to be answered once.
    mutating func ask() -> Player.AnswerID {
        questions += 1
        asked.insert(Player.AnswerID(questions))
        return Player.AnswerID(questions)
    }

    // MARK: Inputs and effects

    mutating func feed(_ input: Player.Input) {
        time += 1_000_000
        let wanted = player.wantsPlayback
        let ids = player.queue.ids
        if case .edit(.commitBegan) = input { isCommitting = true }
        if case .edit(.replaceQueue(_, _, _, isCommitted: true)) = input { isCommitting = true }
        if case .edit(.commitEnded) = input { isCommitting = false }
        if case .session(.policyDecided(let reasons)) = input { isAllowed = reasons.isEmpty }
        let effects = player.handle(input, at: moment)
        expectOrder(of: effects)
        for effect in effects { perform(effect) }
        var isPlay = false
        if case .command(.play) = input { isPlay = true }
        expect(isPlay || wanted || !player.wantsPlayback, "nobody asked to play")
        expect(!isPlay || player.wantsPlayback, "play is not wanted")
        expect(known == player.queue.order, "others know another queue")
        expect(
            ids == player.queue.ids || isCommitting || effects.contains(.report(.queue)),
            "a change of the queue is not reported")
        let isOpening = path != nil && !isReady && !isStopping && player.queue.currentID != nil
        expect(
            !isOpening || !player.wantsPlayback || !isAllowed
                || player.status == .waiting(.evaluatingBufferingRate),
            "it opens an item and is \(player.status)")
        guard !isCommitting else { return }
        guard let kept else {
            return expect(player.queue.ids.isEmpty, "nothing is kept")
        }
        expect(kept.order == player.queue.order, "an edit is not kept")
        expect(kept.wantsPlayback == player.wantsPlayback, "the intent is not kept")
        expect(kept.settings == player.settings, "a setting is not kept")
        expect(player.queue.currentID == nil || kept.position >= .zero, "no position is kept")
    }

    private var moment: Player.Moment {
        var moment = Player.Moment(hostTime: time)
        if let item = path?.heardPassage?.item.id, let seconds = path?.heardSeconds {
            moment.heard = HeardPosition(
                item: item, time: CMTime(value: Int64(seconds * 1e6), timescale: 1_000_000),
                hostTime: time, rate: 0, latest: .infinity, uncertainty: 0)
        }
        return moment
    }

    /// Copies of the queue are updated before anything is reported, and silence does not wait for
    /// the store.
    private mutating func expectOrder(of effects: [Player.Effect]) {
        expect(!effects.dropFirst().contains(.update), "others hear of the queue too late")
        let hold = effects.lastIndex { if case .holdOutput = $0 { true } else { false } }
        let keep = effects.firstIndex { if case .keep = $0 { true } else { false } }
        guard let hold, let keep else { return }
        expect(hold < keep, "silence waits for the store")
    }

    private mutating func perform(_ effect: Player.Effect) {
        switch effect {
        case .openStream:
            expect(path == nil, "a second stream")
            path = SoundPathModel()
            path?.unplayable = unplayable
            path?.wide = wide
            (wasOpened, isReady, runs, sounds, works) = (false, false, false, false, true)
        case .schedule(let action):
            expect(path != nil, "nothing takes a passage")
            note(action)
            path?.unplayable = unplayable
            path?.wide = wide
            path?.apply([action])
            standsAtEnd = false
        case .runOutput:
            expect(isReady, "nothing can run")
            runs = true
            owes.remove(.held)
        case .holdOutput(_, let status):
            runs = false
            statusWhenSilent = status
            if path != nil { owes.insert(.held) }
        case .statusWhenSilent(let status): statusWhenSilent = status
        case .stopStream:
            expect(path != nil, "no stream to stop")
            if isReady { owes.insert(.stopped) }
        case .awaitEnd:
            isStopping = true
            owes.insert(.deadline)
        case .dropStream:
            expect(path != nil, "no stream to drop")
            dropPath()
        case .retryOutput: owes.insert(.retry)
        case .retryLater: owes.insert(.timer)
        case .endRetries: owes.remove(.timer)
        case .update: known = player.queue.order
        case .keep(let record):
            expect(!isCommitting, "it is kept before the commit")
            kept = record
        case .answer(let id, _): expect(asked.remove(id) != nil, "an answer to nobody")
        case .report(.status(let new)): status = new
        case .report(.runEnded(let end)):
            expect(end.run > lastRun, "run \(end.run) ends again")
            lastRun = end.run
        case .finish(let end):
            expect(self.end == nil, "the session ends again")
            self.end = end
            dropPath()
        case .prepareOutput, .useDefaultDevice, .listenToServer, .pingServer, .settingsChanged,
            .keepPosition, .leaveFile, .measure, .measured, .report, .refuse:
            break
        }
    }

    /// A sound path that ends becomes silent, and publishes that itself.
    private mutating func dropPath() {
        if sounds || owes.contains(.held) { status = statusWhenSilent }
        path = nil
        (isReady, runs, sounds) = (false, false, false)
        owes.subtract([.held, .retry, .timer, .stopped])
        standsAtEnd = false
    }

    private mutating func note(_ action: PlaybackPlan.Action) {
        switch action {
        case .append(let passage?), .splice(let passage?, _): passages[passage.id] = passage
        case .append(nil), .splice(nil, _): break
        }
    }

    mutating func expect(_ isSo: Bool, _ fault: String) {
        if !isSo { faults.append(fault) }
    }

    // MARK: What happens by itself

    /// Makes one pending thing happen, if there is any.
    mutating func work(using generator: inout SeededGenerator) {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: _ = path?.decode()
        case 1: _ = hear()
        case 2: _ = handleDecodeReport() || becomeReady()
        case 3: _ = handleClockReport()
        case 4: if let due = owes.randomElement(using: &generator) { pay(due) }
        default: becomeReady()
        }
    }

    /// Takes the output, or the whole sound server, away or brings it back.
    mutating func disturb(using generator: inout SeededGenerator) {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0 where isReady: lose()
        case 1:
            hasServer = false
            feed(.output(.server(.gone(wasPresent: Bool.random(using: &generator)))))
            if isReady { lose() }
        case 2: bringServer(hasDefaultDevice: Bool.random(using: &generator))
        case 3: feed(.output(.deviceSuspended(true)))
        case 4: feed(.output(.deviceSuspended(false)))
        case 5: feed(.output(.secondPassed(waitsSince: nil)))
        default: break
        }
    }

    private mutating func lose() {
        works = false
        if sounds { status = .waiting(.noOutput) }
        sounds = false
        let error = OutputError(.serverLost, operation: "play", reason: "it is gone")
        feed(.output(.lost(error, isDeviceRemembered: false)))
    }

    private mutating func bringServer(hasDefaultDevice: Bool) {
        hasServer = true
        feed(.output(.server(.present(hasDefaultDevice: hasDefaultDevice))))
    }

    private mutating func pay(_ due: Owed) {
        owes.remove(due)
        switch due {
        case .held:
            sounds = false
            status = statusWhenSilent
            feed(.stream(.held))
        case .retry where path == nil || works: break
        case .retry where hasServer:
            works = true
            feed(.output(.works))
        case .retry: lose()
        case .timer: feed(.output(.retryIsDue))
        case .stopped: feed(.stream(.stopped))
        case .deadline: feed(.stream(.deadlinePassed))
        }
    }

    private mutating func hear() -> Bool {
        guard isReady, runs, works, path?.hear() == true else { return false }
        if !sounds { status = .playing }
        sounds = true
        return true
    }

    @discardableResult
    private mutating func becomeReady() -> Bool {
        guard path != nil, wasOpened, !isReady else { return false }
        isReady = true
        feed(.stream(.ready))
        return true
    }

    private mutating func handleDecodeReport() -> Bool {
        guard path?.decodeReports.isEmpty == false, let report = path?.decodeReports.removeFirst()
        else { return false }
        switch report {
        case .opened(let id):
            wasOpened = true
            guard let passage = passages[id] else { break }
            feed(.stream(.opened(passage, Self.description(of: passage.item.id))))
        case .failed(let id):
            guard let passage = passages[id] else { break }
            let error = MediaError(.notFound, operation: "open", reason: "it is not there")
            feed(.stream(.failed(passage, error)))
            feed(.stream(.ended(id, wasOpened: false)))
        case .needsWiderStream(let passage): feed(.stream(.needsWiderStream(passage)))
        case .began, .finished: break
        }
        return true
    }

    private mutating func handleClockReport() -> Bool {
        guard path?.clockReports.isEmpty == false, let report = path?.clockReports.removeFirst()
        else { return false }
        switch report {
        case .began(let passage):
            feed(
                .stream(
                    .began(
                        Timeline.Segment(passage: passage.id, item: passage.item.id, start: 0))))
        case .finished:
            standsAtEnd = player.settings.modes.itemEndAction != .advance
            feed(.stream(.finished))
        case .opened, .failed, .needsWiderStream: break
        }
        return true
    }

    private static func description(of item: ItemID) -> MediaDescription {
        MediaDescription(
            format: StreamFormat(sampleRate: 44_100, channelCount: 2), encoding: "MPEG",
            duration: CMTime(value: Int64(SoundPathModel.length(of: item)), timescale: 1),
            isDurationExact: true)
    }

    // MARK: What has to come of it

    /// Makes everything happen except hearing, with a working sound server.
    private mutating func settle() {
        bringServer(hasDefaultDevice: true)
        feed(.output(.deviceSuspended(false)))
        var steps = 0
        while steps < 1000,
            path?.decode() == true || handleDecodeReport() || handleClockReport() || becomeReady()
                || payFirst()
        { steps += 1 }
        expect(steps < 1000, "it never settles")
    }

    private mutating func payFirst() -> Bool {
        guard let due = Owed.allCases.first(where: owes.contains) else { return false }
        pay(due)
        return true
    }

    /// Checks on a copy that it plays if it should, and is silent otherwise.
    func faultsAtRest() -> [String] {
        var stage = self
        if stage.isCommitting { stage.feed(.edit(.commitEnded)) }
        for _ in 0..<3 {
            stage.settle()
            stage.expect(stage.asked.isEmpty, "a question waits for an answer")
            let isDue = stage.mustSound
            let isHeard = stage.hear()
            stage.expect(!isDue || isHeard, "it is to sound and cannot")
            stage.expect(!isDue || stage.player.status == .playing, "it sounds and is not playing")
            let (published, status) = (stage.status, stage.player.status)
            stage.expect(published == status, "\(published) was published and it is \(status)")
            let isSilent = !player.wantsPlayback || !isAllowed
            stage.expect(
                !isSilent || !stage.runs || stage.mustSound, "it is to be silent")
            if isDue && isHeard { stage.expectPlace() }
        }
        return stage.faults
    }

    /// Once it is known what is heard, the player's position is its time, and the next item follows
    /// it.
    private mutating func expectPlace() {
        settle()
        guard let passage = path?.heardPassage, let seconds = path?.heardSeconds,
            passage.item.id == player.queue.currentID, mustSound
        else { return }
        let time = player.time(at: moment).seconds
        expect(abs(time - seconds) < 0.001, "it is heard at \(seconds) s and says \(time) s")
        guard !passage.settings.endsEarly else { return }
        let (next, coming) = (itemToFollow(passage.item.id), path?.comingItem)
        // What begins the next stream does not come in this one.
        if let next, path?.carries(next) == false { return expect(coming == nil, "too wide") }
        expect(
            next == coming, "\(passage.item.id) is followed by \(coming as Any), not \(next as Any)"
        )
    }

    /// The item that the queue has after another.
    private func itemToFollow(_ id: ItemID) -> ItemID? {
        guard case .play(var item) = player.queue.following(id) else { return nil }
        for _ in 0...player.queue.count {
            guard unplayable.contains(item.id) else { return item.id }
            guard let other = player.queue.standIn(for: item.id) else { return nil }
            item = other
        }
        return nil
    }

    private var mustSound: Bool {
        player.wantsPlayback && isAllowed && player.queue.currentID != nil && end == nil
            && !standsAtEnd
    }

    /// The faults after the session ended.
    mutating func faultsAtEnd() -> [String] {
        feed(.command(.stop))
        for due in [Owed.stopped, .deadline] where owes.contains(due) { pay(due) }
        expect(end != nil, "the session does not end")
        expect(asked.isEmpty, "a question is not answered")
        feed(.command(.stop))
        return faults
    }
}
