import Playback

/// An item that is open for decoding.
struct OpenedItem {
    let decoder: any AudioDecoder
    let file: MediaFile
    /// The gain as it was measured, which is used instead of the tags' values; nil for those.
    var measuredGain: ReplayGain?

    var description: MediaDescription {
        var description = decoder.description
        if let measuredGain {
            (description.replayGain, description.isReplayGainMeasured) = (measuredGain, true)
        }
        return description
    }
}

/// Decides whether enough bytes of an item have arrived to decode more of it. What is not on the
/// network always has enough.
struct ByteSupply {
    /// What decoding a block may take without waiting.
    private static let leastReserve = 16 * 1024
    private static let mostReserve = 128 * 1024
    /// Until the bit rate is known, that of a large MP3, in bytes per second.
    private static let usualRate = 40_000.0
    /// How many seconds of the item have to be there besides, to begin and to continue after a wait;
    /// after each wait it is twice as many.
    private static let firstSeconds = 1.0
    private static let shortestWait = 2.0
    private static let longestWait = 8.0
    private static let most = 4 << 20

    private let file: MediaFile?
    /// In bytes per second.
    private let rate: Double
    /// How many seconds must be there.
    private var seconds = ByteSupply.firstSeconds
    private var waitSeconds = ByteSupply.shortestWait
    private var lastTitle: NetworkStream.Status.Title?
    /// Whether less than a reserve was there, and more is awaited.
    private var isWaiting = true

    /// Creates a supply of nothing.
    init() { (file, rate) = (nil, 0) }

    init(_ file: MediaFile, _ description: MediaDescription) {
        guard let reader = file.network else {
            (self.file, rate) = (nil, 0)
            return
        }
        self.file = file
        let duration = description.duration
        if let size = file.size, duration.isNumeric, duration.seconds > 0 {
            rate = Double(size) / duration.seconds
        } else {
            rate = reader.stream.status.bitrate.map { Double($0) / 8 } ?? Self.usualRate
        }
    }

    /// Whether enough is there for the next step or, after a wait, for more than that.
    var isSufficient: Bool {
        guard let file else { return true }
        let more = isWaiting ? Int(min(rate * seconds, Double(Self.most))) : 0
        return file.isReadable(reserve + more)
    }

    /// The same, and notes it.
    mutating func suffices() -> Bool {
        guard isSufficient else { return false }
        isWaiting = false
        return true
    }

    private var reserve: Int { min(max(Self.leastReserve, Int(rate)), Self.mostReserve) }

    /// The title of what is decoded next, when it changes.
    mutating func newTitle() -> String? {
        guard let file, let title = file.network?.stream.status.title(at: file.place),
            title != lastTitle
        else { return nil }
        lastTitle = title
        return title.text
    }

    /// Less than a reserve is there.
    mutating func beginWaiting() {
        file?.follow()
        guard !isWaiting else { return }
        isWaiting = true
        seconds = waitSeconds
        waitSeconds = min(waitSeconds * 2, Self.longestWait)
    }
}
