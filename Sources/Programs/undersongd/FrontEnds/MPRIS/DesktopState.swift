import UndersongAudioIO
import UndersongAudioSession
import UndersongLibrary
import UndersongLinuxPlatform
import UndersongPlayback

/// The MPRIS state of the player.
extension MediaPlayerState {
    /// Creates the state from a report, with the items of the queue around the current one.
    /// `track` is what the library knows of the current one.
    init(_ report: SessionReport, _ page: QueuePage, _ known: KnownItems, _ track: Track?) {
        self.init()
        canQuit = true
        schemes = ["file", "http", "https"]
        mediaTypes = MediaTypes.all
        status = PlaybackStatus(report)
        loopStatus = LoopStatus(report.settings.modes.repeatMode)
        isShuffled = report.settings.modes.isShuffled
        rate = report.settings.rate
        rates = 0.5...2
        volume = report.settings.shownVolume
        show(report, known)
        if let track { self.track?.add(track) }
        canPlay = report.player.count > 0 && report.decision.forbiddance == nil
        tracks = page.items.map { TrackMetadata($0, known, of: report) }
    }

    /// Adds the current item, and what can be done with it.
    private mutating func show(_ report: SessionReport, _ known: KnownItems) {
        guard let item = report.current else { return }
        let isRepeated = report.settings.modes.repeatMode == .all
        track = TrackMetadata(item, known, of: report)
        position = PlaybackPosition(
            microseconds: (report.position - item.start).microseconds, hostTime: report.hostTime,
            rate: report.status == .playing ? report.settings.rate : 0)
        canGoNext = isRepeated || report.player.place + 1 < report.player.count
        canGoPrevious = isRepeated || report.player.place > 0
        canPause = true
        canSeek = report.isSeekable
    }
}

extension MediaPlayerState.PlaybackStatus {
    /// A player that has released its device is stopped if it is at an item's start, and paused
    /// elsewhere.
    init(_ report: SessionReport) {
        guard let item = report.current else {
            self = .stopped
            return
        }
        switch report.status {
        // An item that is being opened is about to play.
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

    /// The player's mode.
    var mode: RepeatMode {
        switch self {
        case .none: .off
        case .track: .one
        case .playlist: .all
        }
    }
}

extension PlayerSettings {
    /// The volume from 0 to 1; 0 while muted, since MPRIS has no mute.
    fileprivate var shownVolume: Double { isMuted ? 0 : volumeLevel }
}

extension TrackMetadata {
    /// Creates a track whose length is that of the part that is played.
    init(_ item: QueueItem, _ known: KnownItems, of report: SessionReport) {
        self.init(id: item.id.track)
        let tags = known.tags(of: item.id)
        // The current one of a live stream is what its station says.
        let shown = item.id == report.current?.id ? report.player.item?.title : nil
        title = shown ?? item.displayTitle
        length = item.shownEnd.map { max(0, ($0 - item.start).microseconds) }
        artists = tags.list("artist")
        album = tags.text("album")
        genres = tags.list("genre")
        comments = tags.list("comment")
        number = tags.text("track").flatMap { Int32($0.prefix { $0.isNumber }) }
        created = tags.text("year")
        switch item.source {
        case .file(let path): url = path.fileURL
        case .network(let address): url = address.string
        case .standardInput: url = nil
        }
        artURL = known.artURL(of: item.id)
    }
}

extension TrackMetadata {
    /// Adds what the library knows.
    fileprivate mutating func add(_ track: Track) {
        rating = track.rating.map { Double($0) / 5 }
        playCount = Int32(clamping: track.playCount)
        lastPlayed = track.lastPlayed.map { CalendarDate(secondsSince1970: $0).iso8601 }
        albumArtists = track.tags.albumArtists
        composers = track.tags.composers
        disc = track.tags.disc.map { Int32(clamping: $0) }
    }
}

extension QueueItem {
    /// The time at which it ends, as far as known.
    fileprivate var shownEnd: CMTime? { exactEnd ?? facts?.duration }
}

extension [String: String] {
    fileprivate func text(_ name: String) -> String? {
        self[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    fileprivate func list(_ name: String) -> [String] { text(name).map { [$0] } ?? [] }
}

extension CMTime {
    /// The nearest number of microseconds; 0 if invalid.
    fileprivate var microseconds: Int64 {
        isNumeric ? Int64(exactly: (seconds * 1e6).rounded()) ?? 0 : 0
    }
}

extension ItemID {
    private static let folder = "/org/undersong/track/"

    /// The object path of the item.
    var track: String { Self.folder + description }

    /// The item with this object path; nil if the path is not an item's.
    init?(track path: String) {
        guard path.hasPrefix(Self.folder), let number = Int(path.dropFirst(Self.folder.count))
        else { return nil }
        self.init(exactly: number)
    }
}

extension PlaylistDescription {
    /// Describes a saved queue; its object path encodes the bytes of its name.
    init(_ queue: SavedQueue) {
        let digits = Array("0123456789abcdef".utf8)
        var id = Array("/org/undersong/playlist/".utf8)
        for byte in queue.name.text.utf8 { id += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        self.init(
            id: String(decoding: id, as: UTF8.self), name: queue.name.text,
            modified: queue.modified)
    }
}

/// The media types that can be opened.
private enum MediaTypes {
    /// The sound files that can be played, and all supported playlists.
    static let all =
        sounds + [
            "audio/x-mpegurl", "audio/x-scpls", "application/xspf+xml", "application/x-cue",
        ]

    private static let sounds: [String] = {
        let known = [
            "mp3": "audio/mpeg", "mp2": "audio/mpeg", "flac": "audio/flac", "ogg": "audio/ogg",
            "oga": "audio/ogg", "opus": "audio/opus", "wav": "audio/x-wav", "aif": "audio/x-aiff",
            "aiff": "audio/x-aiff", "caf": "audio/x-caf", "au": "audio/basic",
        ]
        return Set(DecoderRegistry.standard.fileExtensions.compactMap { known[$0] }).sorted()
    }()
}
