import ArgumentParser
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongLibrary
import UndersongPlayback

/// `undersong lyrics`: shows the words of the current item.
struct LyricsVerb: Verb {
    static let configuration = described(
        "lyrics", "Show the words of the current item.",
        discussion: """
            They come from an LRC file beside the item's file, with the same name, or from its tags. \
            With --follow, each line is written when it is heard; words without times are written \
            as a whole when their item begins. An empty line ends the words of each item.

            Exit status: 1 if there are no words.
            """)
    @Flag(help: "Write each line when it is heard, until the service ends.") var follow = false
    @OptionGroup var options: SessionOptions

    func perform() throws {
        if follow { try LyricsFollower(isJSON: options.json).run(session: options.session) }
        let service = try options.service(to: "show the words")
        let reply = try service.call(GetLyrics())
        options.show(reply) { reply in
            reply.lyrics.map { LyricsText.lines($0).joined(separator: "\n") } ?? "no words found"
        }
        if reply.lyrics == nil { throw ExitCode(1) }
    }
}

/// Formats words.
enum LyricsText {
    /// `[0:12] First line`, one per line; without times only the text.
    static func lines(_ lyrics: Lyrics) -> [String] {
        let times = Columns.rightAligned(
            lyrics.lines.map { $0.seconds.map { "[\(ClockText.text($0))]" } ?? "" })
        return zip(lyrics.lines, times).map { line, time in
            let text = Columns.printable(line.text)
            return time.isEmpty || text.isEmpty ? text : "\(time) \(text)"
        }
    }
}

/// The words of the items that are heard, line by line.
struct HeardLyrics {
    /// A line to write.
    struct Line: Encodable, Equatable {
        var item: Int
        /// When it is sung, in seconds from the item's beginning; nil if unknown.
        var seconds: Double?
        var text: String
    }

    /// A step to perform.
    enum Effect: Equatable {
        /// Ask for the words of the current item.
        case ask
        /// Ask for the events at these times, in seconds, instead of the earlier ones.
        case watch([Double])
        case write(Line)
    }

    private struct Item {
        var id: Int
        var lyrics: Lyrics?
        /// The time of the lines that were written last.
        var written: Double?
        var hasWritten = false
    }

    private var item: Item?
    /// The times of which events were asked for.
    private var watched: [Double] = []
    private var isAsking = false
    /// True if the current item may be another one than that which was asked about.
    private var isStale = false

    /// Handles an event. The words of another item are asked for, and the line of the position is
    /// written if it is another one.
    mutating func handle(_ event: PlayerEvent) -> [Effect] {
        guard event.head.item?.number == item?.id else { return ask() }
        switch event.kind {
        case .boundary, .jump: return write(at: event.head.position.seconds)
        default: return []
        }
    }

    /// Handles the beginning, or an item that begins.
    mutating func ask() -> [Effect] {
        isStale = isAsking
        guard !isAsking else { return [] }
        isAsking = true
        return [.ask]
    }

    /// Handles the words of the current item, and its position in seconds; nil if there is no item.
    mutating func receive(_ reply: ItemLyrics?, position: Double) -> [Effect] {
        isAsking = false
        if isStale { return ask() }
        var effects: [Effect] = []
        if reply?.item != item?.id {
            if let item, item.hasWritten { effects = [.write(Line(item: item.id, text: ""))] }
            item = reply.map { Item(id: $0.item, lyrics: $0.lyrics) }
        }
        let times = item?.lyrics?.lines.compactMap(\.seconds) ?? []
        if times != watched { effects.append(.watch(times)) }
        watched = times
        guard let item, let lyrics = item.lyrics, !item.hasWritten else { return effects }
        return effects + (lyrics.areTimed ? write(at: position) : writeAll(lyrics))
    }

    /// Writes the lines of a position, unless they are those that were written last.
    private mutating func write(at position: Double) -> [Effect] {
        guard let current = item, let lyrics = current.lyrics else { return [] }
        // An event's time is as exact as that which was asked for, to the microsecond.
        let time = lyrics.lines.last { $0.seconds.map { $0 <= position + 0.001 } ?? false }?.seconds
        guard time != current.written else { return [] }
        item?.written = time
        let lines = time.map { time in lyrics.lines.filter { $0.seconds == time } } ?? []
        if !lines.isEmpty { item?.hasWritten = true }
        return lines.map { .write(Line(item: current.id, seconds: $0.seconds, text: $0.text)) }
    }

    private mutating func writeAll(_ lyrics: Lyrics) -> [Effect] {
        guard let id = item?.id else { return [] }
        item?.hasWritten = true
        return lyrics.lines.map { .write(Line(item: id, text: $0.text)) }
    }
}

/// Writes the words of what is heard.
final class LyricsFollower: Sendable {
    /// The kinds of events after which another item may be heard, or another time.
    private static let kinds = ["queue", "item", "jump", "state"]

    private let isJSON: Bool
    private let link = Service()
    private let lyrics = Mutex(HeardLyrics())
    /// The subscription to the lines' times, and the number of those that were asked for.
    private let watch = Mutex((subscription: Int?.none, count: 0))

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// Follows the session until the service or the reader ends.
    func run(session: String) throws -> Never {
        let signals = HostSignals()
        let terminal = HostTerminal()
        let options = Follower.Options(
            purpose: "follow the words", ownsRun: false,
            handle: { [self] notice in
                if case .event(let event) = notice { perform { $0.handle(event) } }
            })
        let follower = Follower(terminal, options, link: link)
        try follower.begin(session: session, as: "lyrics", startsService: true) { calls in
            calls.add(Subscribe(interval: nil, kinds: Self.kinds))
        }
        perform { $0.ask() }
        follower.follow(signals, reported: terminal.state)
    }

    /// Performs the effects of a change, in order.
    private func perform(_ change: (inout HeardLyrics) -> [HeardLyrics.Effect]) {
        lyrics.withLock { lyrics in
            for effect in change(&lyrics) {
                switch effect {
                case .ask: ask()
                case .watch(let times): watch(times)
                case .write(let line):
                    writeOutput(
                        (isJSON ? JSONLine.text(of: line) : Columns.printable(line.text)) + "\n")
                }
            }
        }
    }

    private func ask() {
        link.send(GetLyrics()) { [self] reply in
            let words = try? reply.get()
            link.send(GetStatus()) { [self] status in
                let position = (try? status.get())?.position.seconds ?? 0
                perform { $0.receive(words, position: position) }
            }
        }
    }

    private func watch(_ times: [Double]) {
        let number = watch.withLock { watch in
            watch.count += 1
            if let subscription = watch.subscription { link.send(Unsubscribe(subscription)) }
            watch.subscription = nil
            return watch.count
        }
        guard !times.isEmpty else { return }
        let boundaries = times.map {
            WireTime(value: Int64(($0 * 1e6).rounded()), timescale: 1_000_000)
        }
        let call = Subscribe(interval: nil, kinds: ["boundary"], boundaries: boundaries)
        link.send(call) { [self] reply in
            guard let subscription = try? reply.get().subscription else { return }
            watch.withLock { watch in
                if watch.count == number {
                    watch.subscription = subscription
                } else {
                    link.send(Unsubscribe(subscription))
                }
            }
        }
    }
}
