import UndersongAudioSession
import UndersongControl
import UndersongPlayback
import UndersongPlayerService
import UndersongStore

extension QueueList {
    init(_ view: QueueView) {
        let page = view.page
        self.init(
            items: page.items.enumerated().map { index, item in
                var entry = ListedItem(item, at: page.offset + index)
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
                place: $0.place, entry: ListedItem($0.item, at: $0.place))
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
