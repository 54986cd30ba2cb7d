import Dispatch
public import Foundation
import Synchronization
import UndersongAppHost
import UndersongAudioIO
package import UndersongBackground
import UndersongBase

/// The audio session of this process (behaviour 2.5, C2).
///
/// Each process has one, `sharedInstance()`. Any thread may use it; nothing blocks but the first
/// question about other applications' sound, which waits for the sound server's answer. Errors are
/// `NSError`s of the domain `NSOSStatusErrorDomain` with an `ErrorCode`. A call that throws changes
/// nothing, except for a deactivation that throws `isBusy`.
///
/// On Apple's systems a system server controls the session. Here its `host` does: the program, or
/// the listener to the sound server.
public final class AVAudioSession: NSObject, NSKeyValueObservation.Observable, Sendable {
    private static let shared = {
        let clock = SystemClock()
        let server = SoundServerHost(
            identifier: "\(ProcessInfo.processInfo.processIdentifier)-session",
            name: ProcessInfo.processInfo.processName, clock: clock
        ) { PulseServer(PulseServer.Configuration(server: $0, clock: clock)) }
        let session = AVAudioSession(center: .default, server: server, board: .shared)
        HostStateBroadcaster.shared.read { [host = session.host] notice in
            host.enter(notice.applicationState, hasAudioCapability: notice.hasAudioCapability)
        }
        return session
    }()

    /// The session of this process.
    public static func sharedInstance() -> AVAudioSession { shared }

    /// The observers of `outputVolume`.
    public let keyValueObservers = NSKeyValueObservation.Observers()

    let state = Mutex(SessionState())
    private let center: NotificationCenter
    private let server: SoundServerHost?
    private let destination: @Sendable () -> OutputDestination
    let board: HostStateBroadcaster?
    private let routeQueue = DispatchQueue(label: "undersong.audio-session.route")

    /// Makes a session that posts to `center` and gets no events of a sound server.
    package convenience init(center: NotificationCenter) { self.init(center: center, server: nil) }

    /// Makes a session that posts to `center` and gets its events from `soundServer`, for tests.
    package convenience init(center: NotificationCenter, soundServer: any SoundServer) {
        self.init(
            center: center,
            server: SoundServerHost(identifier: "session", name: "session", clock: SystemClock()) {
                _ in soundServer
            }, destination: .pulse(server: nil, device: nil))
    }

    init(
        center: NotificationCenter, server: SoundServerHost?, board: HostStateBroadcaster? = nil,
        destination: @escaping @autoclosure @Sendable () -> OutputDestination =
            AVPlayer.outputDestination
    ) {
        self.center = center
        self.server = server
        self.board = board
        self.destination = destination
    }

    /// The categories that can be set: all of Apple's, though recording is not supported.
    public var availableCategories: [Category] { SessionCategory.allCases.map { Category($0) } }

    /// The modes that can be set: all of Apple's.
    public var availableModes: [Mode] { SessionMode.allCases.map { Mode($0) } }

    /// The category; `soloAmbient` by default, which never plays in the background.
    public var category: Category { Category(setup.category) }

    /// The mode.
    public var mode: Mode { Mode(setup.mode) }

    /// The options that were set, and those that they or the mode imply.
    public var categoryOptions: CategoryOptions {
        CategoryOptions(rawValue: setup.options.rawValue)
    }

    /// The route sharing policy.
    public var routeSharingPolicy: RouteSharingPolicy {
        RouteSharingPolicy(rawValue: setup.policy.rawValue) ?? .default
    }

    /// Sets the category, without options. The mode is kept if the category allows it.
    public func setCategory(_ category: Category) throws {
        try setCategory(category, options: [])
    }

    /// Sets category and options. The mode is kept if the category allows it.
    public func setCategory(_ category: Category, options: CategoryOptions = []) throws {
        try change("set the category") { setup throws(SessionSetupProblem) in
            let known = try category.known()
            return try SessionSetup(
                category: known, mode: setup.mode(in: known),
                options: SessionCategoryOptions(options))
        }
    }

    /// Sets category, mode and options.
    public func setCategory(
        _ category: Category, mode: Mode, options: CategoryOptions = []
    ) throws {
        try setCategory(category, mode: mode, policy: .default, options: options)
    }

    /// Sets category, mode, policy and options.
    public func setCategory(
        _ category: Category, mode: Mode, policy: RouteSharingPolicy, options: CategoryOptions = []
    ) throws {
        try change("set the category") { _ throws(SessionSetupProblem) in
            guard let policy = SessionSharingPolicy(rawValue: policy.rawValue) else {
                throw SessionSetupProblem("no policy has the number \(policy.rawValue)")
            }
            return try SessionSetup(
                category: category.known(), mode: mode.known(), policy: policy,
                options: SessionCategoryOptions(options))
        }
    }

