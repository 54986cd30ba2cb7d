import AudioSession
import Control
import Playback

/// What is remembered of long files, as clients see it.
extension ServiceCore {
    /// An item of the queue with where its file was left, or that it was heard to its end.
    func remembered(_ entry: Control.QueueEntry) -> Control.QueueEntry {
        guard let position = session.fileMemory?.resumePosition(of: entry.path) else {
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
