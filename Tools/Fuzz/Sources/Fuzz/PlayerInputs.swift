@testable import UndersongBase
@testable import UndersongPlayback

/// Gives a player the inputs that the bytes name: commands, edits and the reports of its sound path, in
/// any order. No edit is lost, and every question is answered once.
func runPlayer(_ bytes: [UInt8]) {
    var inputs = PlayerInputs(bytes)
    inputs.run()
}

private struct PlayerInputs {
    private var input: Input
    private var player: Player
    private var time: Int64 = 1
    private var passages: [Passage] = []
    private var asked: Set<Player.AnswerID> = []
    private var questions = 0
    private var isCommitting = false
    private var kept: PlayerRecord?
    private var hasFinished = false

    init(_ bytes: [UInt8]) {
        input = Input(bytes)
        player = Player(endsWithQueue: input.next() % 2 == 1)
    }

    mutating func run() {
        while !input.isEmpty, !hasFinished {
            let kind = input.next()
            switch kind % 4 {
            case 0: command(kind / 4)
            case 1: edit(kind / 4)
            default: report(kind / 4)
            }
        }
        feed(.command(.stop))
        feed(.stream(.stopped))
        feed(.stream(.deadlinePassed))
        require(hasFinished, "the session does not end")
        require(asked.isEmpty, "a question is not answered")
    }

    private mutating func feed(_ input: Player.Input) {
        time += 1_000_000
        if case .edit(.commitBegan) = input { isCommitting = true }
        if case .edit(.commitEnded) = input { isCommitting = false }
        let moment = Player.Moment(hostTime: time)
        let effects = player.handle(input, at: moment)
        require(!effects.dropFirst().contains(.update), "others hear of the queue too late")
        for effect in effects {
            switch effect {
            case .keep(let record):
                require(!isCommitting, "it is kept before the commit")
                kept = record
            case .schedule(.append(let passage?)), .schedule(.splice(let passage?, _)):
                passages.append(passage)
            case .answer(let id, _):
                require(asked.remove(id) != nil, "an answer to nobody")
            case .finish:
                require(!hasFinished, "the session ends again")
                hasFinished = true
            default: break
            }
        }
        let ids = player.queue.ids
        require(Set(ids).count == ids.count, "an item is in the queue twice")
        require(player.time(at: moment) >= .zero, "a position before the start")
        guard !isCommitting, let kept else { return }
        require(kept.order == player.queue.order, "an edit is not kept")
        require(kept.settings == player.settings, "a setting is not kept")
    }

    private mutating func ask() -> Player.AnswerID {
        questions += 1
        asked.insert(Player.AnswerID(questions))
        return Player.AnswerID(questions)
    }

    private mutating func seconds() -> CMTime {
        CMTime(value: Int64(input.next()), timescale: 10)
    }

    private mutating func item() -> ItemID? {
        let ids = player.queue.ids
        return ids.isEmpty ? nil : ids[input.next() % ids.count]
    }

    private mutating func command(_ number: Int) {
        switch number % 14 {
        case 0, 1: feed(.command(.play))
        case 2: feed(.command(.pause(.userPaused)))
        case 3: feed(.command(.next(input.next() % 3 + 1)))
        case 4: feed(.command(.previous(input.next() % 3 + 1)))
        case 5: if let id = item() { feed(.command(.jump(id))) }
        case 6: feed(.command(.seek(seconds(), ask())))
        case 7: feed(.command(.seekBy(Double(input.next()) - 128, ask())))
        case 8: feed(.command(.cancelSeeks))
        case 9: feed(.command(.fadeOut(1)))
        case 10: feed(.command(.cancelFadeOut))
        case 11: feed(.command(.pauseAt(seconds(), ask())))
        case 12: setSettings()
        default: feed(.command(.halt))
        }
    }

    private mutating func setSettings() {
        var settings = player.settings
        let number = input.next()
        settings.rate = [0.5, 1, 2, 3][number % 4]
        settings.modes.isShuffled = number & 4 != 0
        settings.modes.isConsuming = number & 8 != 0
        settings.modes.isSingle = number & 16 != 0
        settings.modes.repeatMode = RepeatMode.allCases[number / 32 % RepeatMode.allCases.count]
        feed(.command(.set(settings, seed: UInt64(number))))
    }

    private mutating func edit(_ number: Int) {
        switch number % 9 {
        case 0, 1, 2: insert([.end, .next][input.next() % 2])
        case 3: if let id = item() { insert(.after(id)) }
        case 4: if let id = item() { feed(.edit(.change(.remove([id])))) }
        case 5:
            guard let id = item(), let target = item(), id != target else { return }
            feed(.edit(.change(.move(id, after: target))))
        case 6: if let id = item() { feed(.edit(.setRange(id, start: seconds(), end: nil))) }
        case 7: feed(.edit(.change(.removeAll)))
        default: feed(.edit(isCommitting ? .commitEnded : .commitBegan))
        }
    }

    private mutating func insert(_ target: QueueChange.Target) {
        guard player.queue.count < 50 else { return }
        let entries = (0...input.next() % 3).map { QueueEntry(.file(path: "/\($0)")) }
        feed(.edit(.change(.insert(player.stage(entries), target, seed: 1))))
    }

    private mutating func report(_ number: Int) {
        let passage = passages.isEmpty ? nil : passages[input.next() % passages.count]
        let lost = OutputError(.serverLost, operation: "play", reason: "it is gone")
        switch number % 20 {
        case 0, 1: if let passage { feed(.stream(.opened(passage, description()))) }
        case 2, 3:
            guard let passage else { return }
            feed(
                .stream(
                    .began(
                        Timeline.Segment(passage: passage.id, item: passage.item.id, start: 0))))
        case 4, 5: if let passage { feed(.stream(.ended(passage.id, wasOpened: true))) }
        case 6:
            guard let passage else { return }
            let error = MediaError(.notFound, operation: "open", reason: "it is not there")
            feed(.stream(.failed(passage, error)))
            feed(.stream(.ended(passage.id, wasOpened: false)))
        case 7, 8: feed(.stream(.ready))
        case 9: feed(.stream(.held))
        case 10: feed(.stream(.finished))
        case 11: feed(.stream(.starved))
        case 12: feed(.stream(.supplied))
        case 13: feed(.output(.lost(lost, isDeviceRemembered: input.next() % 2 == 0)))
        case 14: feed(.output(.works))
        case 15: feed(.output(.retryIsDue))
        case 16: feed(.output(.deviceSuspended(input.next() % 2 == 0)))
        case 17: feed(.output(.server(.present(hasDefaultDevice: input.next() % 2 == 0))))
        case 18: feed(.output(.server(.gone(wasPresent: true))))
        default:
            let reason = SuppressionReason(rawValue: "interrupted")
            feed(.session(.policyDecided(input.next() % 2 == 0 ? [] : [reason])))
        }
    }

    private mutating func description() -> MediaDescription {
        MediaDescription(
            format: StreamFormat(sampleRate: 44_100, channelCount: 2), encoding: "MPEG",
            duration: seconds(), isDurationExact: input.next() % 2 == 0)
    }
}