    /// Sets the mode. The options are kept, except those that only the old mode implied.
    public func setMode(_ mode: Mode) throws {
        try change("set the mode") { setup throws(SessionSetupProblem) in
            try SessionSetup(
                category: setup.category, mode: mode.known(), policy: setup.policy,
                options: setup.options.subtracting(setup.mode.impliedOptions))
        }
    }

    /// Activates or deactivates the session.
    ///
    /// Activating throws `mediaServicesFailed` without a sound server, `insufficientPriority`
    /// during a call, `cannotStartPlaying` in the background if sound is forbidden there, and
    /// `cannotInterruptOthers` in the background while another application plays. Deactivating
    /// during playback stops it and throws `isBusy`. The option only affects deactivation.
    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        if active {
            if let failure = activate() { throw failure.error("activate the audio session") }
        } else if !deactivate(notifyingOthers: options.contains(.notifyOthersOnDeactivation)) {
            throw SessionRefusal.isBusy.error("deactivate the audio session in good order")
        }
    }

    /// Reports the outcome of a change to the clients, on the calling thread, and to the
    /// application.
    func perform(_ outcome: SessionOutcome) {
        let clients = state.withLock { $0.liveClients }
        for change in outcome.changes {
            for client in clients { client.audioSession(self, didChange: change) }
            if case .outputVolume = change { keyValueObservers.changed(["outputVolume"]) }
        }
        for notice in outcome.notices { post(notice) }
    }

    /// Activates the session and returns nil, or the reason why it stays unchanged. The process's
    /// session listens to the sound server from then on, unless it does so already.
    func activate() -> SessionRefusal? {
        listen()
        let (failure, outcome) = state.withLock { state in
            if let failure = state.circumstances.failureOfActivation(
                state.setup, state.interruption)
            {
                return (failure as SessionRefusal?, SessionOutcome())
            }
            var outcome = SessionOutcome()
            if state.interruption.isActive {
                state.interruption.override()
                outcome.changes.append(.interruptionOverridden)
            }
            if !state.isActive { outcome.changes.append(.activated) }
            state.isActive = true
            return (nil, outcome)
        }
        perform(outcome)
        return failure
    }

    private func listen() { server?.begin(self, on: destination()) }

    /// The sound of other applications. Also known before the session is active, since applications ask
    /// when they are launched.
    var otherAudio: OtherAudio {
        listen()
        server?.awaitAnswer()
        return state.withLock { $0.circumstances.otherAudio }
    }

    /// Deactivates the session. Returns false if something was still playing.
    private func deactivate(notifyingOthers: Bool) -> Bool {
        let isBusy = isRunningIO
        let wasActive = state.withLock { state in
            defer { state.isActive = false }
            return state.isActive
        }
        if wasActive || isBusy {
            perform(SessionOutcome(changes: [.deactivated(notifyingOthers: notifyingOthers)]))
        }
        return !isBusy
    }

    /// True if a client is playing.
    var isRunningIO: Bool {
        state.withLock { $0.liveClients }.contains { $0.isRunningIO }
    }

    private func change(
        _ operation: String, _ next: (SessionSetup) throws(SessionSetupProblem) -> SessionSetup
    ) throws {
        let result = state.withLock { state -> Result<SessionOutcome, SessionSetupProblem> in
            let setup: SessionSetup
            do throws(SessionSetupProblem) {
                setup = try next(state.setup)
            } catch {
                return .failure(error)
            }
            defer { state.setup = setup }
            var outcome = SessionOutcome()
            if setup != state.setup { outcome.changes = [.setup(setup)] }
            if setup.category != state.setup.category {
                state.portOverride = .none
                outcome.notices = [.routeChanged(.categoryChange, previous: state.route)]
            }
            return .success(outcome)
        }
        switch result {
        case .success(let outcome): perform(outcome)
        case .failure(let problem):
            throw SessionRefusal.badParameter.error(operation, problem.reason)
        }
    }

    private func post(_ notice: SessionNotice) {
        let post: @Sendable () -> Void = { [self] in
            center.post(name: notice.name, object: self, userInfo: notice.userInfo)
        }
        notice.isForMainQueue ? MainQueue.async(post) : routeQueue.async(execute: post)
    }
}

extension SessionCategoryOptions {
    init(_ options: AVAudioSession.CategoryOptions) { self.init(rawValue: options.rawValue) }
}

extension SessionRefusal {
    /// An error in Apple's form.
    func error(_ operation: String, _ reason: String? = nil) -> NSError {
        NSError(
            domain: NSOSStatusErrorDomain, code: rawValue,
            userInfo: [NSLocalizedDescriptionKey: "cannot \(operation): \(reason ?? self.reason)"])
    }

    private var reason: String {
        switch self {
        case .badParameter: "no such value"
        case .mediaServicesFailed: "the sound server is gone"
        case .isBusy: "something is still playing"
        case .incompatibleCategory: "the category does not support it"
        case .cannotInterruptOthers: "another application plays, and this one is in the background"
        case .cannotStartPlaying: "the background forbids sound"
        case .insufficientPriority: "a sound of higher priority plays"
        }
    }
}
