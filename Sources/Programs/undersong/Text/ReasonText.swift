import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// Why nothing is heard, in words for people. Programs read the names of the reasons.
enum ReasonText {
    /// The words for a reason. `count` is the number of items in the queue.
    static func words(_ reason: Open<SilenceReason>, count: Int) -> String {
        switch reason {
        case .known(let reason): words(reason, count: count)
        case .unknown(let word): Columns.printable(word)
        }
    }

    private static func words(_ reason: SilenceReason, count: Int) -> String {
        switch reason {
        case .userPaused: "paused"
        case .oldDeviceUnavailable: "paused, the device was unplugged"
        case .interruptionEnded: "paused after an interruption"
        case .appBackgrounded, .categoryForbidsBackground: "silent in the background"
        case .interrupted: "interrupted"
        case .hostStopped: "stopped by job control"
        case .deviceMissing: "the device is missing"
        case .noItemToPlay: count == 0 ? "the queue is empty" : "end of the queue"
        case .evaluatingBufferingRate: "opening"
        case .toMinimizeStalls: "waiting for data"
        case .noOutput: "waiting for the sound server"
        }
    }

    /// The words for a status; nil while it plays. A paused player without items has none to play.
    static func words(_ status: PlayerStatus) -> String? {
        if status.count == 0, status.status != .playing { return "the queue is empty" }
        if status.status == .waiting, let trouble = status.network?.trouble {
            return Columns.printable(trouble)
        }
        return status.reason.map { words($0, count: status.count) }
    }
}
