import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// Unusual volume and rate, in a word each: a user who hears nothing looks at the line first.
enum SoundMarks {
    /// The mark for a device that is muted or at volume 0.
    static let deviceSilent = "device muted"

    /// `repeat all`, `shuffle`, `will stop after this item`; empty if nothing is unusual.
    static func modes(repeat mode: RepeatMode?, isShuffled: Bool, stopAfter: StopCondition?)
        -> [String]
    {
        var marks: [String] = []
        if let mode, mode != .off { marks.append("repeat \(mode.rawValue)") }
        if isShuffled { marks.append("shuffle") }
        if let stopAfter { marks.append(SleepText.stop(after: stopAfter)) }
        return marks
    }

    /// `sleep 23:15` or `fading out`; nil if no sleep timer is running.
    static func sleep(_ sleep: SleepReport) -> String? {
        sleep.time.map { time in
            sleep.fading == true ? "fading out" : "sleep \(ClockText.timeOfDay(time))"
        }
    }

    /// `muted`, `vol 0`, `1.1×`; empty if nothing is unusual. The volume is in percent.
    static func marks(volume: Double, isMuted: Bool, rate: Double) -> [String] {
        var marks: [String] = []
        if isMuted { marks.append("muted") }
        if numberText(volume) == "0" { marks.append("vol 0") }
        if numberText(rate) != "1" { marks.append("\(numberText(rate))×") }
        return marks
    }
}
