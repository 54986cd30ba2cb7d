import UndersongBase

extension RefreshScheduler {
    /// An input of the scheduler.
    package enum Input: MachineInput {
        /// What the last service has left.
        case restored(Memory)
        /// A request (G4). If it is refused, `refusal` says why.
        case submit(RefreshRequest)
        case cancel(String)
        case cancelAll
        case setInterval(FetchInterval)
        case conditions(RefreshConditions)
        /// The user has shut the host down.
        case shutDown
        /// A run at once, whatever stands against it: a test hook or the user's wish. Of a pending
        /// request, it is that request's run.
        case run(String, RefreshKind, RefreshCause)
        /// A task's time is over, by a test hook.
        case expire(Int)
        /// The handler of a task has completed it.
        case completed(Int, RefreshCompletion)
        /// The handler's program has gone.
        case handlerLost(String)
        /// The alarm has rung, or the clock was set.
        case timePassed
    }

    /// What is to be done.
    package enum Effect: Hashable, Sendable {
        /// Keep this before anything else is done.
        case keep(Change)
        /// Call the handler.
        case launch(RefreshTask)
        /// Warn the handler: it has `RefreshTask.grace` seconds (E4).
        case expire(RefreshTask)
        /// The task is over, whether its handler has completed it or not.
        case ended(RefreshTask, RefreshRun)
        /// A request was refused.
        case refused(RefreshRequest, RefreshError)
        /// A completion of a task that is over was ignored (F12).
        case ignored(Int)
        /// A request is pending, or the interval has changed.
        case scheduled(String, RefreshKind)
        /// So much is new since the host was opened.
        case badge(Int)
    }

    /// A change of what is kept.
    package enum Change: Codable, Hashable, Sendable {
        case request(RefreshRequest)
        case noRequest(String)
        case run(RefreshRun)
        case usage(UsagePattern)
        case interval(FetchInterval)
        case isShutDown(Bool)
        /// Whether the user has switched background refresh off.
        case isDenied(Bool)
        case badge(Int)
        /// The start of the machine to which seconds of CLOCK_BOOTTIME belong.
        case boot(String)

        /// The name of the record that keeps it, in place of the one before.
        package var key: String {
            switch self {
            case .request(let request): Self.key(ofRequest: request.identifier)
            case .noRequest(let identifier): Self.key(ofRequest: identifier)
            case .run(let run): Self.key(ofRun: run.number)
            case .usage: "usage"
            case .interval: "interval"
            case .isShutDown: "isShutDown"
            case .isDenied: "isDenied"
            case .badge: "badge"
            case .boot: "boot"
            }
        }

        /// The name of the record that is not kept any longer; nil if there is none.
        package var removedKey: String? {
            switch self {
            case .noRequest: key
            // Numbers have no gaps: with each new run, one becomes too old.
            case .run(let run) where run.number > runLimit:
                Self.key(ofRun: run.number - runLimit)
            case .request, .run, .usage, .interval, .isShutDown, .isDenied, .badge, .boot: nil
            }
        }

        private static func key(ofRequest identifier: String) -> String { "request " + identifier }
        private static func key(ofRun number: Int) -> String { "run \(number)" }
    }

    /// What the last service has left.
    package struct Memory: Codable, Sendable {
        package var interval = FetchInterval.never
        package var isShutDown = false
        /// Whether the user has switched background refresh off.
        package var isDenied = false
        package var badge = 0
        package var requests: [RefreshRequest] = []
        /// The last runs, in any order.
        package var runs: [RefreshRun] = []
        package var usage = UsagePattern()
        /// Names the start of the machine; empty if that is unknown.
        package var boot = ""

        package init() {}

        /// Collects what was kept.
        package init(_ changes: [Change]) {
            for change in changes {
                switch change {
                case .request(let request): requests.append(request)
                case .noRequest(let identifier):
                    requests.removeAll { $0.identifier == identifier }
                case .run(let run): runs.append(run)
                case .usage(let usage): self.usage = usage
                case .interval(let interval): self.interval = interval
                case .isShutDown(let isShutDown): self.isShutDown = isShutDown
                case .isDenied(let isDenied): self.isDenied = isDenied
                case .badge(let badge): self.badge = badge
                case .boot(let boot): self.boot = boot
                }
            }
            requests.sort { $0.submitted < $1.submitted }
        }
    }

    /// All that a scheduler needs that continues this one.
    package var memory: Memory {
        var memory = Memory()
        memory.interval = interval
        memory.isShutDown = isShutDown
        memory.isDenied = conditions.availability == .denied
        memory.badge = badge
        memory.requests = requests
        memory.runs = runs
        memory.usage = usage
        memory.boot = boot
        return memory
    }
}
