import UndersongLibrary
import UndersongPlayback

/// The songs of the queue as lines.
extension MPDFrontEnd {
    /// Adds the lines of items and their positions.
    func add(
        _ items: [(position: Int, item: QueueItem)], for client: MPDClient,
        to reply: inout MPDReply
    ) async {
        let songs = await songs(items.map(\.item))
        for ((position, item), song) in zip(items, songs) {
            reply.add(song, client.shownTags)
            addPlace(of: item, at: position, to: &reply)
        }
    }

    /// The songs of items, with the tags that clients have given to them.
    func songs(_ items: [QueueItem]) async -> [MPDSong] {
        let songs = await songs(items.map { QueueEntry(playing: $0) })
        return zip(items, songs).map { item, song in
            var song = song
            if let seconds = item.playedSeconds {
                song.sound = song.sound ?? TrackSound(seconds: seconds)
                if item.start > .zero || item.end != nil { song.sound?.seconds = seconds }
            }
            song.given = queue.tags(of: item.id)
            return song
        }
    }

    /// Adds the position, the id and the priority of an item.
    func addPlace(of item: QueueItem, at position: Int, to reply: inout MPDReply) {
        reply.add("Pos", position)
        reply.add("Id", item.id.number)
        let priority = queue.priority(of: item.id)
        if priority > 0 { reply.add("Prio", priority) }
    }
}

extension QueueItem {
    /// The length of what is played, in seconds; nil if it is not known.
    var playedSeconds: Double? {
        let end = [end, facts?.duration].compactMap { $0?.seconds }.min()
        return end.map { max($0 - start.seconds, 0) }
    }
}
