import AudioIO
import Background
import Playback

/// The one place where commands, the policy's decisions and the sound path's reports meet. It never
/// waits for a thread: commands go out, reports come in.
actor PlayerEngine {
    /// What the threads of the sound path report, in their order.
    enum Fact: Sendable {
        case decode(DecodeReport)
        case ready
        case heard(ClockEvent)
        case outputFailed(OutputError)
    }

    /// How many coming items are looked at when the first one is of low quality.
    private static let lookahead = 16
    /// How long the end waits for a sound path that does not answer.
    private static let stopDeadline = Duration.milliseconds(150)

    private let configuration: SessionConfiguration
    private let hub: EventHub
    private let reporter: HeardReporter
    private let facts: AsyncStream<Fact>
    private let factInput: AsyncStream<Fact>.Continuation

    private var queue = PlaybackQueue()
    private var machine = PlayerStateMachine()
    private var lifecycle: ApplicationLifecycle
    private var policy: SessionPolicy
    private var lastDecision: [PolicyReason]?
    private var pipeline: PlaybackPipeline?
    /// Whether the output and clock threads run.
    private var hasOutput = false
    /// The item that was given to the decode thread last.
    private var decoding: ItemID?
    private var opened: Set<ItemID> = []
    private var playedCount = 0
    private var failedCount = 0
    private var failure: OutputError?
    private var isStopping = false
    private var end: SessionEnd?
    private var waiters: [CheckedContinuation<SessionEnd, Never>] = []

    init(_ configuration: SessionConfiguration, hub: EventHub) {
        self.configuration = configuration
        self.hub = hub
        reporter = HeardReporter(hub: hub)
        lifecycle = ApplicationLifecycle(state: configuration.applicationState)
        policy = SessionPolicy(
            category: configuration.category,
            hasAudioCapability: configuration.capabilities.backgroundModes.contains(.audio),
            applicationState: configuration.applicationState)
        (facts, factInput) = AsyncStream.makeStream()
    }

    /// Takes the reports in until the end.
    func run() async {
        begin()
        for await fact in facts { take(fact) }
    }

    /// Tells the session's beginning, before anything else is told.
    private func begin() {
        guard lastDecision == nil else { return }
        let state = lifecycle.state
        publish(.session(configuration.description)) { $0.applicationState = state }
        publish(.application([], source: configuration.applicationStateSource))
        decide()
    }

    // MARK: Commands

    func append(_ sources: [MediaSource]) {
        begin()
        guard !sources.isEmpty else { return }
        queue.append(sources)
        reporter.enqueued(queue)
        let current = queue.current?.id
        publish(.queue(queue.items, count: queue.count)) { snapshot in
            if snapshot.item == nil { snapshot.item = current }
        }
        perform(machine.itemsAppended())
        if pipeline == nil { start() }
    }

    func play() {
        begin()
        perform(machine.play())
    }

    func pause() {
        begin()
        perform(machine.pause())
    }

    func report(_ error: MediaError) {
        begin()
        fail(SessionFailure(error, item: nil))
    }

    func enter(_ state: ApplicationState, source: String) {
        begin()
        guard end == nil, state != lifecycle.state else { return }
        let events = lifecycle.enter(state)
        publish(.application(events, source: source)) { $0.applicationState = state }
        policy.applicationState = state
        decide()
    }

    /// Whether job control is about to stop this process.
    func setHostStopped(_ isStopped: Bool) {
        begin()
        policy.isHostStopped = isStopped
        decide()
    }

    var isAllowed: Bool { policy.suppressions.isEmpty }

    func stop() async {
        begin()
        guard end == nil, !isStopping else { return }
        isStopping = true
        reporter.willHold(with: .paused(.userPaused))
        pipeline?.stop()
        guard hasOutput else { return finish() }
        let deadline = Task {
            try await Task.sleep(for: Self.stopDeadline)
            finish()
        }
        _ = await waitForEnd()
        deadline.cancel()
    }

    func waitForEnd() async -> SessionEnd {
        if let end { return end }
        return await withCheckedContinuation { waiters.append($0) }
    }

    // MARK: Reports

    private func take(_ fact: Fact) {
        guard end == nil else { return }
        switch fact {
        case .decode(let report): take(report)
        case .ready:
            hasOutput = true
            perform(machine.itemBecameReady())
        case .heard(let event): take(event)
        case .outputFailed(let error):
            failure = error
            fail(SessionFailure(error))
        }
    }

    private func take(_ report: DecodeReport) {
        switch report {
        case .opened(let item, _):
            opened.insert(item)
            feed()
        case .failed(let item, let error):
            failedCount += 1
            fail(SessionFailure(error, item: item))
        case .ended(let item):
            if opened.remove(item) == nil { feed() }
        }
    }

    private func take(_ event: ClockEvent) {
        switch event {
        case .observed(.began(let item)):
            playedCount += 1
            queue.advance(to: item)
        case .finished:
            queue.advance(to: nil)
            perform(machine.queueEnded())
        case .stopped:
            finish()
        case .running, .held, .observed:
            break
        }
    }

    // MARK: Steps

    private func start() {
        let input = factInput
        let reporter = reporter
        let upcoming = Array(queue.items.dropFirst().prefix(Self.lookahead).map(\.source))
        pipeline = PlaybackPipeline(
            destination: configuration.output, interval: configuration.interval,
            chooseFormat: { first in
                StreamFormat.forQueue(first: first) { upcoming.lazy.compactMap(mediaFormat) }
            },
            handlers: PlaybackPipeline.Handlers(
                decode: { report in
                    if case .opened(let item, let description) = report {
                        reporter.opened(item, description)
                    }
                    input.yield(.decode(report))
                },
                ready: { _ in input.yield(.ready) },
                outputFailed: { error in
                    reporter.willHold(with: .waiting(.noOutput))
                    input.yield(.outputFailed(error))
                },
                clock: { event, hostTime in
                    reporter.heard(event, at: hostTime)
                    if case .observed(.tick) = event { return }
                    input.yield(.heard(event))
                }))
        feed()
    }

    /// Gives the decode thread the next item, one ahead of what it is at.
    private func feed() {
        if let next = queue.item(after: decoding) {
            decoding = next.id
            pipeline?.decode.enqueue(next)
        } else {
            pipeline?.decode.finish()
            if !hasOutput && opened.isEmpty { finish() }
        }
    }

    private func decide() {
        let reasons = policy.suppressions
        guard reasons != lastDecision else { return }
        lastDecision = reasons
        publish(
            .policy(
                PolicyDecision(
                    reasons: reasons, hasAudioCapability: policy.hasAudioCapability,
                    capabilitySource: configuration.capabilitySource)))
        perform(machine.policyDecided(reasons.map { SuppressionReason(rawValue: $0.rawValue) }))
    }

    private func perform(_ actions: [PlayerStateMachine.Action]) {
        for action in actions {
            switch action {
            case .runOutput:
                pipeline?.output.run()
            case .holdOutput(let release, let status):
                reporter.willHold(with: status)
                pipeline?.output.hold(release: release)
            case .publish(let status):
                publish(.state) { $0.status = status }
            }
        }
    }

    private func fail(_ failure: SessionFailure) { publish(.error(failure)) }

    private func finish() {
        guard end == nil else { return }
        let reason: SessionEnd.Reason =
            if let failure { .outputFailed(failure.code) } else if isStopping { .stopped } else {
                .finished
            }
        let end = SessionEnd(
            reason: reason, playedCount: playedCount, failedCount: failedCount)
        self.end = end
        pipeline?.stop()
        publish(.end(end))
        factInput.finish()
        for waiter in waiters { waiter.resume(returning: end) }
        waiters = []
    }

    private func publish(
        _ kind: SessionEvent.Kind,
        change: @Sendable (inout SessionEvent.Snapshot) -> Void = { _ in }
    ) {
        hub.publish(kind, at: HostTime.now(), change: change)
    }
}

/// The format of a source that may be played later, or nil when it cannot be opened.
@Sendable
private func mediaFormat(_ source: MediaSource) -> StreamFormat? {
    guard case .file = source else { return nil }
    return try? Mpg123Decoder(source).format
}
