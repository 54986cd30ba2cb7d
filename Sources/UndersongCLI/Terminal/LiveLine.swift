import AudioSession
import Background
import Glibc
import Playback
import Synchronization

/// Shows on one line of a terminal what is heard: state, title, position, length, place in the
/// queue. While the program is in the background it leaves the line to the shell.
final class LiveLine: EventSink {
    /// Seconds between two updates.
    static let interval = CMTime(value: 1, timescale: 4)

    private struct Shown {
        var title = ""
        var length: CMTime?
        var count = 0
    }

    private let terminal: HostTerminal
    private let shown = Mutex(Shown())

    init(_ terminal: HostTerminal) { self.terminal = terminal }

    func text(for event: SessionEvent, missed: Int) -> [UInt8] {
        let line = shown.withLock { shown in
            switch event.kind {
            case .queue(_, let count): shown.count = count
            case .itemBegan(let item, let description):
                shown.title = description?.tags["title"] ?? item.source.title
                shown.length = description?.duration
            default: break
            }
            return Self.line(shown, event.snapshot)
        }
        guard terminal.isForeground else { return [] }
        switch event.kind {
        case .end: return Array("\r\u{1B}[K".utf8)
        case .time, .state, .itemBegan: return Array("\r\(fitted(line))\u{1B}[K".utf8)
        default: return []
        }
    }

    func complaint(_ text: String) -> [UInt8] {
        let start = terminal.isForeground ? "\r\u{1B}[K" : ""
        return Array("\(start)undersong: \(text)\n".utf8)
    }

    private static func line(_ shown: Shown, _ snapshot: SessionEvent.Snapshot) -> String {
        let symbol =
            switch snapshot.status {
            case .playing: "▶"
            case .waiting: "…"
            case .paused: "⏸"
            }
        let reason = snapshot.status.reason.map { " (\($0))" } ?? ""
        var line = "\(symbol) \(snapshot.place + 1)/\(shown.count)  \(clock(snapshot.position))"
        if let length = shown.length, length.isNumeric { line += " / \(clock(length))" }
        return line + "  " + shown.title + reason
    }

    /// `4:05`, or `1:04:05` from an hour on.
    private static func clock(_ time: CMTime) -> String {
        let seconds = Int(time.seconds)
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        let tail = padded(seconds % 60)
        return hours > 0 ? "\(hours):\(padded(minutes)):\(tail)" : "\(minutes):\(tail)"
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// As much of `line` as the terminal is wide, without control characters.
    private func fitted(_ line: String) -> String {
        var size = winsize()
        let isKnown = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
        let width = isKnown && size.ws_col > 1 ? Int(size.ws_col) - 1 : 79
        let clean = line.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return String(String(String.UnicodeScalarView(clean)).prefix(width))
    }
}
