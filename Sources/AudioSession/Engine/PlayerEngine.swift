import AudioIO
import Background
import Glibc
import Playback

/// The one place where commands, the policy's decisions and the sound path's reports meet. It never
/// waits for a thread: commands go out, reports come in. Its commands are in `PlayerCommands.swift`.
actor PlayerEngine {
    /// What the threads of the sound path report, in their order.
    enum Fact: Sendable {
        case decode(DecodeReport)
        case ready
        case heard(ClockEvent)
        case outputFailed(OutputError)
        case outputLost(OutputError)
        case outputWorks
        case settingVolume(StreamVolume.Change)
        case server(SoundServerEvent)
        case measured(MediaSource, frames: Int)
    }

    /// A seek that has been asked for and not yet heard.
    struct PendingSeek {
        var passage: PassageID
        var time: CMTime
        var completion: (@Sendable (Bool) -> Void)?
    }

    /// How long the end waits for a sound path that does not answer: at a command, and when it has
    /// played everything but may still complete a file.
    static let stopDeadline = Duration.milliseconds(150)
    static let endDeadline = Duration.seconds(5)
    /// How long an answer waits for a file that is being opened.
    static let openDeadline = Duration.seconds(1)
    /// Items of at least so many seconds are indexed, so that a seek finds its way at once.
    private static let indexedSeconds = 300.0

    let executor = SessionExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    let configuration: SessionConfiguration
    let hub: EventHub
    let reporter: HeardReporter
    let observers: TimeObservers
    let indexer: MediaIndexer
    /// Keeps where long files are heard; nil: nobody wants to know.
    let filePositions: FilePositionKeeper?
    /// What was reported, each with the number of the pipeline or listener that did.
    let inbox = FactInbox<(number: Int, fact: Fact)>()
    private var isCatchingUp = false

    /// Where the queue is kept beyond this process, if it is.
    let store: (any QueueStore)?
    var queue: PlaybackQueue
    var plan = PlaybackPlan()
    var settings: PlayerSettings
    var pendingSeek: PendingSeek?
    /// Where playing goes on in the current item when the stream begins anew.
    var resumeTime: CMTime?
    /// Whether the current item was heard to its end and stays current.
    var isAtItemEnd = false
    var machine = PlayerStateMachine()
    private(set) var lifecycle: ApplicationLifecycle
    /// Where the host's state was seen, and since when it is so.
    private(set) var hostSource: String
    private(set) var hostSince = HostTime.now()
    var policy: SessionPolicy
    private(set) var lastDecision: PolicyDecision?
    /// Since when each rule forbids sound.
    private(set) var suppressedSince: [PolicyReason: Int64] = [:]
    /// The declared background modes, and where they are declared.
    private(set) var capabilities: Capabilities
    var capabilitySource: String
    /// Where the sound of the next stream goes.
    var output: OutputDestination
    var pipeline: PlaybackPipeline?
    var pipelineNumber = 0
    /// Whether the output and clock threads run.
    var hasOutput = false
    /// Whether the output was told to hold, and silence was not reported since.
    var isHolding = false
    /// The item that is heard; nil before the stream's first one is.
    var heard: ItemID?
    var descriptions: [ItemID: MediaDescription] = [:]
    /// Whether something of the queue was given to a stream since the last run was over.
    var isRunning = false
    /// How many runs have begun.
    var run = 0
    /// Called once nothing sounds any more.
    private var silenceWaiters: [@Sendable () -> Void] = []
    /// Called once it is known what is played.
    private var settledWaiters: [@Sendable () -> Void] = []
    /// Durable edits are made one after the other.
    let edits = Turnstile()
    /// Whether sound was wanted when the process began to end: that is what is kept.
    var intentAtStop: Bool?
    /// Whether the store is about to have another queue than the one that is here: what is kept of
    /// this one would take its place.
    var isCommitting = false
    let keeper: RecordKeeper
    /// The connection to the sound server of the output, and how many were before it: what those
    /// report does not count.
    var soundServer: SoundServer?
    var serverNumber = 0
    var watch = SoundServerWatch()
    /// What the sound server is like; nil: it does not answer, or nobody has listened yet.
    var serverState: SoundServerState?
    /// Whether the last report was that the device lets nothing be heard.
    var hasReportedDeviceSilent = false
    /// Why there is no server.
    var serverTrouble: String?
    /// Whether the listener has ever been connected.
    var hasConnected = false
    var serverWaiters: [CheckedContinuation<Void, Never>] = []
    /// When a lost output is tried again.
    let retries: Retries
    /// Whether the output of this stream has worked.
    var hasPlayed = false
    /// Why the output was lost last; nil: it was not.
    var lastLoss: OutputError?
    /// The device that playing waits for; nil: for none.
    var awaitedDevice: String?
    /// Whether the wanted device was there when it was looked for last.
    var isDeviceThere = true
    /// What interrupts, in the order in which it began.
    var interruptions: [InterruptionSource] = []
    var ducking = Ducking()
    /// Makes others softer, when this session is to.
    lazy var othersDucking = OthersDucking(queue: executor.queue) { [weak self] volumes in
        self?.assumeIsolated { $0.soundServer?.setVolumes(volumes) }
    }
    /// What other sessions are told of this one.
    var announcement: SessionAnnouncement
    /// What is told of in events, apart from what the configuration asks for.
    var timeEvents: [WatchID: TimeWatch] = [:]
    var playedCount = 0
    var failedCount = 0
    var failure: OutputError?
    var isStopping = false
    var end: SessionEnd?
    private var waiters: [CheckedContinuation<SessionEnd, Never>] = []

    init(_ configuration: SessionConfiguration, hub: EventHub) {
        self.configuration = configuration
        self.hub = hub
        store = configuration.store
        queue = PlaybackQueue(shelf: configuration.store ?? MemoryShelf())
        keeper = RecordKeeper(queue: executor.queue)
        retries = Retries(queue: executor.queue)
        announcement = SessionAnnouncement(
            identifier: "\(getpid())-\(HostTime.now())", name: configuration.name)
        settings = configuration.record?.settings ?? configuration.settings
        observers = TimeObservers()
        reporter = HeardReporter(hub: hub, observers: observers)
        indexer = MediaIndexer(folder: configuration.indexFolder)
        let observers = observers
        filePositions = configuration.fileMemory.map { FilePositionKeeper($0, observers) }
        if let filePositions { hub.subscribe { filePositions.take($0) } }
        lifecycle = ApplicationLifecycle(state: configuration.applicationState)
        hostSource = configuration.applicationStateSource
        capabilities = configuration.capabilities
        capabilitySource = configuration.capabilitySource
        output = configuration.output
        soundServer = configuration.soundServer
        policy = SessionPolicy(
            category: configuration.category,
            hasAudioCapability: configuration.capabilities.backgroundModes.contains(.audio),
            applicationState: configuration.applicationState)
        plan.settings = settings.passageSettings
        if let record = configuration.record {
            queue.restore(record.order)
            resumeTime = record.order.current == nil ? nil : record.position
        }
        plan.memory = settings.resumesItems ? configuration.fileMemory : nil
        var generator = SeededGenerator(seed: .random(in: 0...UInt64.max))
        queue.set(settings.modes, using: &generator)
        reporter.update(queue)
    }

    /// Takes the reports in until the end.
    func run() async {
        catchUp()
        for await _ in inbox.signals { catchUp() }
    }

    /// Takes in what has been reported, which every command does first.
    func catchUp() {
        // What follows from a report may be a command; the reports stay in their order.
        guard !isCatchingUp else { return }
        isCatchingUp = true
        defer { isCatchingUp = false }
        begin()
        for (number, fact) in inbox.take() {
            if case .server(let event) = fact {
                if number == serverNumber { take(event) }
            } else if number == pipelineNumber {
                take(fact)
            }
        }
    }

    /// Tells the session's beginning, before anything else is told.
    func begin() {
        guard lastDecision == nil else { return }
        let state = lifecycle.state
        publish(.session(configuration.description)) { $0.applicationState = state }
        publish(.application([], source: hostSource))
        applyMixing()
        decide()
    }

    // MARK: The session

    func play() {
        catchUp()
        startPlaying()
    }

    /// Wants sound, and leaves what was reported meanwhile for later: a stream that was begun just now may
    /// have failed already, and its end comes after the beginning.
    func startPlaying() {
        overrideInterruptions()
        stopWaitingForDevice()
        endFadeOut()
        skipBack()
        if plan.isEmpty {
            if queue.currentID != nil, pipeline == nil, isAllowed { prepareOutput() }
            startStream()
        }
        perform(machine.play())
    }

    func pause() {
        catchUp()
        perform(machine.pause())
    }

    func togglePause() { machine.wantsPlayback ? pause() : play() }

    func report(_ failure: SessionFailure) {
        catchUp()
        publish(.error(failure))
    }

    /// Calls `handler` as soon as nothing sounds.
    func whenSilent(_ handler: @escaping @Sendable () -> Void) {
        catchUp()
        silenceWaiters.append(handler)
        if pipeline == nil || !(isHolding || status == .playing) { tellSilence() }
    }

    func tellSilence() {
        for waiter in silenceWaiters { waiter() }
        silenceWaiters = []
    }

    /// Calls `handler` as soon as it is known that what is to be heard can be played, or that there
    /// is nothing to play.
    func whenSettled(_ handler: @escaping @Sendable () -> Void) {
        catchUp()
        settledWaiters.append(handler)
        tellSettled()
    }

    func tellSettled() {
        guard end != nil || pipeline == nil || plan.isSettled else { return }
        for waiter in settledWaiters { waiter() }
        settledWaiters = []
    }

    func enter(_ state: ApplicationState, source: String) {
        catchUp()
        guard end == nil, state != lifecycle.state else { return }
        let events = lifecycle.enter(state)
        hostSource = source
        hostSince = HostTime.now()
        publish(.application(events, source: source)) { $0.applicationState = state }
        policy.applicationState = state
        decide()
    }

    /// Whether job control is about to stop this process.
    func setHostStopped(_ isStopped: Bool) {
        catchUp()
        policy.isHostStopped = isStopped
        decide()
    }

    var isAllowed: Bool { policy.suppressions.isEmpty }
    var wantsPlayback: Bool { machine.wantsPlayback }
    var status: TimeControlStatus { machine.timeControlStatus }

    func setCategory(_ category: SessionCategory) {
        catchUp()
        policy.category = category
        decide()
    }

    /// Whether the `audio` mode is declared.
    func setAudioCapability(_ hasAudioCapability: Bool) {
        catchUp()
        policy.hasAudioCapability = hasAudioCapability
        decide()
    }

    /// Which modes are declared, and where.
    func setCapabilities(_ capabilities: Capabilities, source: String) {
        self.capabilities = capabilities
        capabilitySource = source
        setAudioCapability(capabilities.backgroundModes.contains(.audio))
    }

    /// Whether another sound has interrupted the session.
    func setInterrupted(_ isInterrupted: Bool) {
        catchUp()
        policy.isInterrupted = isInterrupted
        decide()
    }

    func stop() async {
        catchUp()
        guard end == nil, !isStopping else { return }
        isStopping = true
        keep()
        reporter.willHold(with: .paused(.userPaused))
        closePipeline(within: Self.stopDeadline)
        _ = await waitForEnd()
    }

    func waitForEnd() async -> SessionEnd {
        await withCheckedContinuation { waiter in
            // In here, since the end may come on the way.
            if let end { waiter.resume(returning: end) } else { waiters.append(waiter) }
        }
    }

    // MARK: Steps

    /// Finds the exact length of an item and the way through it, where these are not known yet.
    func measure(_ item: QueueItem, _ description: MediaDescription) {
        let isLong =
            description.duration.isNumeric
            && description.duration.seconds >= Self.indexedSeconds
        guard !description.isDurationExact || isLong, output.isRealTime else {
            return
        }
        let (inbox, number) = (inbox, pipelineNumber)
        indexer.make(for: item.source) { index in
            inbox.put((number, .measured(item.source, frames: index.frameCount)))
        }
    }

    func measured(_ source: MediaSource, _ frames: Int) {
        for (id, description) in descriptions where queue.item(id)?.source == source {
            let scale = Int32(description.format.sampleRate)
            let length = CMTime(value: Int64(frames), timescale: scale)
            var facts = ItemFacts(description)
            (facts.duration, facts.isDurationExact) = (length, true)
            learn(facts, of: id)
            reporter.measured(id, length: length)
        }
    }

    func applyVolume() {
        pipeline?.output.setLoudness(
            Loudness(volume: settings.volume, gain: ducking.gain, isMuted: settings.isMuted))
    }

    func completeSeek(_ isFinished: Bool) {
        pendingSeek.take()?.completion?(isFinished)
    }

    func decide() {
        let reasons = policy.suppressions
        let decision = PolicyDecision(
            reasons: reasons, hasAudioCapability: policy.hasAudioCapability,
            capabilitySource: capabilitySource)
        guard decision != lastDecision else { return }
        lastDecision = decision
        let now = HostTime.now()
        suppressedSince = reasons.reduce(into: [:]) { $0[$1] = suppressedSince[$1] ?? now }
        publish(.policy(decision))
        perform(machine.policyDecided(reasons.map { SuppressionReason(rawValue: $0.rawValue) }))
    }

    func perform(_ actions: [PlayerStateMachine.Action]) {
        for action in actions {
            switch action {
            case .runOutput:
                isHolding = false
                reporter.willRun()
                activate()
                pipeline?.output.run()
                if machine.isWithoutOutput { retryOutput() }
                startKeeping()
            case .holdOutput(let release, let status):
                isHolding = true
                keeper.stop()
                reporter.willHold(with: status)
                pipeline?.output.hold(release: release)
            case .publish(let status):
                // Until there is silence the status is that of what is heard.
                reporter.willHold(with: status)
                if !isHolding { publish(.state) { $0.status = status } }
            }
        }
        duckOthers()
    }

    func finish() {
        guard end == nil else { return }
        let reason: SessionEnd.Reason =
            if let failure { .outputFailed(failure.code) } else if isStopping { .stopped } else {
                .finished
            }
        let end = SessionEnd(
            reason: reason, playedCount: playedCount, failedCount: failedCount, run: run)
        self.end = end
        completeSeek(false)
        keep()
        keeper.stop()
        pipeline?.stop()
        retries.end()
        othersDucking.end()
        soundServer = nil
        tellSilence()
        tellSettled()
        publish(.end(end))
        inbox.close()
        for waiter in waiters { waiter.resume(returning: end) }
        waiters = []
    }

    func publishQueue() {
        let current = queue.currentID
        publish(queueEvent) { snapshot in
            if snapshot.item == nil { snapshot.item = current }
        }
    }

    var queueEvent: SessionEvent.Kind {
        .queue(queue.upcoming(SessionEvent.listedItems), count: queue.count)
    }

    func publish(
        _ kind: SessionEvent.Kind,
        change: @Sendable (inout SessionEvent.Snapshot) -> Void = { _ in }
    ) {
        hub.publish(kind, at: HostTime.now(), change: change)
    }
}
