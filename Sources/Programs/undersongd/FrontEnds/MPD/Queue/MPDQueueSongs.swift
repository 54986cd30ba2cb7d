import UndersongPlayback

/// The songs of the queue as lines.
extension MPDFrontEnd {
    /// Adds the lines of items and their positions.
    func add(
        _ items: [(position: Int, item: QueueItem)], for client: MPDClient,
        to reply: inout MPDReply
    ) async {
        for (position, item) in items {
            reply.add("file", await uri(of: item))
            if let title = item.knownTitle { reply.add("Title", title) }
            if let artist = item.facts?.artist { reply.add("Artist", artist) }
            if let album = item.facts?.album { reply.add("Album", album) }
            if let seconds = item.playedSeconds {
                reply.add("Time", Int(seconds.rounded()))
                reply.add("duration", seconds: seconds)
            }
            addPlace(of: item, at: position, to: &reply)
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
