import Glibc
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// A session's service, as long as this program is connected to it.
final class Service: Sendable {
    private let client = Mutex<ControlClient?>(nil)

    /// Creates a service to connect to later, for those who are created before.
    init() {}

    /// Creates a service and connects to it.
    convenience init(
        to purpose: String, session: String, startsService: Bool = false,
        soundServer: String? = nil, _ receive: @escaping @Sendable (Notice) -> Void = { _ in }
    ) throws {
        self.init()
        try connect(
            to: purpose, session: session, startsService: startsService, soundServer: soundServer,
            receive)
    }

    /// Connects to the service of `session`. If none is running, `startsService` starts one;
    /// otherwise that is an error. The service that is started connects at once to `soundServer`,
    /// empty for the default one; then nothing is waited for before the first sound, not even the
    /// service's greeting. `purpose` names the operation in errors, and `verb`, for which it stands
    /// in, names this program to those who ask who is connected; `receive` is called with the
    /// service's notices, on a thread of its own. Returns whether this program has started the
    /// service.
    @discardableResult
    func connect(
        to purpose: String, as verb: String? = nil, session: String, startsService: Bool = false,
        soundServer: String? = nil, _ receive: @escaping @Sendable (Notice) -> Void = { _ in }
    ) throws -> Bool {
        let onNotice = { @Sendable (message: ControlNoticeMessage) in
            if let notice = Notice(message) { receive(notice) }
        }
        let onClose = { @Sendable (_: ControlError) in receive(.lost) }
        let name = "undersong " + (verb ?? purpose)
        var isStarted = false
        let client: ControlClient
        if startsService {
            client = try Self.start(session, soundServer, as: name, onNotice, onClose) {
                isStarted = true
            }
        } else {
            do throws(ControlError) {
                client = try Self.find(session, as: name, onNotice, onClose)
            } catch {
                let hint = session == "default" ? "" : " in the session \(session)"
                throw Failure(
                    "cannot \(purpose): No service is running\(hint); 'undersong play' starts one",
                    status: Failure.unavailable)
            }
        }
        self.client.withLock { $0 = client }
        return isStarted
    }

    /// Connects to the service at `location`, which runs, or is about to, and knows this program by
    /// `name`. `receive` is called with its notices, on a thread of its own.
    func connect(
        at location: ServiceLocation, as name: String,
        _ receive: @escaping @Sendable (Notice) -> Void
    ) throws(ControlError) {
        let client = try location.connectToRunning(
            name: name,
            onNotice: { message in if let notice = Notice(message) { receive(notice) } },
            onClose: { _ in receive(.lost) })
        self.client.withLock { $0 = client }
    }

    private var connected: ControlClient? { client.withLock { $0 } }

    /// This program's part in job control, which it reports to the service.
    var jobControl: JobControl { JobControl { [weak self] in self?.connected } }

    /// Sends a call and waits for its answer.
    func call<Call: ControlCall>(
        _ call: Call, descriptors: [Int32] = []
    ) throws(ControlError) -> Call.Reply {
        guard let connected else {
            throw ControlError(.unavailable, "cannot reach the service: There is no connection")
        }
        return try connected.call(call, descriptors: descriptors)
    }

    /// Sends `call`, or does nothing while there is no connection. The answer goes to `completion`,
    /// on a thread of its own.
    func send<Call: ControlCall>(
        _ call: Call,
        _ completion: @escaping @Sendable (Result<Call.Reply, ControlError>) -> Void = { _ in }
    ) {
        connected?.send(call, completion)
    }

    /// Sends all calls that `fill` adds, in one write. Errors go to `onFailure`, on a thread of its
    /// own.
    func sendTogether(
        onFailure: @escaping @Sendable (ControlError) -> Void, _ fill: (Calls) -> Void
    ) {
        guard let connected else { return }
        connected.together { fill(Calls(client: connected, onFailure: onFailure)) }
    }

    /// Calls to send together.
    struct Calls {
        fileprivate let client: ControlClient
        fileprivate let onFailure: @Sendable (ControlError) -> Void

        /// Adds a call whose answer is ignored unless it is an error.
        func add(_ call: some ControlCall, descriptors: [Int32] = []) {
            client.send(call, descriptors: descriptors) { [onFailure] result in
                if case .failure(let error) = result { onFailure(error) }
            }
        }
    }

    /// The process that has the session's queue, if the service only reads it; 0 if that is not
    /// known.
    var heldBy: Int32? { connected?.heldBy }

    /// Says on the standard error who has the queue, if the service only reads it.
    func noteHolder() { if let heldBy { complain(HolderText.note(heldBy)) } }

