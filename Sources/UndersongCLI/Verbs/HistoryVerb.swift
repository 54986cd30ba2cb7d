import ArgumentParser
import CommandOptions
import Control
import Glibc

/// `undersong history`: shows what has been played.
struct HistoryVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show what was heard, latest first.")

    @Option(help: "How many items at most, up to 1000.")
    var limit = 20

    @OptionGroup var options: SessionOptions

    func validate() throws {
        guard 1...GetHistory.limit ~= limit else {
            throw ValidationError("--limit is from 1 to \(GetHistory.limit).")
        }
    }

    func perform() throws {
        try options.ask(
            "show the history", GetHistory(limit: limit), startsService: true, HistoryText.lines)
    }
}

/// Formats the history: `2026-11-22 20:15  4:05  Second Song`.
enum HistoryText {
    /// One line per item.
    static func lines(_ reply: GetHistory.Reply) -> String {
        guard !reply.entries.isEmpty else { return "nothing has been played yet" }
        let lengths = reply.entries.map { ClockText.text($0.seconds) }
        let width = lengths.map(\.count).max() ?? 0
        return zip(reply.entries, lengths).map { entry, length in
            let space = String(repeating: " ", count: width - length.count)
            return "\(date(entry.began))  \(space)\(length)  \(Columns.printable(entry.title))"
        }.joined(separator: "\n")
    }

    /// The date and time to the minute, in the local time zone.
    private static func date(_ seconds: Double) -> String {
        var time = time_t(seconds)
        var parts = unsafe tm()
        var text = [CChar](repeating: 0, count: 32)
        unsafe localtime_r(&time, &parts)
        let count = unsafe strftime(&text, text.count, "%Y-%m-%d %H:%M", &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
