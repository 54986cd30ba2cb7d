import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongDemoScreen

/// The app's screen, at any size: also as the small snapshot on the springboard.
struct DemoAppView {
    /// The columns from which a tab is divided into two halves.
    static let wide = 60

    let phone: DemoPhone
    let now: ScheduleTime
    /// True for the last screen of an app that may have ended.
    let isSnapshot: Bool

    init(_ phone: DemoPhone, _ now: ScheduleTime, isSnapshot: Bool = false) {
        self.phone = phone
        self.now = now
        self.isSnapshot = isSnapshot
    }

    func draw(on frame: inout DemoFrame, in area: Rectangle) {
        guard let screen = phone.screen, isSnapshot || phone.isScreenLive else {
            var middle = area
            _ = middle.removeTop(area.rows / 2)
            return frame.writeCentred("Launching …", in: middle, .dim)
        }
        var rest = area
        drawTabs(screen, on: &frame, in: rest.removeTop(1))
        if rest.rows > 6 { _ = rest.removeTop(1) }
        switch screen.tab {
        case .audio: drawAudio(screen.audio, on: &frame, in: rest)
        case .location:
            DemoLocationView(location: screen.location, route: phone.routeName)
                .draw(on: &frame, in: rest)
        case .whatever: drawWhatever(screen.whatever, on: &frame, in: rest)
        case .fetch: drawFetch(screen.fetch, on: &frame, in: rest)
        }
    }

    private func drawTabs(
        _ screen: DemoScreen, on frame: inout DemoFrame, in area: Rectangle
    ) {
        let tabs = DemoTab.allCases.map { tab in
            TabBar.Tab(
                title: DemoText.title(tab), badge: screen.badges[tab.rawValue] ?? 0,
                colour: DemoText.colour(tab))
        }
        let bar = TabBar(tabs: tabs, selected: DemoTab.allCases.firstIndex(of: screen.tab) ?? 0)
        frame.draw(bar, in: area)
        for (tab, place) in zip(DemoTab.allCases, bar.areas(in: area)) {
            frame.add(.touch(.tab(tab)), in: place)
        }
    }

    // MARK: Audio

    /// The area of the cover below the list of songs; nil if it has no room.
    static func coverArea(beside songs: [String], in area: Rectangle) -> Rectangle? {
        guard area.columns >= wide else { return nil }
        var list = area
        _ = list.removeTop(2)
        list = list.removeLeft(area.columns * 2 / 5)
        _ = list.removeTop(min(max(songs.count, 3), list.rows / 2) + 1)
        return list.rows >= 5 ? list : nil
    }

    private func drawAudio(
        _ audio: DemoScreen.Audio, on frame: inout DemoFrame, in area: Rectangle
    ) {
        var rest = area
        if area.columns >= Self.wide {
            var list = rest.removeLeft(area.columns * 2 / 5)
            if !isSnapshot, phone.covers.shown != nil, let cover = phone.coverArea {
                _ = list.removeBottom(cover.rows + 1)
            }
            drawSongs(audio, on: &frame, in: list)
            _ = rest.removeLeft(2)
            drawPlayer(audio, on: &frame, in: rest)
        } else {
            drawPlayer(audio, on: &frame, in: rest.removeTop(min(max(area.rows - 3, 4), 8)))
            drawSongs(audio, on: &frame, in: rest)
        }
    }

    private func drawSongs(
        _ audio: DemoScreen.Audio, on frame: inout DemoFrame, in area: Rectangle
    ) {
        let rows = audio.songs.enumerated().map { index, title in
            let isCurrent = index == audio.current
            let mark = isCurrent ? (audio.isPlaying ? "▶ " : "⏸ ") : "  "
            return ListView.Row(
                text: mark + Columns.printable(title),
                style: isCurrent ? .coloured(DemoText.colour(.audio), isBold: true) : .plain)
        }
        guard !rows.isEmpty else { return frame.write("No songs", in: area, .dim) }
        let list = ListView(rows: rows, cursor: min(phone.song, rows.count - 1))
        frame.draw(list, in: area) { .touch(.song($0)) }
    }

    private func drawPlayer(
        _ audio: DemoScreen.Audio, on frame: inout DemoFrame, in area: Rectangle
    ) {
        var rest = area
        let title = audio.current.flatMap { index in
            audio.songs.indices.contains(index) ? audio.songs[index] : nil
        }
        let hasRoom = area.rows >= 7
        if hasRoom || area.rows < 5 {
            frame.write(Columns.printable(title ?? "Nothing plays"), in: rest.removeTop(1), .bold)
        }
        if let artist = audio.artist, hasRoom {
            frame.write(Columns.printable(artist), in: rest.removeTop(1), .dim)
        }
        if rest.rows >= 8 { _ = rest.removeTop(1) }
        let clock = LargeClock(seconds: audio.seconds)
        let isLarge = rest.rows >= LargeClock.rows + 2 && rest.columns >= clock.columns
        frame.draw(clock, in: rest.removeTop(isLarge ? LargeClock.rows : 1))
        if rest.rows >= 4 { _ = rest.removeTop(1) }
        var bar = rest.removeTop(1)
        let times = audio.duration.map { ClockText.text($0) } ?? ""
        if bar.columns > times.count + 10, !times.isEmpty {
            frame.write(times, in: bar.removeRight(times.count), .dim)
            _ = bar.removeRight(1)
        }
        let length = audio.duration ?? 0
        let progress = ProgressBar(part: length > 0 ? audio.seconds / length : 0)
        frame.draw(progress, in: bar)
        frame.add(.touch(.playPause), in: bar)
        var level = rest.removeTop(1)
        guard level.rows > 0, level.columns >= 12 else { return }
        frame.write("Level ", in: level.removeLeft(6), .dim)
        frame.draw(LevelBar(level: audio.level), in: level)
    }

