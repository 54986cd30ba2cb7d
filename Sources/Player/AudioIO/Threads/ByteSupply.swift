import UndersongBase
import UndersongPlayback

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
///
/// As long as there is sound, what has arrived is decoded; in silence, `PlaybackReserve` says how
/// much has to be there.
struct ByteSupply {
    /// The number of bytes that decoding a block may take without waiting.
    private static let leastReserve = 16 * 1024
    private static let mostReserve = 128 * 1024
    /// The bit rate until it is known, that of a large MP3, in bytes per second; and that of a live
    /// stream, which sends a few seconds at once.
    private static let usualRate = 40_000.0
    private static let liveRate = 24_000.0
    /// The seconds that are decoded at once, rather than each piece that arrives.
    private static let batchSeconds = 0.5
    /// The seconds of sound that show its rate.
    private static let measuredSeconds = 2.0
    private static let most = 4 << 20

    private let file: MediaFile?
    /// Returns the cause of the output's silence, in which a reserve is waited for.
    private let silence: () -> OutputSilence
    private let clock: (any HostClock)?
    /// In bytes per second of sound.
    private var rate: Double
    /// True if `rate` is a guess or a station's word.
    private let isMeasuring: Bool
    /// The beginning of decoding: the offset in the file, and the first frame in the stream.
    private var origin: (place: Int64, frame: Int)?
    private var lastTitle: StreamReport.Title?
    /// True if less than a reserve was there, and more is awaited.
    private var isWaiting = true
    /// True if anything of it was decoded, so that silence may be a stall.
    private var hasBegun = false

    /// Creates a supply of nothing.
    init() { (file, rate, isMeasuring, silence, clock) = (nil, 0, false, { .none }, nil) }

    /// Creates the supply of an item that is played at `speed`.
    init(
        _ file: MediaFile, _ description: MediaDescription, speed: Double, clock: any HostClock,
        silence: @escaping () -> OutputSilence
    ) {
        self.clock = clock
        self.silence = silence
        guard let reader = file.network else {
            (self.file, rate, isMeasuring) = (nil, 0, false)
            return
        }
        self.file = file
        let duration = description.duration
        if let size = file.size, duration.isNumeric, duration.seconds > 0 {
            (rate, isMeasuring) = (Double(size) / duration.seconds * speed, false)
        } else {
            let status = reader.stream.status
            let stated = status.bitrate.flatMap { $0 > 0 ? Double($0) / 8 : nil }
            rate = (stated ?? (status.isLive ? Self.liveRate : Self.usualRate)) * speed
            isMeasuring = true
        }
    }

    /// True if enough is there for the next step or, after a wait, for more than that.
    var isSufficient: Bool {
        guard let file else { return true }
        return file.isReadable(reserve + (isWaiting ? more : 0))
    }

    /// The same, and notes it.
    mutating func suffices() -> Bool {
        guard isSufficient else { return false }
        if isWaiting, let file, let stream = file.network?.stream, let clock {
            if hasBegun, silence() == .starved { stream.recordStall(at: clock.now) }
            isWaiting = false
        }
        hasBegun = true
        return true
    }

    /// Records that the item is decoded up to this frame of the stream, at `sampleRate`.
    mutating func advanced(to frame: Int, sampleRate: Int) {
        guard isMeasuring, let place = file?.place else { return }
        guard let origin else { return self.origin = (place, frame) }
        let seconds = Double(frame - origin.frame) / Double(sampleRate)
        guard seconds >= Self.measuredSeconds, place > origin.place else { return }
        rate = Double(place - origin.place) / seconds
    }

    private var reserve: Int {
        Int(min(max(Double(Self.leastReserve), rate), Double(Self.mostReserve)))
    }

    /// The number of bytes for which to wait, beyond those for a block.
    private var more: Int {
        guard let file, let stream = file.network?.stream, let clock else { return 0 }
        let silence = silence()
        guard silence != .none else { return Int(min(rate * Self.batchSeconds, Double(Self.most))) }
        let left = stream.status.total.map { max(0, $0 - file.place) }
        let seconds = stream.reserveSeconds(
            playedAt: rate, left: left, afterStall: hasBegun && silence == .starved, at: clock.now)
        return Int(min(rate * seconds, Double(Self.most)))
    }

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
        isWaiting = true
    }
}
