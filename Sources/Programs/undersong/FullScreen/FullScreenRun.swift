import ArgumentParser
import Dispatch
import Glibc
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongLibrary
import UndersongPlayback

/// Connects a full screen with the keyboard and a service.
final class FullScreenRun: Sendable {
    /// The time for which a note is shown.
    private static let noteTime = DispatchTimeInterval.seconds(2)
    /// The time in which changes of the queue are gathered, before its playing time is asked for.
    private static let measureTime = DispatchTimeInterval.milliseconds(300)

    /// The most lines of lyrics whose times are reported exactly; those after it are noticed within
    /// `LiveLine.interval`.
    private static let boundaryLimit = 1000

    private let link = Service()
    /// Loads covers, one after the other.
    private let covers = DispatchQueue(label: "undersong.cover", qos: .utility)
    /// The parts that hold a reference to this object themselves.
    private let parts = Mutex<(screen: FullScreen<PlayerScreen>, host: Host)?>(nil)
    /// The subscription to the times of the lyrics, and the number of the last one that was asked for.
    private let boundaries = Mutex<(number: Int, subscription: Int?)>((0, nil))
    private let detaching = Mutex<Detaching?>(nil)
    private let news = Mutex(NewsNote())

    /// Shows the session's queue until the user leaves.
    func perform(session: String) throws -> Never {
        let signals = HostSignals()
        let terminal = HostTerminal()
        let keys = try KeyMap(Configuration.found())
        let screen = FullScreen(
            terminal, environment: { Environment[$0] },
            PlayerScreen(keys: keys, folder: .current)
        ) { [self] in
            perform($0)
        }
        let keyboard = Keyboard { stroke in
            switch stroke {
            case .report(let report): screen.receive(report)
            case .mouse(let mouse):
                let time = SystemClock().secondsSinceBoot
                screen.receive(.mouse(mouse, at: time))
            default: screen.receive(.stroke(stroke))
            }
        }
        let link = link
        let host = Host(
            terminal, screen: screen, keyboard: keyboard, link.jobControl,
            Host.Handlers(enter: { link.enter($0, $1) }))
        parts.withLock { $0 = (screen, host) }
        detaching.withLock { $0 = detaching(from: host, screen) }
        try link.connect(to: "show the queue", as: "ui", session: session, startsService: true) {
            [self] in handle($0)
        }
        screen.redraw()
        let state = terminal.state
        // Before it is opened, after which nothing is new.
        link.send(GetStatus()) { [self] reply in
            guard let status = try? reply.get() else { return }
            noteNews(status.badge ?? 0)
            if state == .active { noteNews(0) }
        }
        link.sendTogether(onFailure: { [self] in fail($0) }) { calls in
            calls.add(Attach(state: state, source: terminal.source))
            calls.add(Subscribe(interval: LiveLine.interval.wireTime))
        }
        host.follow(signals, reported: state)
    }

    /// The way to leave: at once, if that changes nothing about what is heard.
    private func detaching(from host: Host, _ screen: FullScreen<PlayerScreen>) -> Detaching {
        let detaching = Detaching(
            link, ownsRun: true,
            warning: "The music would stop. Press q again to declare background audio and leave",
            mayLeave: { why in
                why.audioCapability || !why.status.wantsPlayback
                    || why.clients.contains { $0.process != getpid() && $0.state == .active }
            },
            say: { screen.receive(.note($0)) })
        detaching.leavesBy { host.leave(0) }
        return detaching
    }

    private func give(_ input: ScreenInput) { parts.withLock { $0 }?.screen.receive(input) }

    private func give(_ input: ScreenInput, after time: DispatchTimeInterval) {
        DispatchQueue(label: "undersong.time").asyncAfter(deadline: .now() + time) { [self] in
            give(input)
        }
    }

    private func handle(_ notice: Notice) {
        switch notice {
        case .event(let event):
            give(.event(event))
            if case .error(let failure) = event.kind { give(.note(failure.description)) }
            if case .badge(let number) = event.kind { noteNews(number) }
            if let line = SoundText.line(event) { give(.note(line)) }
        case .lost: leave(Failure.unavailable, "cannot show the queue: The service has gone away")
        default: break
        }
    }

