import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// A mode of playback in words.
struct PlayingMode: Equatable {
    var text: String
    /// True if it is not the usual one.
    var isUnusual: Bool
}

/// The state of playback, as far as the events of a service say: status, place in the queue,
/// position, length, title, reason, and what is unusual about the sound.
struct NowPlaying {
    private(set) var status = PlayingState.waiting
    private var reason: Open<SilenceReason>?
    /// The item's place, from 0.
    private(set) var place = 0
    /// The number of items in the queue.
    private(set) var count = 0
    /// True if the queue is known to be empty.
    private var isEmpty = false
    private var title = ""
    /// True if any item has started.
    private var hasBegun = false
    /// The position in the item's file, in seconds.
    private(set) var position = 0.0
    /// The length of the item's file in seconds, if it is known.
    private var fileLength: Double?
    /// The part of the file that is played.
    private var playedPart = PlayedPart()
    private var settings = SettingsEvent()
    /// The reason why the item does not arrive from the network: `example.org: The connection was
    /// lost`.
    private var trouble: String?
    /// True if the device is muted or at volume 0.
    private var isDeviceSilent = false

    /// The end of the sleep timer, if one is running.
    private var sleepMark: String?

    /// All modes of playback, with what is unusual about the sound.
    var modes: [PlayingMode] {
        let mode = settings.repeat ?? .off
        let isShuffled = settings.shuffle ?? false
        let (rate, volume) = (settings.rate ?? 1, (settings.volume ?? 1) * 100)
        let isMuted = settings.muted ?? false
        let usual = [
            PlayingMode(text: "shuffle \(isShuffled ? "on" : "off")", isUnusual: isShuffled),
            PlayingMode(text: "repeat \(mode.rawValue)", isUnusual: mode != .off),
            PlayingMode(text: "speed \(numberText(rate))×", isUnusual: numberText(rate) != "1"),
            PlayingMode(
                text: isMuted ? "muted" : "volume \(numberText(volume.rounded())) %",
                isUnusual: isMuted || numberText(volume) == "0"),
        ]
        let others = [
            settings.stopAfter.map { SleepText.stop(after: $0) }, sleepMark,
            isDeviceSilent ? SoundMarks.deviceSilent : nil,
        ]
        return usual + others.compactMap(\.self).map { PlayingMode(text: $0, isUnusual: true) }
    }

    /// Words for what is unusual about the sound, and for when it ends.
    var marks: [String] {
        Self.marks(of: settings)
            + [sleepMark, isDeviceSilent ? SoundMarks.deviceSilent : nil].compactMap(\.self)
    }

    /// `▶ 2/12`; `⏸ -/0` for an empty queue.
    var start: String {
        let number = count == 0 ? "-" : "\(min(place + 1, count))"
        return "\(StatusText.symbol(status)) \(number)/\(count)"
    }

    /// The seconds of the item that are over.
    private var elapsed: Double { playedPart.elapsed(at: position) }

    /// The seconds of the item, if they are known.
    private var length: Double? { playedPart.length(inFileOf: fileLength) }

    /// `0:41`
    var positionText: String { ClockText.text(elapsed) }

    /// `4:05`; nil if the length is unknown.
    var lengthText: String? { length.map { ClockText.text($0) } }

    /// Handles an event. Returns whether what is shown has changed.
    mutating func apply(_ event: PlayerEvent) -> Bool {
        switch event.kind {
        // The reason in these events is not that of the status.
        case .error, .end, .runEnded, .mediaServicesWereLost, .routeChanged: return false
        default: break
        }
        place = event.head.place
        status = event.head.status
        reason = event.head.reason
        switch event.kind {
        case .queue(let items, let count):
            self.count = count
            isEmpty = count == 0
            // Before anything has started, the first item is shown.
            if !hasBegun, let first = items.first {
                title = Columns.printable(first.displayTitle)
                fileLength = first.facts?.duration?.seconds
                playedPart = PlayedPart(first)
            }
            return false
        case .item(let item): return apply(item)
        case .settings(let settings): return apply(settings)
        case .time, .boundary, .jump: position = event.head.position.seconds
        case .state:
            position = event.head.position.seconds
            isDeviceSilent = event.head.isDeviceSilent
        case .network(let network):
            trouble = network.trouble.map { Columns.printable("\(network.host): \($0)") }
        case .sleep(let sleep): sleepMark = SoundMarks.sleep(sleep)
        case .metadata(let title): self.title = Columns.printable(title)
        default: return false
        }
        return true
    }

    private mutating func apply(_ event: ItemEvent) -> Bool {
        switch event {
        case .began(let item, let description):
            hasBegun = true
            title = Columns.printable(
                ItemName.text(item.displayTitle, artist: description?.tags["artist"]))
            fileLength = description.flatMap { ItemFacts($0).duration?.seconds }
            playedPart = PlayedPart(item)
            return true
        case .measured(_, let description):
            fileLength = description.duration.seconds
            return true
        case .ended(_, let time), .left(_, let time):
            position = time.seconds
            return false
        }
    }

    private mutating func apply(_ settings: SettingsEvent) -> Bool {
        let old = (modes, marks)
        self.settings = settings
        return old != (modes, marks)
    }

    /// Unusual volume, rate and modes.
    private static func marks(of settings: SettingsEvent) -> [String] {
        SoundMarks.marks(
            volume: (settings.volume ?? 1) * 100, isMuted: settings.muted ?? false,
            rate: settings.rate ?? 1)
            + SoundMarks.modes(
                repeat: settings.repeat, isShuffled: settings.shuffle ?? false,
                stopAfter: settings.stopAfter)
    }

    /// Adds what is known of the item at the current place, if nothing has started.
    mutating func know(_ item: ListedItem?) {
        guard !hasBegun, let item else { return }
        title = item.name
        fileLength = item.duration?.seconds ?? fileLength
        playedPart = PlayedPart(item)
    }

    /// Title and reason. The title is shortened first.
    func words(columns: Int) -> String {
        let shown = isEmpty && status != .playing ? .known(.noItemToPlay) : self.reason
        let words = shown.map { ReasonText.words($0, count: count) }
        let reason =
            (status == .waiting ? trouble ?? words : words).map {
                title.isEmpty ? "(\($0))" : " (\($0))"
            } ?? ""
        let room = columns - Columns.width(of: reason)
        guard room >= 4 else { return Columns.fitted(title + reason, into: columns) }
        return Columns.fitted(title, into: room) + reason
    }

    /// The part of the item that was heard, from 0 to 1; nil if its length is unknown.
    var part: Double? {
        guard let length, length > 0 else { return nil }
        return min(elapsed / length, 1)
    }

    /// The seconds of the item that are left; nil if its length is unknown.
    var rest: Double? { length.map { max($0 - elapsed, 0) } }

    /// The progress in `columns`; empty if the length is unknown.
    func bar(columns: Int) -> String {
        guard let part else { return "" }
        let heard = Int(part * Double(columns))
        return String(repeating: "━", count: heard)
            + String(repeating: "─", count: columns - heard)
    }
}
