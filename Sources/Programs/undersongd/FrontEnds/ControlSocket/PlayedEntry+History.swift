import UndersongControl
import UndersongPlayback
import UndersongStore

extension PlayedEntry {
    init(_ entry: HistoryEntry) {
        self.init(
            path: entry.path, title: entry.title ?? MediaSource.file(path: entry.path).title,
            began: entry.began, seconds: entry.seconds)
        (artist, album) = (entry.artist, entry.album)
        (duration, finished) = (entry.duration, entry.isFinished)
    }
}