    /// Finds the service of `session` as the client `name`.
    static func find(
        _ session: String, as name: String,
        _ onNotice: @escaping @Sendable (ControlNoticeMessage) -> Void,
        _ onClose: @escaping @Sendable (ControlError) -> Void
    ) throws(ControlError) -> ControlClient {
        try Environment.service(of: session).connectToRunning(
            name: name, onNotice: onNotice, onClose: onClose)
    }

    /// Finds the service of `session` as the client `name`, or starts one that connects at once to
    /// `soundServer`.
    static func start(
        _ session: String, _ soundServer: String? = nil, as name: String,
        _ onNotice: @escaping @Sendable (ControlNoticeMessage) -> Void,
        _ onClose: @escaping @Sendable (ControlError) -> Void, _ onStart: () -> Void = {}
    ) throws(ControlError) -> ControlClient {
        try Environment.service(of: session).connect(
            name: name, soundServer: soundServer, onNotice: onNotice, onClose: onClose,
            onStart: onStart)
    }
}

extension Notice {
    private static let decoders: [String: @Sendable (ControlNoticeMessage) -> Notice?] = [
        EventNotice.method: decoder(EventNotice.self) { .event($0.data) },
        SessionEnd.method: decoder(SessionEnd.self, Notice.runEnded),
        AnalysisNotice.method: decoder(AnalysisNotice.self, Notice.analysis),
        TaskExpiring.method: decoder(TaskExpiring.self, Notice.taskExpiring),
        TaskTerminated.method: decoder(TaskTerminated.self, Notice.taskTerminated),
        RefreshLaunch.method: decoder(RefreshLaunch.self, Notice.refreshLaunch),
        RefreshExpiring.method: decoder(RefreshExpiring.self, Notice.refreshExpiring),
        RefreshEnded.method: decoder(RefreshEnded.self, Notice.refreshEnded),
        PushReceived.method: decoder(PushReceived.self, Notice.pushReceived),
        PushExpired.method: decoder(PushExpired.self, Notice.pushExpired),
        ReaderGone.method: { .outputLost((try? $0.decode(ReaderGone.self))?.reason) },
    ]

    private static func decoder<Message: ControlNotice>(
        _ type: Message.Type, _ make: @escaping @Sendable (Message) -> Notice
    ) -> @Sendable (ControlNoticeMessage) -> Notice? {
        { message in (try? message.decode(type)).map(make) }
    }

    /// Decodes a message; nil if it does not concern this client.
    init?(_ message: ControlNoticeMessage) {
        guard let notice = Self.decoders[message.method]?(message) else { return nil }
        self = notice
    }
}

/// A message of the service without a request.
enum Notice: Sendable {
    /// An event.
    case event(PlayerEvent)
    /// Nothing can be written to this program's standard output any more: because of an error, or,
    /// if that is nil, because the reader has gone.
    case outputLost(String?)
    case analysis(AnalysisNotice)
    case runEnded(SessionEnd)
    case taskExpiring(TaskExpiring)
    case taskTerminated(TaskTerminated)
    case refreshLaunch(RefreshLaunch)
    case refreshExpiring(RefreshExpiring)
    case refreshEnded(RefreshEnded)
    case pushReceived(PushReceived)
    case pushExpired(PushExpired)
    /// The connection to the service is lost; this is the last notice.
    case lost
}

/// Says that another service has the queue.
enum HolderText {
    /// The line beside what that service has saved, given its process, or 0.
    static func note(_ process: Int32) -> String {
        "\(name(process)) has the queue; this is what it has saved"
    }

    /// `another service (process 7373)`
    static func name(_ process: Int32) -> String {
        "another service" + (process == 0 ? "" : " (process \(process))")
    }
}

/// The program of the service, `undersongd`.
enum ServiceProgram {
    private static let name = ServiceLocation.programName

    /// Its path, if it is found beside this program or on the search path.
    static var found: String? {
        ServiceStarter.program(named: name, searchPath: Environment["PATH"])
    }

    /// The path to start.
    static var path: String { found ?? name }

    /// Replaces this process by the program with `arguments` from `ProcessArguments`; it keeps this
    /// program's name, which its help shows. Returns only if that fails, with the error.
    static func become(_ arguments: [String]) -> Failure {
        let path = path
        unsafe withCStrings((["undersong"] + arguments).map { ProcessArguments.bytes(of: $0) }) {
            _ = unsafe execv(path, $0)
        }
        return Failure(
            "cannot start \(path): \(SystemError.last.reason)", status: Failure.unavailable)
    }
}
