import ArgumentParser
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// `undersong history`: shows what has been played.
struct HistoryVerb: Verb {
    static let configuration = described(
        "history", "Show what was heard, latest first.",
        discussion: """
            With --json, each entry has path, title, artist, album, duration, began (in seconds \
            since 1970), seconds (heard) and finished (heard to its end), as far as they are known. \
            ListenBrainz and Last.fm take items longer than 30 seconds of which half or 4 minutes \
            were heard.

            Examples:
              undersong history --limit 50
              undersong history --json | jq '.entries[] | select(.artist and .duration > 30
                and .seconds >= ([.duration / 2, 240] | min))'
            """)

    @Option(help: ArgumentHelp("How many items to show, 1 to 1000.", valueName: "count"))
    var limit = 20

    @OptionGroup var options: SessionOptions

    func validate() throws {
        guard 1...GetHistory.limit ~= limit else {
            throw ValidationError("--limit must be from 1 to \(GetHistory.limit).")
        }
    }

    func perform() throws {
        try options.ask("show the history", GetHistory(limit: limit), HistoryText.lines)
    }
}

/// Formats the history: `2026-11-22 20:15  4:05  Artist - Second Song`.
enum HistoryText {
    /// One line per item.
    static func lines(_ reply: GetHistory.Reply) -> String {
        guard !reply.entries.isEmpty else { return "nothing has been played yet" }
        let lengths = Columns.rightAligned(reply.entries.map { ClockText.text($0.seconds) })
        return zip(reply.entries, lengths).map { entry, length in
            "\(date(entry.began))  \(length)  \(name(entry))"
        }.joined(separator: "\n")
    }

    /// `Artist - Title`, and ` (of 4:05)` if the item was left before its end.
    private static func name(_ entry: PlayedEntry) -> String {
        let name = Columns.printable(ItemName.text(entry.title, artist: entry.artist))
        guard entry.finished == false, let duration = entry.duration else { return name }
        return "\(name) (of \(ClockText.text(duration)))"
    }

    /// The date and time to the minute, in the local time zone.
    private static func date(_ seconds: Double) -> String {
        ClockText.local(seconds, as: "%Y-%m-%d %H:%M")
    }
}
