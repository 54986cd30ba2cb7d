import AudioSession
import Control
import Playback
import Store

/// What is remembered of long files, as clients see it.
extension ServiceCore {
    /// What was heard, the last first.
    func history(_ call: GetHistory) async -> GetHistory.Reply {
        let entries = await store.history(limit: min(max(call.limit, 0), GetHistory.limit))
        return GetHistory.Reply(
            entries: entries.map { entry in
                PlayedEntry(
                    path: entry.path,
                    title: entry.title ?? MediaSource.file(path: entry.path).title,
                    began: entry.began, seconds: entry.seconds)
            })
    }

    /// An item of the queue with where its file was left, or that it was heard to its end.
    func remembered(_ entry: Control.QueueEntry) -> Control.QueueEntry {
        guard let position = session.fileMemory?.resumePosition(of: entry.source.path) else {
            return entry
        }
        var entry = entry
        if position.isFinished {
            entry.finished = true
        } else {
            entry.resume = WireTime(
                value: Int64((position.seconds * 1000).rounded()), timescale: 1000)
        }
        return entry
    }
}
