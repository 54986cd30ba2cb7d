import Glibc
import UndersongAudioIO
import UndersongBackground
import UndersongBase
import UndersongPlayback

/// The shell around a `Player`, where commands, the policy's decisions and the sound path's reports
/// meet. It feeds inputs to it, performs the effects (`PlayerEngineEffects.swift`), and never waits
/// for a thread.
actor PlayerEngine {
    /// Reports from the threads of the sound path, in order.
    enum Report: Sendable {
        case stream(Player.StreamFact)
        case output(Player.OutputFact)
        case outputLost(OutputError)
        case settingVolume(StreamVolume.Change)
        /// A second has passed while the output was supposed to run.
        case secondPassed
        /// A title of a live stream is to be reported when it is heard.
        case titled(TimeWatch)
        case server(SoundServerEvent)
    }

    /// The engine's activity, of which an arriving command may be a consequence.
    private enum Work {
        case none
        case handlingReports
        case performing
    }

    /// The seconds that an answer waits for a file being opened.
    static let openDeadline = 1.0

    let executor = SessionExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    let configuration: SessionConfiguration
    let hub: EventHub
    let reporter: HeardReporter
    /// Keeps what the clocks of streams report in the streams' order.
    let streamOrder = StreamOrder()
    let observers: TimeObservers
    let indexer: MediaIndexer
    /// Saves the positions in long files; nil to save none.
    let filePositions: ResumePointKeeper?
    /// Pending reports, each with the number of the pipeline or listener that made it.
    let inbox = ReportQueue<(number: Int, fact: Report)>()

    /// The player's state: what plays, where, and whether.
    private(set) var player: Player
    /// The effects of its inputs that have not been performed yet.
    private var effects: [Player.Effect] = []
    private var work = Work.none
    /// The handlers waiting for answers, by the answer's number.
    private var pendingReplies: [Player.AnswerID: @Sendable (Bool) -> Void] = [:]
    private var lastReply = 0

    /// The store of the queue beyond this process, if there is one.
    let store: (any QueueStore)?
    /// Admits one durable edit at a time.
    let edits = AsyncSemaphore()
    /// The edits that were undone and can be redone, latest last.
    var undone: [Undone] = []
    /// The policy that decides whether sound may run.
    private(set) var permission: SessionPermission
    /// Notices sound that nobody hears.
    private(set) var silence = DigitalSilence()
    /// The destination of the next stream's sound.
    var output: OutputDestination { didSet { feed(server: .setRunDevice(output.device)) } }
    var pipeline: PlaybackPipeline?
    var pipelineNumber = 0
    /// Called once no sound is playing.
    private var silenceWaiters: [@Sendable () -> Void] = []
    /// Called when a call begins or ends.
    private var whenCallChanges: @Sendable () -> Void = {}
    /// Called once it is known what plays.
    private var readyWaiters: [@Sendable () -> Void] = []
    /// The connection to the sound server of the output, and how many there were before: reports
    /// from those are ignored.
    var soundServer: (any SoundServer)?
    var serverNumber = 0
    /// The policy that decides what the server's events mean for the session and its stream.
    var serverPolicy: SoundServerPolicy
    /// The calls that wait for the server, and how many there ever were.
    var serverWaiters: [Waiter] = []
    var waiterCount = 0
    /// True if the server has refused the last move of the stream.
    var isMoveRefused = false
    /// The calls that are pending, and how many there ever were.
    var alarms: [Alarm: (number: Int, timer: HostTimer)] = [:]
    var alarmCount = 0
    /// The delays before retries of a lost output.
    var outputRetries = Backoff(seconds: 0.25...2)
    /// Times to report in events, besides those of the configuration.
    var timeEvents: [WatchID: TimeWatch] = [:]
    private(set) var end: SessionEnd?
    private var waiters: [CheckedContinuation<SessionEnd, Never>] = []

    init(_ configuration: SessionConfiguration, hub: EventHub) {
        self.configuration = configuration
        self.hub = hub
        store = configuration.store
        player = Player(
            queue: PlaybackQueue(itemStore: configuration.store ?? MemoryItemStore()),
            settings: configuration.settings, record: configuration.record,
            memory: configuration.fileMemory, endsWithQueue: configuration.endsWithQueue,
            seed: .random(in: 0...UInt64.max))
        serverPolicy = SoundServerPolicy(
            scope: configuration.serverScope,
            identifier: "\(getpid())-\(configuration.clock.now)", name: configuration.name,
            runDevice: configuration.output.device, chosenDevice: player.settings.outputDevice,
            unplugPolicy: player.settings.unplugPolicy)
        observers = TimeObservers()
        reporter = HeardReporter(hub: hub, observers: observers, clock: configuration.clock)
        indexer = MediaIndexer(folder: configuration.indexFolder)
        let observers = observers
        filePositions = configuration.fileMemory.map {
            ResumePointKeeper($0, observers, clock: configuration.clock)
        }
        if let filePositions { hub.subscribe { filePositions.receive($0) } }
        permission = SessionPermission(
            category: configuration.category,
            capabilities: configuration.declaration.capabilities,
            capabilitySource: configuration.declaration.source,
            applicationState: configuration.applicationState,
            applicationStateSource: configuration.applicationStateSource,
            at: configuration.clock.now)
        output = configuration.output
        soundServer = configuration.soundServer
        reporter.handle(.queue(player.queue))
        configuration.network?.observe { [weak reporter] stream in
            reporter?.handle(stream)
            return reporter != nil
        }
    }

    // MARK: Inputs

    /// Handles reports until the end.
    func run() async {
        catchUp()
        for await _ in inbox.signals { catchUp() }
    }

    /// Handles pending reports, which every command does first. A command that a report has caused
    /// leaves the rest for later, so that reports stay in order.
    func catchUp() {
        guard work == .none else { return }
        work = .handlingReports
        defer { work = .none }
        begin()
        for (number, fact) in inbox.popAll() {
            if case .server(let event) = fact {
                if number == serverNumber { feed(server: .event(event)) }
            } else if number == pipelineNumber {
                receive(fact)
            }
        }
    }

    private func receive(_ fact: Report) {
        switch fact {
        case .stream(let fact): feed(.stream(fact))
        case .output(let fact): feed(.output(fact))
        case .outputLost(let error):
            let isRemembered = serverPolicy.isDeviceRemembered
            feed(.output(.lost(error, isDeviceRemembered: isRemembered)))
        case .settingVolume(let change): feed(server: .willSetVolume(change))
        case .secondPassed:
            feed(.output(.secondPassed(waitsSince: pipeline?.output.waitsSince)))
        case .titled(let watch): pipeline?.clock.add(watch)
        case .server: break
        }
    }

    /// Handles pending reports, and then a command. Returns why it was refused, if it was.
    @discardableResult
    func handle(_ input: Player.Input) -> QueueError? {
        catchUp()
        return feed(input)
    }

    /// Feeds the player and performs the effects, in the order of the inputs.
    @discardableResult
    func feed(_ input: Player.Input) -> QueueError? {
        let new = player.handle(input, at: moment)
        effects += new
        performEffects()
        for case .refuse(let error) in new { return error }
        return nil
    }

    private func performEffects() {
        guard work != .performing else { return }
        let before = work
        work = .performing
        while !effects.isEmpty {
            let due = effects
            effects = []
            for effect in due { perform(effect) }
        }
        work = before
        feed(server: .setPlaying(status == .playing))
        followSilence()
        callWaiters()
    }

    /// Publishes that sound has been digital silence in the background for long, or no longer is.
    private func followSilence() {
        guard updateSilence() else { return }
        let isLong = silence.since != nil
        publish(.state) { $0.isDigitallySilent = isLong }
    }

    private func updateSilence() -> Bool {
        let duration = status == .playing ? pipeline?.output.silentNanoseconds : nil
        let isBackground = permission.applicationState == .background
        return silence.update(
            duration: duration ?? 0,
            backgroundSince: isBackground ? permission.applicationStateSince : nil, at: hostTime)
    }

    /// The current moment for the player.
    var moment: Player.Moment {
        Player.Moment(
            hostTime: hostTime, date: configuration.clock.secondsSinceEpoch,
            heard: pipeline?.clock.position)
    }

    func stage(_ entries: [QueueEntry]) -> [ItemID] {
        catchUp()
        return player.stage(entries)
    }

    func observeCalls(_ handler: @escaping @Sendable () -> Void) { whenCallChanges = handler }

    // MARK: Answers

    /// Registers `handler` for an answer of the player.
    func awaitReply(_ handler: @escaping @Sendable (Bool) -> Void) -> Player.AnswerID {
        lastReply += 1
        let id = Player.AnswerID(lastReply)
        pendingReplies[id] = handler
        return id
    }

    func resolve(_ id: Player.AnswerID, with reply: Bool) {
        pendingReplies.removeValue(forKey: id)?(reply)
    }

    /// Calls `handler` as soon as no sound is playing.
    func whenSilent(_ handler: @escaping @Sendable () -> Void) {
        catchUp()
        silenceWaiters.append(handler)
        callWaiters()
    }

    /// Calls `handler` as soon as it is known that the current item can be played, or that there is
    /// nothing to play.
    func whenReady(_ handler: @escaping @Sendable () -> Void) {
        catchUp()
        readyWaiters.append(handler)
        callWaiters()
    }

    private func callWaiters() {
        if player.isSilent {
            for waiter in silenceWaiters { waiter() }
            silenceWaiters = []
        }
        if player.isReady {
            for waiter in readyWaiters { waiter() }
            readyWaiters = []
        }
    }

    func waitForEnd() async -> SessionEnd {
        await withCheckedContinuation { waiter in
            // Checked again here, since the end may happen on the way.
            if let end { waiter.resume(returning: end) } else { waiters.append(waiter) }
        }
    }

    /// The session ends.
    func finish(_ end: SessionEnd) {
        self.end = end
        pipeline?.stop()
        endRetries()
        feed(server: .end)
        soundServer = nil
        publish(.end(end))
        inbox.close()
        for waiter in waiters { waiter.resume(returning: end) }
        waiters = []
    }

    // MARK: The session

    /// Publishes the session's beginning, before all other events.
    private func begin() {
        guard permission.decision == nil else { return }
        let state = permission.applicationState
        publish(.session(configuration.description)) { $0.applicationState = state }
        publish(.application([], source: permission.applicationStateSource))
        feed(server: .mix(settings.mixing, permission.policy.category))
        feed(.begin)
    }

    /// Handles pending reports, and then an input that may change whether sound is allowed.
    func handle(_ input: SessionPermission.Input) {
        catchUp()
        feed(input)
    }

    func feed(_ input: SessionPermission.Input) {
        let call = permission.call
        let effects = permission.handle(input, at: hostTime)
        if permission.call != call { whenCallChanges() }
        for effect in effects {
            switch effect {
            case .applicationChanged(let events):
                let (state, source) =
                    (permission.applicationState, permission.applicationStateSource)
                publish(.application(events, source: source)) { $0.applicationState = state }
            case .interruption(let event): publish(.interruption(event))
            case .pause: feed(.command(.pause(.interruptionEnded)))
            case .decided(let decision):
                publish(.policy(decision))
                feed(.session(.policyDecided(decision.reasons)))
            }
        }
        followSilence()
    }

    /// The current time in nanoseconds of CLOCK_MONOTONIC.
    var hostTime: Int64 { configuration.clock.now }

    func publish(
        _ kind: PlayerEvent.Kind,
        change: @Sendable (inout PlayerEvent.Head) -> Void = { _ in }
    ) {
        hub.publish(kind, at: hostTime, change: change)
    }
}

