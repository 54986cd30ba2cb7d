import UndersongBase
import UndersongControl
import UndersongPlayback

extension PlayerEvent {
    /// Makes an event with the members that every event has.
    init(_ kind: Kind, _ status: String = "playing", _ reason: String? = nil, place: Int = 0) {
        self.init(kind)
        (head.status, head.reason, head.place) = (status, reason, place)
    }

    static func state(
        _ status: String, _ reason: String? = nil, place: Int = 0, deviceSilent: Bool? = nil,
        at seconds: Double = 0
    ) -> PlayerEvent {
        let state = State(position: .seconds(seconds), rate: 0, deviceSilent: deviceSilent)
        return PlayerEvent(.state(state), status, reason, place: place)
    }

    static func queue(
        _ status: String = "playing", count: Int = 0, titles: [String] = [], place: Int = 0
    ) -> PlayerEvent {
        let items = titles.map { Entry(item($0)) }
        return PlayerEvent(.queue(Queue(count: count, items: items)), status, place: place)
    }

    static func began(
        _ title: String, artist: String? = nil, seconds: Double? = nil, place: Int = 0
    ) -> PlayerEvent {
        var item = Item(item(title), "began", nil)
        item.tags = artist.map { ["artist": $0] }
        item.duration = seconds.map { .seconds($0) }
        return PlayerEvent(ofItem: item, place: place)
    }

    static func ended(_ title: String, seconds: Double, place: Int = 0) -> PlayerEvent {
        var item = Item(item(title), "ended", nil)
        item.duration = .seconds(seconds)
        return PlayerEvent(ofItem: item, place: place)
    }

    private init(ofItem item: Item, place: Int) {
        self.init(.item(item), place: place)
        head.item = 1
    }

    private static func item(_ title: String) -> QueueItem {
        var item = QueueItem(
            id: ItemID(1), source: .file(path: FilePath("/\(title).mp3")))
        item.title = title
        return item
    }

    static func time(_ seconds: Double, place: Int = 0) -> PlayerEvent {
        let time = Duration.seconds(seconds)
        return PlayerEvent(
            .time(
                Time(
                    value: time.value, timescale: time.timescale, seconds: seconds, rate: 1,
                    exact: false)), place: place)
    }

    static func error(_ message: String) -> PlayerEvent {
        PlayerEvent(.error(Failure(code: "open", message: message)))
    }

    static func application(_ state: String, source: String = "option") -> PlayerEvent {
        var event = PlayerEvent(.application(Application(lifecycle: [], source: source)))
        event.head.state = state
        return event
    }
}

extension PlayerEvent.Duration {
    static func seconds(_ seconds: Double) -> PlayerEvent.Duration {
        PlayerEvent.Duration(value: Int64(seconds * 1000), timescale: 1000, seconds: seconds)
    }
}
