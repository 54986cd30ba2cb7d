public import Foundation
import UndersongAudioIO
import UndersongPlayback

/// The arrival of an item's bytes. All of a local file has arrived; what is on the network is read
/// ahead by 8 MiB.
extension AVPlayerItem {
    /// Seconds from the position heard on that are enough to continue for now.
    private static var enoughSeconds: Double { 10 }

    /// The item's stream while it is read; nil for a file.
    var stream: (any NetworkStream)? {
        guard case .network(let url) = asset.loader.source else { return nil }
        return NetworkMedia.streams.openStream(at: url.description)
    }

    /// True if the item is on the network.
    var isRemote: Bool { asset.loader.source.isRemote }

    /// The parts of the asset that can be played without waiting: all of a local file, once it is
    /// ready. Times in a file of variable bit rate are estimates.
    public var loadedTimeRanges: [NSValue] {
        keyValueObservers.access("loadedTimeRanges")
        guard isRemote else { return seekableTimeRanges }
        let duration = duration
        guard status == .readyToPlay, duration.isNumeric, let stream else { return [] }
        let status = stream.status
        guard let total = status.total, total > 0 else { return [] }
        return status.available.ranges.map { range in
            let scale = duration.seconds / Double(total)
            let start = CMTime(
                seconds: Double(range.lowerBound) * scale, preferredTimescale: duration.timescale)
            let end =
                range.upperBound >= total
                ? duration
                : CMTime(
                    seconds: Double(range.upperBound) * scale,
                    preferredTimescale: duration.timescale)
            return NSValue(timeRange: CMTimeRange(start: start, end: end))
        }
    }

    /// True if playback will probably not stall: true for a local file once it is ready, and for
    /// what is on the network if some seconds have arrived ahead of the position.
    public var isPlaybackLikelyToKeepUp: Bool {
        keyValueObservers.access("playbackLikelyToKeepUp")
        guard isRemote else { return status == .readyToPlay }
        guard status == .readyToPlay, !isStalled else { return false }
        guard stream?.status.total != nil else { return true }
        let time = currentTime().seconds
        let ranges = loadedTimeRanges.map(\.timeRangeValue)
        let range = ranges.first { $0.start.seconds <= time && time <= $0.end.seconds }
        guard let range else { return false }
        return range.end.seconds - time >= Self.enoughSeconds || range.end >= duration
    }

    /// True if there is nothing to play: not yet, or the player has stalled.
    public var isPlaybackBufferEmpty: Bool {
        keyValueObservers.access("playbackBufferEmpty")
        return status != .readyToPlay || isRemote && isStalled
    }

    /// True if reading ahead has stopped, since enough has arrived: always, for a local file that
    /// is ready.
    public var isPlaybackBufferFull: Bool {
        keyValueObservers.access("playbackBufferFull")
        guard status == .readyToPlay, isRemote, let stream else { return status == .readyToPlay }
        return stream.status.activity == .idle
    }

    /// True if the player waits for the item's bytes.
    private var isStalled: Bool { state.withLock(\.isStalled) }

    /// The text that a live stream has sent last, as `icy/StreamTitle`; nil without one.
    public var timedMetadata: [AVMetadataItem]? {
        keyValueObservers.access("timedMetadata")
        return state.withLock(\.title).map { title in
            [Self.item(title, range: .invalid)]
        }
    }

    /// Notifies observers of what has arrived. On the main queue.
    func bufferChanged() {
        noteAccess()
        keyValueObservers.changed([
            "loadedTimeRanges", "playbackLikelyToKeepUp", "playbackBufferEmpty",
            "playbackBufferFull",
        ])
    }

    /// The player waits for the item's bytes, or does so no longer. On the main queue.
    func setStalled(_ isStalled: Bool) {
        let isNew = state.withLock { state in
            defer { state.isStalled = isStalled }
            return state.isStalled != isStalled
        }
        if isNew { bufferChanged() }
    }

    /// A live stream has a new title. On the main queue.
    func setTitle(_ title: String) {
        state.withLock { $0.title = title }
        keyValueObservers.changed(["timedMetadata"])
        let range = CMTimeRange(start: currentTime(), duration: .indefinite)
        let group = AVTimedMetadataGroup(items: [Self.item(title, range: range)], timeRange: range)
        let track = tracks.first
        for output in metadataOutputs { output.send(group, from: track) }
    }

    private static func item(_ title: String, range: CMTimeRange) -> AVMetadataItem {
        AVMetadataItem(
            frame: "StreamTitle", detail: "", content: .text(title), range: range, keySpace: .icy)
    }

    /// Passes on to the stream how far to read ahead.
    func setReadAhead() {
        let seconds = preferredForwardBufferDuration
        guard case .network(let url) = asset.loader.source, seconds > 0 else { return }
        let status = stream?.status
        let duration = state.withLock(\.duration)
        let stated = status?.bitrate.map { Double($0) / 8 }
        let measured =
            duration.isNumeric && duration > .zero
            ? status?.total.map { Double($0) / duration.seconds } : nil
        let wanted = seconds * (measured ?? stated ?? Self.highestRate)
        NetworkMedia.streams.setReadAhead(
            Int64(max(Self.leastReadAhead, min(wanted, 1e15))), at: url.description)
    }

    /// Bytes per second of an MP3 of the highest bit rate, as long as the rate is not known.
    private static var highestRate: Double { 40_000 }
    /// Enough bytes for what is decoded in advance.
    private static var leastReadAhead: Double { 512 * 1024 }
}
