import Synchronization
import UndersongBackground
import UndersongBase
import UndersongPlayback
import UndersongStore

/// The store for the service's queue, with the notices of its problems.
final class ServiceStore: Sendable {
    let store: StateStore
    /// The store of positions in long files.
    let memory: any FileMemory
    private let notices: NoticeBox

    /// Opens the store in `folder`; with nil, nothing survives the process.
    convenience init(folder: String?, clock: any HostClock, memory: (any FileMemory)? = nil) {
        self.init(opening: folder, clock: clock, memory: memory)
        store.waitUntilOpen()
    }

    /// Starts opening the store, which may be used once its `waitUntilOpen` has returned.
    init(
        opening folder: String?, lock: StateLock? = nil, clock: any HostClock,
        memory: (any FileMemory)? = nil
    ) {
        let notices = NoticeBox()
        self.notices = notices
        store = StateStore(opening: folder, lock: lock, clock: clock) { notices.put($0) }
        self.memory = memory ?? store
    }

    /// Calls `handler` with all notices so far and all future ones, on any thread.
    func handle(_ handler: @escaping @Sendable (StoreNotice) -> Void) { notices.open(handler) }
}

/// Keeps notices until there is a handler.
private final class NoticeBox: Sendable {
    private enum State {
        case waiting([StoreNotice])
        case open(@Sendable (StoreNotice) -> Void)
    }

    private let state = Mutex(State.waiting([]))

    func put(_ notice: StoreNotice) {
        let handler = state.withLock { state -> (@Sendable (StoreNotice) -> Void)? in
            switch state {
            case .waiting(let notices):
                state = .waiting(notices + [notice])
                return nil
            case .open(let handler): return handler
            }
        }
        handler?(notice)
    }

    func open(_ handler: @escaping @Sendable (StoreNotice) -> Void) {
        let notices = state.withLock { state -> [StoreNotice] in
            defer { state = .open(handler) }
            guard case .waiting(let notices) = state else { return [] }
            return notices
        }
        notices.forEach(handler)
    }
}

extension StoreNotice {
    /// The code for an event.
    var code: ServiceProblem {
        switch self {
        case .troubleBegan: .stateNotKept
        case .troubleEnded: .stateKept
        case .setAside, .leftOut: .stateDamaged
        }
    }

    var message: String {
        switch self {
        case .troubleBegan(let trouble): trouble.description
        case .troubleEnded: "the queue is kept again"
        case .setAside(let path, let lost):
            "cannot read all of the queue: It is damaged, and lies at \(path) now; "
                + (lost.isEmpty ? "nothing was lost" : "lost: " + lost)
        case .leftOut(let records): "cannot read \(records): they are damaged"
        }
    }
}
