import UndersongBackground

/// Decides when the phone is drawn: at most 20 times a second, and not while nothing changes.
struct DemoPacing: Sendable {
    /// The shortest time between two frames, in seconds.
    static let frameTime = 0.05
    /// The seconds by which a wait has to be shorter to replace one. The same moment, computed from
    /// different times, differs by less.
    private static let tolerance = 0.001

    /// The time of the last frame; nil before the first.
    private var last: Double?
    /// True if something has changed since then.
    private var isOutdated = false
    /// The time that is waited for.
    private var awaited: Double?

    /// Ends the wait, since its time has passed.
    mutating func endWait() { awaited = nil }

    /// Returns the commands to draw and to wait. `next` is the number of seconds after which something
    /// changes by itself.
    mutating func commands(
        hasChanged: Bool, next: Double, at now: Double
    ) -> [DemoPhone.Command] {
        var commands: [DemoPhone.Command] = []
        isOutdated = isOutdated || hasChanged
        let earliest = last.map { $0 + Self.frameTime } ?? now
        if isOutdated, now >= earliest {
            (last, isOutdated) = (now, false)
            commands.append(.draw)
        }
        let wait = isOutdated ? earliest - now : max(next, Self.frameTime)
        // One that should be over is waited for in vain.
        if awaited.map({ now + wait < $0 - Self.tolerance || $0 <= now }) ?? true {
            awaited = now + wait
            commands.append(.wait(wait))
        }
        return commands
    }
}

/// The phone with a clock, as a full screen draws it: only a frame that is due replaces the last one.
struct DemoDisplay: ScreenModel {
    private let clock: @Sendable () -> ScheduleTime
    private var phone: DemoPhone
    private(set) var frame = Frame(canvas: Canvas(columns: 0, rows: 0))

    init(_ phone: DemoPhone, clock: @escaping @Sendable () -> ScheduleTime) {
        self.phone = phone
        self.clock = clock
    }

    static func input(columns: Int, rows: Int) -> DemoPhone.Input {
        .size(columns: columns, rows: rows)
    }

    static func input(pictures style: PictureStyle?) -> DemoPhone.Input { .pictures(style) }

    static func isRepaint(_ command: DemoPhone.Command) -> Bool { command == .repaint }

    /// Handles an input, and draws if a frame is due. Returns the other commands.
    mutating func handle(_ input: DemoPhone.Input) -> [DemoPhone.Command] {
        let now = clock()
        let commands = phone.handle(input, at: now)
        if commands.contains(.draw) {
            let drawn = phone.frame(at: now)
            frame = Frame(canvas: drawn.canvas, picture: drawn.picture)
        }
        return commands.filter { $0 != .draw }
    }
}
