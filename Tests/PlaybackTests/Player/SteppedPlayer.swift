import UndersongPlayback

/// A player that receives its inputs one at a time, by hand.
struct SteppedPlayer {
    private(set) var player: Player
    /// The items initially in its queue.
    let ids: [ItemID]
    /// When the next input arrives, and what is heard then.
    var moment = Player.Moment(hostTime: 1_000_000_000)
    /// The passages passed to the sound path, in order.
    private(set) var passages: [Passage] = []

    /// Creates a player with so many items.
    init(
        items count: Int, settings: PlayerSettings = PlayerSettings(),
        memory: (any FileMemory)? = nil
    ) {
        player = Player(settings: settings, memory: memory)
        ids = player.stage((1...max(1, count)).map { .init(.file(path: "/\($0).mp3")) })
        if count > 0 { feed(.edit(.change(.insert(ids, .end, seed: 0)))) }
    }

    /// Stages one more item, which an edit may insert.
    mutating func add() -> ItemID { player.stage([.init(.file(path: "/new.mp3"))])[0] }

    @discardableResult
    mutating func feed(_ input: Player.Input) -> [Player.Effect] {
        let effects = player.handle(input, at: moment)
        passages += effects.compactMap(\.passage)
        return effects
    }

    /// The last passage is opened.
    @discardableResult
    mutating func open(chapters: [Chapter] = [], seconds: Double = 100) -> [Player.Effect] {
        guard let passage = passages.last else { return [] }
        return feed(.stream(.opened(passage, Self.description(chapters, seconds: seconds))))
    }

    /// The user sets the rate.
    @discardableResult
    mutating func set(rate: Double) -> [Player.Effect] {
        var settings = player.settings
        settings.rate = rate
        return feed(.command(.set(settings, seed: 0)))
    }

    /// A passage is heard from `seconds` of its item on.
    mutating func begin(_ passage: Passage?, at seconds: Double = 0, isJump: Bool = false) {
        guard let passage else { return }
        feed(
            .stream(
                .began(
                    Timeline.Segment(
                        passage: passage.id, item: passage.item.id, start: 0, isJump: isJump))))
        hear(passage.item.id, at: seconds)
    }

    /// An item is heard at this many seconds from now on.
    mutating func hear(_ item: ItemID, at seconds: Double) {
        moment.heard = HeardPosition(
            item: item, time: time(seconds), hostTime: moment.hostTime, rate: 0,
            latest: .infinity, uncertainty: 0)
    }

    /// The first item is heard.
    mutating func sound(chapters: [Chapter] = []) {
        feed(.command(.play))
        let first = passages.last
        open(chapters: chapters)
        feed(.stream(.ready))
        feed(.output(.works))
        begin(first)
    }

    /// The output is lost.
    @discardableResult
    mutating func lose(
        _ code: OutputError.Code = .serverLost, isDeviceRemembered: Bool = false
    ) -> [Player.Effect] {
        let error = OutputError(code, operation: "play", reason: "It is gone")
        return feed(.output(.lost(error, isDeviceRemembered: isDeviceRemembered)))
    }

    /// The player's position in seconds.
    var seconds: Double { player.time(at: moment).seconds }

    /// Every file is 100 s long, unless another length is given.
    static func description(
        _ chapters: [Chapter], seconds: Double = 100
    ) -> MediaDescription {
        MediaDescription(
            format: StreamFormat(sampleRate: 44_100, channelCount: 2), encoding: "MPEG",
            duration: time(seconds), isDurationExact: false, chapters: chapters)
    }
}

extension Player.Effect {
    /// The passage that it asks to decode.
    var passage: Passage? {
        switch self {
        case .schedule(.append(let passage)), .schedule(.splice(let passage, _)): passage
        default: nil
        }
    }
}

/// A time in seconds, to the thousandth.
func time(_ seconds: Double) -> CMTime {
    CMTime(value: Int64((seconds * 1000).rounded()), timescale: 1000)
}