/// Calls that the engine makes to itself later, by the session's clock.
extension PlayerEngine {
    /// A call that the engine makes later, each at most once at a time.
    enum Alarm: Hashable {
        /// Tries a lost output again.
        case retry
        /// Makes the next step of the volume ramps of other programs.
        case rampStep
    }

    /// Seconds between two steps of a volume ramp.
    private static let rampInterval = 0.02

    /// Tries a lost output again, later each time until `endRetries`. Has no effect while a retry is
    /// pending.
    func retryLater() {
        guard alarms[.retry] == nil else { return }
        set(.retry, after: outputRetries.next()) { _ = $0.handle(.output(.retryIsDue)) }
    }

    /// Cancels a pending retry. The next one is a first one again.
    func endRetries() {
        cancel(.retry)
        outputRetries.reset()
    }

    /// Makes a step of the volume ramps of other programs every 20 ms until `endRamp`.
    func beginRamp() {
        set(.rampStep, after: Self.rampInterval) { engine in
            engine.beginRamp()
            engine.feed(server: .rampStep)
        }
    }

    func endRamp() { cancel(.rampStep) }

    /// Calls `body` after `seconds` unless the engine is gone.
    @discardableResult
    func call(
        after seconds: Double, _ body: @escaping @Sendable (isolated PlayerEngine) -> Void
    ) -> HostTimer {
        configuration.clock.wake(after: seconds, leeway: 1_000_000) { [weak self, executor] in
            executor.post { [weak self] in self?.assumeIsolated(body) }
        }
    }

    /// Has no effect while such a call is pending.
    private func set(
        _ alarm: Alarm, after seconds: Double,
        _ body: @escaping @Sendable (isolated PlayerEngine) -> Void
    ) {
        guard alarms[alarm] == nil else { return }
        alarmCount += 1
        let number = alarmCount
        // A timer that is cancelled at its very moment may still call.
        let timer = call(after: seconds) { engine in
            guard engine.alarms[alarm]?.number == number else { return }
            engine.alarms[alarm] = nil
            body(engine)
        }
        alarms[alarm] = (number, timer)
    }

    private func cancel(_ alarm: Alarm) { alarms.removeValue(forKey: alarm)?.timer.cancel() }
}
