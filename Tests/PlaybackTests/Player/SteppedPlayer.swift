import Playback

/// A player that gets its inputs one at a time, by hand.
struct SteppedPlayer {
    private(set) var player: Player
    /// The items that are in its queue at first.
    let ids: [ItemID]
    /// When the next input comes, and what is heard then.
    var moment = Player.Moment(hostTime: 1_000_000_000)
    /// Passages that were given to the sound path, in order.
    private(set) var passages: [Passage] = []

    /// Makes one with so many items.
    init(
        items count: Int, settings: PlayerSettings = PlayerSettings(),
        memory: (any FileMemory)? = nil
    ) {
        player = Player(settings: settings, memory: memory)
        ids = player.stage((1...max(1, count)).map { .init(.file(path: "/\($0).mp3")) })
        if count > 0 { feed(.edit(.change(.insert(ids, .end, seed: 0)))) }
    }

    /// One more item, which an edit may put into the queue.
    mutating func add() -> ItemID { player.stage([.init(.file(path: "/new.mp3"))])[0] }

    @discardableResult
    mutating func feed(_ input: Player.Input) -> [Player.Effect] {
        let effects = player.handle(input, at: moment)
        passages += effects.compactMap(\.passage)
        return effects
    }

    /// The passage that was given last is opened.
    @discardableResult
    mutating func open(chapters: [Chapter] = []) -> [Player.Effect] {
        guard let passage = passages.last else { return [] }
        return feed(.stream(.opened(passage, Self.description(chapters))))
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

    /// So many seconds of an item are heard from now on.
    mutating func hear(_ item: ItemID, at seconds: Double) {
        moment.heard = HeardPosition(
            item: item, time: time(seconds), hostTime: moment.hostTime, rate: 0,
            latest: .infinity, uncertainty: 0)
    }

    /// Lets the first item be heard.
    mutating func sound(chapters: [Chapter] = []) {
        feed(.command(.play))
        let first = passages.last
        open(chapters: chapters)
        feed(.stream(.ready))
        feed(.output(.works))
        begin(first)
    }

    /// The output goes.
    @discardableResult
    mutating func lose(
        _ code: OutputError.Code = .serverLost, isDeviceRemembered: Bool = false
    ) -> [Player.Effect] {
        let error = OutputError(code, operation: "play", reason: "It is gone")
        return feed(.output(.lost(error, isDeviceRemembered: isDeviceRemembered)))
    }

    /// Where the player says that it is, in seconds.
    var seconds: Double { player.time(at: moment).seconds }

    /// Every file lasts 100 s.
    static func description(_ chapters: [Chapter]) -> MediaDescription {
        MediaDescription(
            format: StreamFormat(sampleRate: 44_100, channelCount: 2), encoding: "MPEG",
            duration: time(100), isDurationExact: false, chapters: chapters)
    }
}

extension Player.Effect {
    /// What is to be decoded by it.
    var passage: Passage? {
        switch self {
        case .schedule(.append(let passage)), .schedule(.splice(let passage, _)): passage
        default: nil
        }
    }
}

/// So many seconds, to the thousandth.
func time(_ seconds: Double) -> CMTime {
    CMTime(value: Int64((seconds * 1000).rounded()), timescale: 1000)
}
