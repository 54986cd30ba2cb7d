import UndersongBase
import UndersongControl
import UndersongLibrary
import UndersongPlayback

/// Tracks, and a service that has them.
enum LibrarySamples {
    /// 2026-11-20 12:00 UTC.
    static let added = 1_795_176_000.0

    static func track(
        _ id: Int, _ title: String, artists: [String] = ["Björk"], album: String? = "Homogenic",
        date: String? = "1997-09-22", seconds: Double? = 255, path: FilePath? = nil
    ) -> Track {
        var tags = TrackTags()
        (tags.title, tags.artists, tags.album, tags.date) = (title, artists, album, date)
        return Track(
            id: id, path: path ?? FilePath("/music/\(id).flac"), tags: tags,
            sound: TrackSound(
                seconds: seconds, SoundFormat(sampleRate: 44100, channels: 2, encoding: "FLAC")),
            added: added, modified: added)
    }

    static let hunter = track(1, "Hunter")
    /// Rated, a favourite, and heard twice.
    static let joga = {
        var joga = track(2, "Jóga", seconds: 305)
        (joga.rating, joga.isFavourite, joga.playCount) = (5, true, 2)
        joga.lastPlayed = added + 3600
        return joga
    }()

    /// A page of a list, as a service answers.
    static func page(
        _ tracks: [Track], _ call: FindTracks, gap: LibraryGap? = nil
    ) -> TrackList {
        let page = tracks.dropFirst(call.page.offset ?? 0).prefix(
            call.page.limit ?? FindTracks.limit)
        return TrackList(
            tracks: Array(page), count: tracks.count,
            seconds: tracks.reduce(0) { $0 + ($1.sound?.seconds ?? 0) }, gap: gap.map { .known($0) }
        )
    }

    /// A page of a list, as a service answers.
    static func page(_ groups: [LibraryGroup], _ call: GroupTracks) -> LibraryGroups {
        let page = groups.dropFirst(call.page.offset ?? 0).prefix(
            call.page.limit ?? FindTracks.limit)
        return LibraryGroups(groups: Array(page), count: groups.count)
    }

    /// Starts a service whose library has these tracks and groups, whatever the query is; `other`
    /// answers other requests.
    static func service(
        tracks: [Track] = [hunter, joga], groups: [LibraryGroup] = [],
        gap: LibraryGap? = nil, other: @escaping FakeService.Script = { _, _ in nil }
    ) throws -> FakeService {
        try FakeService { request, connection in
            switch request.method {
            case FindTracks.method:
                ControlReply(page(tracks, try request.decode(FindTracks.self), gap: gap))
            case GroupTracks.method:
                ControlReply(page(groups, try request.decode(GroupTracks.self)))
            default: try other(request, connection)
            }
        }
    }
}
