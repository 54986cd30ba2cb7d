import UndersongAudioSession
import UndersongControl
import UndersongPlayback
import UndersongPlayerService
import UndersongStore

extension UndersongControl.QueueEntry {
    /// An item, as sent to clients, at its place in the queue.
    init(_ item: QueueItem, at place: Int) {
        self.init(
            id: item.id.number, title: item.displayTitle, path: item.source.path,
            duration: item.facts?.duration.map { WireTime($0) },
            start: item.start == .zero ? nil : WireTime(item.start),
            end: item.end.map { WireTime($0) })
        playlistTitle = item.title
        (artist, album) = (item.facts?.artist, item.facts?.album)
        (index, number) = (place, place + 1)
    }

    /// Adds the saved position, or that the item was finished.
    fileprivate mutating func add(_ position: ResumePoint) {
        if position.isFinished {
            finished = true
        } else {
            resume = WireTime(value: Int64((position.seconds * 1000).rounded()), timescale: 1000)
        }
    }
}

extension QueueList {
    init(_ view: QueueView) {
        let page = view.page
        self.init(
            items: page.items.enumerated().map { index, item in
                var entry = UndersongControl.QueueEntry(item, at: page.offset + index)
                if view.missing.contains(item.id) { entry.missing = true }
                if let position = view.positions[item.id] { entry.add(position) }
                return entry
            }, current: page.current?.number, offset: page.offset, count: page.count)
    }
}

extension Queue.Reply {
    init(_ findings: QueueFindings) {
        self.init(
            queue: QueueList(
                items: [], current: findings.current?.number, count: findings.count))
        found = findings.items.map {
            Queue.FoundEntry(
                place: $0.place, entry: UndersongControl.QueueEntry($0.item, at: $0.place))
        }
        foundCount = findings.foundCount
        hasUnreadTags = findings.hasUnreadTags ? true : nil
    }
}

extension PlayedEntry {
    init(_ entry: HistoryEntry) {
        self.init(
            path: entry.path, title: entry.title ?? MediaSource.file(path: entry.path).title,
            began: entry.began, seconds: entry.seconds)
        (artist, album) = (entry.artist, entry.album)
        (duration, finished) = (entry.duration, entry.isFinished)
    }
}