    private func noteNews(_ badge: Int) {
        if let note = news.withLock({ $0.receive(badge: badge) }) { give(.note(note)) }
    }

    private func change(_ call: some ControlCall) {
        link.send(call) { [self] reply in
            switch reply {
            case .success: give(.changed(problem: nil))
            case .failure(let error): give(.changed(problem: error.message))
            }
        }
    }

    private func perform(_ command: ScreenCommand) {
        switch command {
        case .load(let request):
            send(ListQueue(offset: request.offset, limit: request.limit)) {
                .list($0, for: request)
            }
        case .search(let request):
            let typed = request.words.joined(separator: " ")
            let query = (try? LibraryQuery(typed: typed))?.text ?? typed
            send(SearchQueue(query)) { .found($0, for: request) }
        case .press(let key): link.press(key) { [self] in give(.note($0)) }
        case .change(.undo): change(UndoQueueChange())
        case .change(.redo): change(RedoQueueChange())
        case .change(.remove(let items)): change(RemoveFromQueue(items))
        case .change(.move(let item, let other)): change(MoveInQueue(item, after: other))
        case .play(let id):
            send(Jump(to: id)) { _ in nil }
            send(Command(.resume)) { _ in nil }
        case .add(let addition): add(addition)
        case .browse(let request): browse(request)
        case .rate(let call): send(call) { .rated($0) }
        case .list(let request):
            // A thread of its own, since a folder on the network may hold it up for long.
            DispatchQueue(label: "undersong.folder", qos: .userInitiated).async { [self] in
                give(.folder(FolderListing(of: request.folder), for: request))
            }
        case .watch(let folder):
            send(AddLibraryFolder(folder)) { _ in
                .note("added to the library: \(folder.lastComponent)")
            }
        case .findLyrics(let request):
            link.send(GetLyrics(item: request.item)) { [self] reply in
                switch reply {
                case .success(let lyrics): give(.lyrics(.lyrics(lyrics), for: request))
                case .failure(let error): give(.lyrics(.problem(error.message), for: request))
                }
            }
        case .follow(let times): follow(times)
        case .seek(let seconds):
            send(Seek(to: Self.time(seconds))) { _ in nil }
        case .explain:
            send(GetWhy()) {
                .text(WhyText(Reasons($0)).screen.split(separator: "\n").map(String.init))
            }
        case .look:
            send(GetItem()) { .details($0) }
            send(GetOutputs()) { .outputs($0) }
        case .findCover: send(GetCover()) { .coverFound($0) }
        case .loadCover(let request):
            covers.async { [self] in give(.cover(Cover(request))) }
        case .measure:
            DispatchQueue(label: "undersong.time").asyncAfter(
                deadline: .now() + Self.measureTime
            ) { [self] in
                link.send(GetQueueTime()) { [self] in give(.time(try? $0.get())) }
            }
        case .endNote(let number): give(.noteOver(number), after: Self.noteTime)
        case .repaint: break
        case .leave: detaching.withLock { $0 }?.detach()
        }
    }

    /// Adds music to the queue, and plays the first item of it if that is wished.
    private func add(_ addition: Addition) {
        let playsNow = addition.position == .now
        let added = { @Sendable [self] (reply: Result<ExtendedQueue, ControlError>) in
            switch reply {
            case .success(let reply):
                give(.note(addition.note(reply)))
                guard playsNow, let first = reply.added.first else { return }
                perform(.play(first))
            case .failure(let error): give(.note(error.message))
            }
        }
        switch addition.position {
        case .end: link.send(AddToQueue(addition.files), added)
        case .next, .now: link.send(InsertIntoQueue(addition.files, after: nil), added)
        }
    }

    /// Subscribes to events when these times are heard, and ends the subscription before.
    private func follow(_ times: [Double]) {
        let (number, old) = boundaries.withLock { boundaries in
            defer { boundaries.subscription = nil }
            boundaries.number += 1
            return (boundaries.number, boundaries.subscription)
        }
        if let old { link.send(Unsubscribe(old)) }
        guard !times.isEmpty else { return }
        let call = Subscribe(
            interval: nil, kinds: ["boundary"],
            boundaries: times.prefix(Self.boundaryLimit).map(Self.time))
        link.send(call) { [self] reply in
            guard let subscription = try? reply.get().subscription else { return }
            let isCurrent = boundaries.withLock { boundaries in
                guard boundaries.number == number else { return false }
                boundaries.subscription = subscription
                return true
            }
            if !isCurrent { link.send(Unsubscribe(subscription)) }
        }
    }

