import Synchronization
import UndersongBackground
import UndersongBase
import UndersongPlayback
import UndersongStore

/// The stores for the service's queue and its library, with the notices of their problems.
final class ServiceStore: Sendable {
    /// A problem of a store, or its end.
    struct Notice: Equatable, Sendable {
        var code: ServiceProblem
        var message: String
    }

    let store: StateStore
    let library: LibraryStore
    /// The store of positions in long files.
    let memory: any FileMemory
    private let notices: NoticeBox

    /// Opens the stores in `folder`; with nil, nothing survives the process.
    convenience init(folder: String?, clock: any HostClock, memory: (any FileMemory)? = nil) {
        self.init(opening: folder, clock: clock, memory: memory)
        store.waitUntilOpen()
    }

    /// Starts opening the stores. That of the queue may be used once its `waitUntilOpen` has
    /// returned.
    init(
        opening folder: String?, lock: StateLock? = nil, clock: any HostClock,
        memory: (any FileMemory)? = nil
    ) {
        let notices = NoticeBox()
        self.notices = notices
        store = StateStore(opening: folder, lock: lock, clock: clock) { notices.put(Notice($0)) }
        library = LibraryStore(folder: folder, clock: clock) { notices.put(Notice(ofLibrary: $0)) }
        self.memory = memory ?? store
    }

    /// Calls `handler` with all notices so far and all future ones, on any thread.
    func handle(_ handler: @escaping @Sendable (Notice) -> Void) { notices.open(handler) }

    /// Closes both, and makes durable what is not yet.
    func close() {
        library.close()
        store.close()
    }
}

/// Keeps notices until there is a handler.
private final class NoticeBox: Sendable {
    private enum State {
        case waiting([ServiceStore.Notice])
        case open(@Sendable (ServiceStore.Notice) -> Void)
    }

    private let state = Mutex(State.waiting([]))

    func put(_ notice: ServiceStore.Notice) {
        let handler = state.withLock { state -> (@Sendable (ServiceStore.Notice) -> Void)? in
            switch state {
            case .waiting(let notices):
                state = .waiting(notices + [notice])
                return nil
            case .open(let handler): return handler
            }
        }
        handler?(notice)
    }

    func open(_ handler: @escaping @Sendable (ServiceStore.Notice) -> Void) {
        let notices = state.withLock { state -> [ServiceStore.Notice] in
            defer { state = .open(handler) }
            guard case .waiting(let notices) = state else { return [] }
            return notices
        }
        notices.forEach(handler)
    }
}

extension ServiceStore.Notice {
    /// The notice of the queue's store.
    fileprivate init(_ notice: StoreNotice) {
        switch notice {
        case .troubleBegan(let trouble):
            self.init(code: .stateNotKept, message: trouble.description)
        case .troubleEnded: self.init(code: .stateKept, message: "the queue is kept again")
        case .setAside(let path, let lost):
            self.init(code: .stateDamaged, message: Self.damage("the queue", path, lost))
        case .leftOut(let records):
            self.init(code: .stateDamaged, message: "cannot read \(records): they are damaged")
        }
    }

    /// The notice of the library's store.
    fileprivate init(ofLibrary notice: StoreNotice) {
        switch notice {
        case .troubleBegan(let trouble):
            self.init(code: .libraryNotKept, message: "cannot keep the library: \(trouble.reason)")
        case .troubleEnded: self.init(code: .libraryKept, message: "the library is kept again")
        case .setAside(let path, let lost):
            self.init(code: .libraryDamaged, message: Self.damage("the library", path, lost))
        case .leftOut(let records):
            self.init(code: .libraryDamaged, message: "cannot read \(records): they are damaged")
        }
    }

    private static func damage(_ subject: String, _ path: String, _ lost: String) -> String {
        "cannot read all of \(subject): It is damaged, and was moved to \(path); "
            + (lost.isEmpty ? "nothing was lost" : "lost: " + lost)
    }
}
