import UndersongAudioSession
import UndersongBase
import UndersongLibrary
import UndersongPlayback

/// The commands that find songs in the queue, and those that report what the library has.
extension MPDCommand {
    static let queueSearch = [
        MPDCommand("config", since: Version(16), .admin, 0...0) { frontEnd, client, _, reply in
            guard client.isLocal else {
                throw MPDError(.permission, "Command only permitted to local clients")
            }
            if let folder = try await frontEnd.database().folders.onlyFolder {
                reply.add("music_directory", folder.description)
            }
        },
        MPDCommand("playlistfind", since: Version(9), .read, 1...) {
            frontEnd, client, arguments, reply in
            let filter = try MPDFilter(arguments.all, ignoresCase: false)
            await frontEnd.findInQueue(filter, for: client, to: &reply)
        },
        MPDCommand("playlistsearch", since: Version(9), .read, 1...) {
            frontEnd, client, arguments, reply in
            let filter = try MPDFilter(arguments.all, ignoresCase: true)
            await frontEnd.findInQueue(filter, for: client, to: &reply)
        },
        MPDCommand("stats", since: Version(9), .read, 0...0) { frontEnd, _, _, reply in
            let now = frontEnd.player.configuration.clock.now
            reply.add("uptime", Int((now - frontEnd.creation) / 1_000_000_000))
            reply.add("playtime", Int(frontEnd.changes.playtime(at: now).rounded()))
            guard let totals = try? await frontEnd.totals() else { return }
            reply.add("artists", totals.artistCount)
            reply.add("albums", totals.albumCount)
            reply.add("songs", totals.songCount)
            reply.add("db_playtime", Int(totals.seconds))
            if let time = totals.lastAdded { reply.add("db_update", Int(time)) }
        },
    ]
}

/// The numbers of songs, albums and artists in the library.
struct MPDTotals: Equatable, Sendable {
    private var artists: Set<String> = []
    private var albums: Set<String> = []
    private(set) var songCount = 0
    /// The length of all songs, in seconds, as far as it is known.
    private(set) var seconds = 0.0
    /// The time at which the newest song was added, in seconds since 1970; nil if there is none.
    private(set) var lastAdded: Double?

    var artistCount: Int { artists.count }
    var albumCount: Int { albums.count }

    mutating func add(_ track: Track) {
        songCount += 1
        artists.formUnion(track.tags.artists)
        if let album = track.tags.album { albums.insert(album) }
        seconds += track.sound?.seconds ?? 0
        lastAdded = max(lastAdded ?? track.added, track.added)
    }
}

extension MPDFrontEnd {
    /// The totals of the library, which are counted once after each of its changes.
    fileprivate func totals() async throws(MPDError) -> MPDTotals {
        if let knownTotals { return knownTotals }
        var matches = try await database().songs(MPDFilter())
        var totals = MPDTotals()
        while let found = try await matches.next() {
            for song in found { totals.add(song.track) }
        }
        knownTotals = totals
        return totals
    }

    /// Adds the songs of the queue that a filter matches.
    fileprivate func findInQueue(
        _ filter: MPDFilter, for client: MPDClient, to reply: inout MPDReply
    ) async {
        let batch = 1000
        let count = await currentQueue().count
        for offset in stride(from: 0, to: count, by: batch) {
            let items = await player.page(offset: offset, limit: batch).items
            let songs = await songs(items)
            let found = items.indices.filter { filter.matches(songs[$0]) }
            await add(found.map { (offset + $0, items[$0]) }, for: client, to: &reply)
        }
    }
}
