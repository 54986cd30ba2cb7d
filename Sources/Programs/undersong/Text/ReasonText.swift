import UndersongCommandOptions
import UndersongControl

/// Why nothing is heard, in words for people. Programs read the names of the reasons.
enum ReasonText {
    private static let table = [
        "userPaused": "paused", "oldDeviceUnavailable": "paused, the device was unplugged",
        "interruptionEnded": "paused after an interruption",
        "appBackgrounded": "silent in the background", "interrupted": "interrupted",
        "hostStopped": "stopped by job control", "deviceMissing": "the device is missing",
        "categoryForbidsBackground": "silent in the background",
        "evaluatingBufferingRate": "opening", "toMinimizeStalls": "waiting for data",
        "noOutput": "waiting for the sound server",
    ]

    /// The words for a reason by its name in events; a reason without words stays as it is. `count`
    /// is the number of items in the queue.
    static func words(_ reason: String, count: Int) -> String {
        if reason == "noItemToPlay" {
            return count == 0 ? "the queue is empty" : "end of the queue"
        }
        return table[reason] ?? Columns.printable(reason)
    }

    /// The words for a status; nil while it plays. A paused player without items has none to play.
    static func words(_ status: Status) -> String? {
        if status.count == 0, status.status != "playing" { return "the queue is empty" }
        if status.status == "waiting", let trouble = status.network?.trouble {
            return Columns.printable(trouble)
        }
        return status.reason.map { words($0, count: status.count) }
    }
}
