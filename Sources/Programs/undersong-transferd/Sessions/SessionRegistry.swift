import Synchronization
import UndersongBase
import UndersongControl
import UndersongTransferIO
import UndersongTransfers

/// The background sessions of clients and their hosts: the programs that are started once all tasks
/// are done.
///
/// Its methods are called on the engine's thread.
final class SessionRegistry: Sendable {
    private struct Session {
        var record: SessionRecord
        /// The connection that gets its events.
        var host: ControlConnection?
        /// The cause to launch it for which it is looked at, as it runs.
        var lookOrder = 0
    }

    private let sessions = Mutex<[String: Session]>([:])
    private let bootID: String
    private let launch: @Sendable ([String]) -> Void
    private let later: Later

    /// Calls a function on the engine's thread after so many seconds.
    typealias Later =
        @Sendable (Double, @escaping @Sendable (TransferEngineState) -> Void) -> Void

    /// `launch` starts a program; `bootID` distinguishes the starts of the machine.
    init(
        bootID: String, launch: @escaping @Sendable ([String]) -> Void, later: @escaping Later
    ) {
        self.bootID = bootID
        self.launch = launch
        self.later = later
    }

    /// True if any session has a host.
    var hasHosts: Bool { sessions.withLock { $0.values.contains { $0.host != nil } } }

    /// Takes over what the last process has left.
    func restore(_ engine: TransferEngineState) {
        for record in engine.folder.loadSessions() {
            sessions.withLock { $0[record.identifier] = Session(record: record) }
            engine.handle(.session(.countOrders(after: record.launchOrder)))
        }
        for identifier in sessions.withLock({ $0.keys.sorted() }) {
            launchHost(of: identifier, engine)
        }
    }

    // MARK: Hosts

    /// Makes a connection the host.
    ///
    /// - Throws: `inUse`, and `internalError` if that cannot be kept.
    func open(
        _ identifier: String, launch: [String]?, _ connection: ControlConnection,
        _ engine: TransferEngineState
    ) throws(ControlError) {
        let known = sessions.withLock { $0[identifier] }
        if let host = known?.host, host != connection {
            throw ControlError(
                .inUse, "cannot open session \(identifier): Process \(host.process) has it open")
        }
        var record = known?.record ?? SessionRecord(identifier: identifier)
        record.launch = launch
        if record != known?.record { try keep(record, engine) }
        sessions.withLock { $0[identifier] = Session(record: record, host: connection) }
    }

    /// Ends a session that has no tasks any more.
    func close(_ identifier: String, _ engine: TransferEngineState) {
        let isEmpty = !engine.policy.tasks.values.contains {
            $0.session?.session == identifier
        }
        sessions.withLock { sessions in
            if isEmpty { sessions[identifier] = nil } else { sessions[identifier]?.host = nil }
        }
        if isEmpty {
            engine.folder.forget(session: identifier)
        } else {
            launchHost(of: identifier, engine)
        }
    }

    /// True if a connection is the session's host.
    func isHost(_ connection: ControlConnection, of identifier: String) -> Bool {
        sessions.withLock { $0[identifier]?.host == connection }
    }

    /// A connection has ended.
    func leave(_ connection: ControlConnection, _ engine: TransferEngineState) {
        let left = sessions.withLock { sessions in
            let names = sessions.filter { $0.value.host == connection }.map(\.key)
            for name in names { sessions[name]?.host = nil }
            return names
        }
        for identifier in left.sorted() { launchHost(of: identifier, engine) }
    }

    // MARK: Tasks

    /// The lowest number of a new task.
    func nextTask(of identifier: String, _ engine: TransferEngineState) -> Int {
        let last = sessions.withLock { $0[identifier]?.record.lastTask ?? 0 }
        let numbers = engine.policy.tasks.values.compactMap { task in
            task.session?.session == identifier ? task.session?.number : nil
        }
        return max(last, numbers.max() ?? 0) + 1
    }

    /// True if the session has had a task of this number, which is over.
    func hasHad(_ number: Int, in identifier: String) -> Bool {
        sessions.withLock { number <= $0[identifier]?.record.lastTask ?? 0 }
    }

    /// Keeps the number of a task that is about to be forgotten.
    ///
    /// - Throws: `internalError` if that fails.
    func retire(
        _ number: Int, of identifier: String, _ engine: TransferEngineState
    ) throws(ControlError) {
        guard var record = sessions.withLock({ $0[identifier]?.record }),
            number > record.lastTask
        else { return }
        record.lastTask = number
        try keep(record, engine)
        let kept = record
        sessions.withLock { $0[identifier]?.record = kept }
    }