    private static func time(_ seconds: Double) -> WireTime {
        WireTime(value: Int64((seconds * 1000).rounded()), timescale: 1000)
    }

    private func browse(_ request: LibraryRequest) {
        if let grouping = request.view.grouping {
            let call = GroupTracks(
                by: grouping, request.page, newestFirst: request.view == .newAlbums ? true : nil)
            return browse(call, request) {
                .rows(
                    $0.groups.map { .group($0) }, count: $0.count,
                    isScanning: $0.gap == .known(.scanning))
            }
        }
        guard request.view == .tracks else {
            return browse(ListQueries(), request) { reply in
                let shown = reply.queries[request.range.clamped(to: reply.queries.indices)]
                return .rows(
                    shown.map { .list($0) }, count: reply.queries.count, isScanning: false)
            }
        }
        browse(FindTracks(request.page), request) {
            .rows(
                $0.tracks.map { .track($0) }, count: $0.count,
                isScanning: $0.gap == .known(.scanning))
        }
    }

    private func browse<Call: ControlCall>(
        _ call: Call, _ request: LibraryRequest,
        _ rows: @escaping @Sendable (Call.Reply) -> LibraryReply
    ) {
        link.send(call) { [self] reply in
            switch reply {
            case .success(let reply): give(.library(rows(reply), for: request))
            case .failure(let error): give(.library(.problem(error.message), for: request))
            }
        }
    }

    /// Sends a call, whose reply becomes an input; an error is shown.
    private func send<Call: ControlCall>(
        _ call: Call, _ input: @escaping @Sendable (Call.Reply) -> ScreenInput?
    ) {
        link.send(call) { [self] reply in
            switch reply {
            case .success(let reply): if let input = input(reply) { give(input) }
            case .failure(let error): give(.note(error.message))
            }
        }
    }

    private func fail(_ error: ControlError) {
        leave(Failure.status(of: error.code), error.message)
    }

    /// Ends the program; an error is shown once the terminal is as it was.
    private func leave(_ status: Int32, _ problem: String? = nil) {
        guard let (screen, host) = parts.withLock({ $0 }) else { return }
        screen.close()
        if let problem, !host.isLeaving { complain(problem) }
        host.leave(status)
    }
}

/// Notes what was new when the player is opened, which clears its badge.
struct NewsNote {
    private var badge = 0

    /// Receives the badge. Returns a note once it is cleared; nil if nothing was new.
    mutating func receive(badge: Int) -> String? {
        defer { self.badge = badge }
        guard badge == 0, self.badge > 0 else { return nil }
        return "\(self.badge) new since the player was open"
    }
}

/// `undersong ui`: shows the queue full screen.
struct UIVerb: Verb {
    static let configuration = described(
        "ui", "Show the player full screen, and control it by keys or mouse.",
        discussion: """
            The key ? shows all keys. 1 shows the queue, where items can be played, moved, removed \
            and searched for; 2 shows the library and 3 the files of the current folder, from \
            which music can be added; 4 shows the lyrics of the current item. A double click \
            plays an item; a click on the progress bar seeks. The key q ends only this program, \
            and the music plays on; if it may not play in the background, q asks first. While ui \
            is open, playback counts as foreground. With NO_COLOR in the environment there are no colours.
            """)

    @OptionGroup var session: SessionName

    func perform() throws {
        guard isatty(STDOUT_FILENO) == 1, isatty(STDIN_FILENO) == 1 else {
            throw Failure(
                "cannot show a full screen: Standard input and output are not a terminal; "
                    + "'undersong queue list' prints the queue")
        }
        guard ScreenControl.isUnderstood(by: Environment["TERM"]) else {
            throw Failure(
                "cannot show a full screen: The terminal, by TERM, cannot place its cursor; "
                    + "'undersong watch' shows one line")
        }
        try FullScreenRun().perform(session: session.text)
    }
}
