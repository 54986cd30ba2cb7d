import UndersongBackground
import UndersongBase
import UndersongPlayback

extension PlayerEvent {
    /// Makes an event with the members that every event has.
    init(
        _ kind: Kind, _ status: PlayingState = .playing, _ reason: SilenceReason? = nil,
        place: Int = 0
    ) {
        self.init(kind)
        (head.status, head.reason) = (status, reason.map { .known($0) })
        (head.item, head.place) = (ItemID(1), place)
    }

    static func state(
        _ status: PlayingState, _ reason: SilenceReason? = nil, place: Int = 0,
        deviceSilent: Bool = false, at seconds: Double = 0
    ) -> PlayerEvent {
        var event = PlayerEvent(.state, status, reason, place: place)
        event.head.position = .seconds(seconds)
        event.head.isDeviceSilent = deviceSilent
        return event
    }

    static func queue(
        _ status: PlayingState = .playing, count: Int = 0, titles: [String] = [], place: Int = 0
    ) -> PlayerEvent {
        PlayerEvent(.queue(titles.map { item($0) }, count: count), status, place: place)
    }

    static func began(
        _ title: String, artist: String? = nil, seconds: Double? = nil, place: Int = 0
    ) -> PlayerEvent {
        let description = MediaDescription(
            format: StreamFormat(sampleRate: 44100, channelCount: 2), encoding: "FLAC",
            duration: seconds.map { .seconds($0) } ?? .invalid, isDurationExact: true,
            tags: artist.map { ["artist": $0] } ?? [:])
        return PlayerEvent(.item(.began(item(title), description)), place: place)
    }

    static func ended(_ title: String, seconds: Double, place: Int = 0) -> PlayerEvent {
        var item = item(title)
        item.facts = ItemFacts(duration: .seconds(seconds))
        return PlayerEvent(.item(.ended(item, at: .seconds(seconds))), place: place)
    }

    private static func item(_ title: String) -> QueueItem {
        var item = QueueItem(
            id: ItemID(1), source: .file(path: FilePath("/\(title).mp3")))
        item.title = title
        return item
    }

    static func time(_ seconds: Double, place: Int = 0) -> PlayerEvent {
        var event = PlayerEvent(.time(isExact: false), place: place)
        event.head.position = .seconds(seconds)
        return event
    }

    static func error(_ message: String) -> PlayerEvent {
        PlayerEvent(.error(SessionFailure(code: "open", message: message)))
    }

    static func application(
        _ state: ApplicationState, source: String = "option"
    ) -> PlayerEvent {
        var event = PlayerEvent(.application([], source: source))
        event.head.applicationState = state
        return event
    }
}

extension CMTime {
    fileprivate static func seconds(_ seconds: Double) -> CMTime {
        CMTime(value: Int64(seconds * 1000), timescale: 1000)
    }
}
