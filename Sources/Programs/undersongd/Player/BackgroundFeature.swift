import UndersongAudioSession
import UndersongBackground
import UndersongBase

/// A part of the service beside the player itself: remote notifications, background tasks, places.
///
/// A feature is a folder of the service and a line in `PlayerService.features`. The service creates
/// it when a client or the service itself first needs one, and calls it on its executor, features
/// in the order of the list. What clients ask of it stands in its folder as an extension of
/// `PlayerService`.
protocol BackgroundFeature: AnyObject, SendableMetatype {
    /// The methods of the wire that concern it.
    static var methods: [WireMethod] { get }

    /// Returns true for events that `handle` is to get. Called on any thread, not for events of time;
    /// must not block.
    static func wants(_ event: PlayerEvent) -> Bool

    init(_ service: PlayerService)

    /// Continues from what an earlier service has kept. Called once, after the first `hostChanged`.
    func begin(_ service: isolated PlayerService) async

    /// Follows the host's state and the declared modes.
    func hostChanged(_ service: isolated PlayerService) async

    /// Follows the login session and the machine. Timers may be late after the machine has slept.
    func loginChanged(_ service: isolated PlayerService) async

    /// Forgets a client that has disconnected.
    func clientLeft(_ client: ClientID, _ service: isolated PlayerService) async

    /// Rests until the user opens the service again, which is about to end. The host must not be
    /// woken meanwhile.
    func shutDown(_ service: isolated PlayerService) async

    /// Handles an event that it wants.
    func handle(_ event: PlayerEvent, _ service: isolated PlayerService) async

    /// True while the host must not be suspended because of it.
    var keepsAwake: Bool { get }

    /// True while it does something.
    var isBusy: Bool { get }

    /// True while the process must not exit because of it, although no client is connected.
    var isNeeded: Bool { get }

    /// Adds its part to a status.
    func add(to status: inout PlayerStatus, _ report: SessionReport)

    /// Adds what it knows about why there is sound or none.
    func add(to why: inout Why, _ service: isolated PlayerService) async

    /// The background tasks that it does itself, by identifier. Read once, before they are scheduled.
    var ownTasks: [String: RefreshHandler] { get }

    /// Puts on the disk what the next service is to find, because the service is about to end.
    func willEnd(_ service: isolated PlayerService) async

    /// Ends its threads, timers and sources, for good.
    func end()
}

extension BackgroundFeature {
    static var methods: [WireMethod] { [] }
    static func wants(_ event: PlayerEvent) -> Bool { false }
    func begin(_ service: isolated PlayerService) async {}
    func hostChanged(_ service: isolated PlayerService) async {}
    func loginChanged(_ service: isolated PlayerService) async {}
    func clientLeft(_ client: ClientID, _ service: isolated PlayerService) async {}
    func shutDown(_ service: isolated PlayerService) async {}
    func handle(_ event: PlayerEvent, _ service: isolated PlayerService) async {}
    var keepsAwake: Bool { false }
    var isBusy: Bool { keepsAwake }
    var isNeeded: Bool { isBusy }
    func add(to status: inout PlayerStatus, _ report: SessionReport) {}
    func add(to why: inout Why, _ service: isolated PlayerService) async {}
    var ownTasks: [String: RefreshHandler] { [:] }
    func willEnd(_ service: isolated PlayerService) async {}
    func end() {}
}

extension PlayerService {
    /// The features, in the order in which the service calls them.
    static let featureTypes: [any BackgroundFeature.Type] = [
        AppsFeature.self,
        SleepFeature.self,
        PushFeature.self,
        PlacesFeature.self,
        TasksFeature.self,
        RefreshFeature.self,
        ProcessingFeature.self,
        PodcastsFeature.self,
        TagsFeature.self,
        LibraryFeature.self,
        AlarmFeature.self,
        NotificationsFeature.self,
    ]

    /// The feature of a type in the list.
    func feature<Feature: BackgroundFeature>(_ type: Feature.Type) -> Feature {
        for case let feature as Feature in features { return feature }
        preconditionFailure("\(type) is not in the list of features")
    }

    /// Creates a shell for the machine of a feature, whose times are in seconds of CLOCK_BOOTTIME.
    /// `perform` performs the effects of one input; `whenDue` has the feature handle `timePassed`.
    nonisolated func shell<M: Machine, Feature: BackgroundFeature>(
        _ machine: M, of type: Feature.Type,
        whenDue: @escaping @Sendable (Feature, isolated PlayerService) -> Void,
        perform: @escaping @Sendable (Feature, [M.Effect], isolated PlayerService) async -> Void
    ) -> Shell<M> where M.Time == Double {
        let clock = configuration.clock
        return shell(
            machine, of: type, now: { clock.secondsSinceBoot },
            alarm: { HostAlarm(clock, leeway: 50_000_000, $0) }, whenDue: whenDue,
            perform: perform)
    }

    /// Creates a shell for the machine of a feature, as above, with the times of `now` and an alarm
    /// that rings by calling a closure.
    nonisolated func shell<M: Machine, Feature: BackgroundFeature>(
        _ machine: M, of type: Feature.Type, now: @escaping () -> M.Time,
        alarm: @escaping (@escaping @Sendable () -> Void) -> any Alarm,
        whenDue: @escaping @Sendable (Feature, isolated PlayerService) -> Void,
        perform: @escaping @Sendable (Feature, [M.Effect], isolated PlayerService) async -> Void
    ) -> Shell<M> {
        Shell(
            machine, in: self, on: executor, now: now,
            alarm: {
                alarm { [weak self] in self?.post { whenDue($0.feature(type), $0) } }
            },
            perform: { [unowned self] effects in
                await run { await perform($0.feature(type), effects, $0) }
            })
    }

    /// Runs `work` here.
    private func run(_ work: @Sendable (isolated PlayerService) async -> Void) async {
        await work(self)
    }
}