    /// Keeps whether the host has an opinion about delayed requests. If this is lost, it is asked once
    /// more.
    func note(
        ignoresDelays: Bool, in identifier: String, _ engine: TransferEngineState
    ) {
        guard var record = sessions.withLock({ $0[identifier]?.record }),
            record.ignoresDelays != ignoresDelays
        else { return }
        record.ignoresDelays = ignoresDelays
        _ = engine.folder.keep(record)
        let kept = record
        sessions.withLock { $0[identifier]?.record = kept }
    }

    /// Reports changes of tasks to their hosts.
    func changed(_ ids: Set<Int>, in engine: TransferEngineState) {
        var statuses: [String: [SessionTaskStatus]] = [:]
        for task in ids.sorted().compactMap({ engine.policy.tasks[$0] }) {
            guard let session = task.session,
                let status = engine.status(of: task, hasRequest: false)
            else { continue }
            statuses[session.session, default: []].append(status)
        }
        for (identifier, tasks) in statuses {
            if let host = sessions.withLock({ $0[identifier]?.host }) {
                host.notify(SessionChanged(session: identifier, tasks: tasks))
            }
            beginUnaskable(identifier, engine)
            launchHost(of: identifier, engine)
        }
    }

    /// Sends delayed requests as they are if nobody can be asked about them.
    private func beginUnaskable(_ identifier: String, _ engine: TransferEngineState) {
        guard let session = sessions.withLock({ $0[identifier] }), session.host == nil,
            session.record.launch == nil || session.record.ignoresDelays
        else { return }
        for task in engine.policy.asking(in: identifier) {
            guard let question = task.session?.question, question.challenges.isEmpty else {
                continue
            }
            engine.handle(.session(.begin(task.id, question: question.number, nil)))
        }
    }

    /// Launches the host of a session that has none, or whose host is stopped, once for each cause: for
    /// what has ended, as soon as no task continues by itself (J14), and for a question at once.
    private func launchHost(
        of identifier: String, _ engine: TransferEngineState, looks: Int = 0
    ) {
        guard let session = sessions.withLock({ $0[identifier] }),
            let order = launchOrder(of: session.record, engine)
        else { return }
        if let host = session.host, !Self.isStopped(host) {
            // It may be stopped before it has seen any of this.
            guard looks < Self.looks.count, looks > 0 || order > session.lookOrder else { return }
            sessions.withLock { $0[identifier]?.lookOrder = order }
            return later(Self.looks[looks]) { [weak self] engine in
                self?.launchHost(of: identifier, engine, looks: looks + 1)
            }
        }
        guard let command = session.record.launch else { return }
        launch(command)
        var record = session.record
        record.launchOrder = order
        record.launchBoot = bootID
        // If this is lost the host is started once more, and finds nothing to do.
        _ = engine.folder.keep(record)
        let kept = record
        sessions.withLock { $0[identifier]?.record = kept }
    }

    /// Seconds between looks at a host that runs and has events.
    private static let looks = [0.5, 2, 8]

    /// True if job control or the service has stopped a host, so that it does not read.
    private static func isStopped(_ host: ControlConnection) -> Bool {
        ProcessCondition(of: host.process)?.activity == .stopped
    }

    /// The number of the last cause to launch a session's host, for which it was not launched yet.
    private func launchOrder(
        of record: SessionRecord, _ engine: TransferEngineState
    ) -> Int? {
        let identifier = record.identifier
        var orders = engine.policy.asking(in: identifier).compactMap { task in
            task.session?.question.flatMap { question in
                question.challenges.isEmpty && record.ignoresDelays ? nil : question.number
            }
        }
        if !engine.policy.isBusy(session: identifier),
            let order = engine.policy.ended(in: identifier).last?.session?.order
        {
            orders.append(order)
        }
        guard let order = orders.max(),
            order > record.launchOrder || bootID != record.launchBoot
        else { return nil }
        return order
    }

    private func keep(
        _ record: SessionRecord, _ engine: TransferEngineState
    ) throws(ControlError) {
        let code = engine.folder.keep(record)
        guard code != 0 else { return }
        throw ControlError(
            .internalError,
            "cannot keep session \(record.identifier): \(SystemError(code).reason)")
    }
}
