import AudioIO
import AudioSession
import MPRIS
import Playback
import PlayerService

/// A player as MPRIS shows it.
extension MediaPlayerState {
    /// Shows what the session reports, with the items of the queue that are around the current one.
    init(_ report: SessionReport, _ page: QueuePage, _ known: KnownItems) {
        self.init()
        canQuit = true
        schemes = ["file"]
        mediaTypes = MediaTypes.all
        status = PlaybackStatus(report)
        loopStatus = LoopStatus(report.settings.modes.repeatMode)
        isShuffled = report.settings.modes.isShuffled
        rate = report.settings.rate
        rates = 0.5...2
        volume = report.settings.shownVolume
        show(report, known)
        canPlay = report.count > 0 && report.decision.forbiddance == nil
        tracks = page.items.map { TrackMetadata($0, known) }
    }

    /// Shows the current item, and what can be done with it.
    private mutating func show(_ report: SessionReport, _ known: KnownItems) {
        guard let item = report.current else { return }
        let isRepeated = report.settings.modes.repeatMode == .all
        track = TrackMetadata(item, known)
        position = PlaybackPosition(
            microseconds: (report.position - item.start).microseconds, hostTime: report.hostTime,
            rate: report.status == .playing ? report.settings.rate : 0)
        canGoNext = isRepeated || report.place + 1 < report.count
        canGoPrevious = isRepeated || report.place > 0
        canPause = true
        canSeek = report.isSeekable
    }
}

extension MediaPlayerState.PlaybackStatus {
    /// A player that has let go of its device is stopped at an item's start, where playing begins, and
    /// paused elsewhere.
    init(_ report: SessionReport) {
        guard let item = report.current else {
            self = .stopped
            return
        }
        switch report.status {
        // While an item is opened it is about to play.
        case .playing, .waiting(.evaluatingBufferingRate): self = .playing
        case .waiting, .paused:
            self = report.isRunning || report.position > item.start ? .paused : .stopped
        }
    }
}

extension MediaPlayerState.LoopStatus {
    init(_ mode: RepeatMode) {
        switch mode {
        case .off: self = .none
        case .one: self = .track
        case .all: self = .playlist
        }
    }

    /// The same as the player has it.
    var mode: RepeatMode {
        switch self {
        case .none: .off
        case .track: .one
        case .playlist: .all
        }
    }
}

extension PlayerSettings {
    /// 0 to 1, and 0 while it is muted, which MPRIS does not know; without the digits that a `Float`
    /// does not have.
    fileprivate var shownVolume: Double {
        isMuted ? 0 : (Double(volume) * 1e6).rounded() / 1e6
    }
}

extension TrackMetadata {
    /// Shows an item: as long as the part of its source that is played.
    init(_ item: QueueItem, _ known: KnownItems) {
        self.init(id: item.id.track)
        let tags = known.tags(of: item.id)
        title = item.displayTitle
        length = item.shownEnd.map { max(0, ($0 - item.start).microseconds) }
        artists = tags.list("artist")
        album = tags.text("album")
        genres = tags.list("genre")
        comments = tags.list("comment")
        number = tags.text("track").flatMap { Int32($0.prefix { $0.isNumber }) }
        created = tags.text("year")
        if item.source.path.isAbsolute { url = item.source.path.fileURL }
        artURL = known.artURL(of: item.id)
    }
}

extension QueueItem {
    /// Where it ends, as far as that is known.
    fileprivate var shownEnd: CMTime? { exactEnd ?? facts?.duration }
}

extension [String: String] {
    fileprivate func text(_ name: String) -> String? {
        self[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    fileprivate func list(_ name: String) -> [String] { text(name).map { [$0] } ?? [] }
}

extension CMTime {
    /// The nearest; 0 where it is no number.
    fileprivate var microseconds: Int64 {
        isNumeric ? Int64(exactly: (seconds * 1e6).rounded()) ?? 0 : 0
    }
}

extension ItemID {
    private static let folder = "/org/undersong/track/"

    /// The object path of the item.
    var track: String { Self.folder + description }

    /// The item with an object path; nil where it is no item's.
    init?(track path: String) {
        guard path.hasPrefix(Self.folder), let number = Int(path.dropFirst(Self.folder.count))
        else { return nil }
        self.init(exactly: number)
    }
}

extension PlaylistDescription {
    /// Shows a saved queue; its object path has the bytes of its name.
    init(_ queue: SavedQueue) {
        let digits = Array("0123456789abcdef".utf8)
        var id = Array("/org/undersong/playlist/".utf8)
        for byte in queue.name.text.utf8 { id += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        self.init(
            id: String(decoding: id, as: UTF8.self), name: queue.name.text,
            modified: queue.modified)
    }
}

/// The types of the files that can be opened.
private enum MediaTypes {
    /// Of sound files, those that are played; and all playlists that are read.
    static let all =
        sounds + [
            "audio/x-mpegurl", "audio/x-scpls", "application/xspf+xml", "application/x-cue",
        ]

    private static let sounds: [String] = {
        let known = [
            "mp3": "audio/mpeg", "mp2": "audio/mpeg", "flac": "audio/flac", "ogg": "audio/ogg",
            "oga": "audio/ogg", "opus": "audio/opus", "wav": "audio/x-wav", "aif": "audio/x-aiff",
            "aiff": "audio/x-aiff",
        ]
        return Set(DecoderRegistry.standard.fileExtensions.compactMap { known[$0] }).sorted()
    }()
}