    // MARK: Whatever

    private func drawWhatever(
        _ whatever: DemoScreen.Whatever, on frame: inout DemoFrame, in area: Rectangle
    ) {
        let (text, style) = DemoText.state(whatever.state)
        var rest = area
        let ring =
            whatever.timeRemaining.map { left in
                DemoText.ring(left, of: phone.budget)
            } ?? Ring(part: 1, lines: ["no limit"], style: .dim)
        var side = rest
        if area.columns >= Self.wide {
            side = rest.removeRight(min(area.rows * 2, area.columns / 2, 48))
            frame.draw(ring, in: side)
        } else if area.rows >= 10 {
            side = rest.removeBottom(area.rows - 5)
            frame.draw(ring, in: side)
        } else {
            let left = whatever.timeRemaining.map { ClockText.span($0) + " left" } ?? "no limit"
            frame.write(left, in: rest.removeBottom(1), .dim)
        }
        frame.write("Position \(whatever.position)", in: rest.removeTop(1), .bold)
        if rest.rows >= 4 { _ = rest.removeTop(1) }
        let number = Columns.printable(whatever.number)
        let lines = DemoText.groups(of: number, columns: max(rest.columns - 2, 1))
        for line in lines.prefix(max(rest.rows - 1, 1)) {
            frame.write(
                line, in: rest.removeTop(1), .coloured(DemoText.colour(.whatever), isBold: true))
        }
        if rest.rows >= 2 { _ = rest.removeTop(1) }
        frame.write(text, in: rest, style)
        frame.add(.touch(.calculation), in: area)
    }

    // MARK: Fetch

    private func drawFetch(
        _ fetch: DemoScreen.Fetch, on frame: inout DemoFrame, in area: Rectangle
    ) {
        var rest = area
        var last =
            fetch.lastRefresh.map { date in
                "\(DemoText.time(date, at: now)) (\(DemoText.age(now.wall - date)))"
            } ?? "Not yet updated"
        if fetch.isUpdating { last = "\(DemoText.spinner(at: now.boot)) updating … \(last)" }
        row("Last refresh", last, on: &frame, in: rest.removeTop(1), .bold)
        let due = dueTexts()
        row("Due next", due.first ?? "nothing is requested", on: &frame, in: rest.removeTop(1))
        let reasons = min(due.count - 1, area.rows >= 12 ? 3 : 1)
        for text in due.dropFirst().prefix(max(reasons, 0)) {
            row("", text, on: &frame, in: rest.removeTop(1), .dim)
        }
        if area.rows >= 7 { drawLearned(on: &frame, in: &rest) }
        if rest.rows >= 4 { _ = rest.removeTop(1) }
        frame.write(
            fetch.reports.isEmpty ? "No reports" : "Reports (\(fetch.reports.count))",
            in: rest.removeTop(1), .bold)
        for report in fetch.reports.prefix(rest.rows) {
            frame.write("• " + Columns.printable(report), in: rest.removeTop(1))
        }
    }

    private func drawLearned(on frame: inout DemoFrame, in rest: inout Rectangle) {
        let date = CalendarDate(secondsSince1970: now.wall + now.utcOffset)
        let half = date.hour * 2 + date.minute / 30
        let learned = phone.learned ?? LearnedHours()
        let hasAxis = rest.rows >= 8
        let strips = [
            ("Opened at", learned.opens, Colour.magenta), ("News at", learned.news, Colour.cyan),
        ]
        for (index, (name, values, colour)) in strips.enumerated() {
            let isLast = index == strips.count - 1
            var area = rest.removeTop(isLast && hasAxis ? 2 : 1)
            if area.columns >= 40 { frame.write(name, in: area.removeLeft(14), .dim) }
            frame.draw(HalfHourStrip(values: values, now: half, style: .coloured(colour)), in: area)
        }
    }

    /// The next task of the app, and the reasons why it is not now.
    private func dueTexts() -> [String] {
        guard let status = phone.refresh else { return [] }
        let forecast = status.apps.first { $0.app == phone.app }
        guard let forecast else { return [] }
        let due =
            forecast.due.map { due in
                due <= now.wall
                    ? "now" : "\(now.clockFace(due)), in \(ClockText.span(due - now.wall))"
            } ?? "not yet"
        return [Columns.printable("\(due): \(forecast.identifier) (\(forecast.kind.rawValue))")]
            + forecast.obstacles.map { Columns.printable($0.text) }
    }

    /// Draws a name and a text; below each other's columns where there is room.
    private func row(
        _ name: String, _ text: String, on frame: inout DemoFrame, in area: Rectangle,
        _ style: Style = .plain
    ) {
        var area = area
        if area.columns >= 40 { frame.write(name, in: area.removeLeft(14), .dim) }
        frame.write(text, in: area, style)
    }
}
