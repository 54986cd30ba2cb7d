import Dispatch
import Synchronization
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongTransferClient
import UndersongTransfers

/// The connection to the program that transfers a session's files, which is started if it does not
/// run.
final class TransferConnection: Sendable {
    private struct State {
        var statuses: [Int: TransferStatus] = [:]
        /// The transfers that are followed.
        var followed: [Int]?
        /// The number of times that the program has gone away meanwhile.
        var losses = 0
        /// The reason why they are not followed any more.
        var ending: (any Error)?
    }

    /// The number of losses of the program after which this is given up.
    private static let patience = 5

    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)
    private let link: ControlLink

    /// Connects; `purpose` names the operation to the program.
    init(to purpose: String, session: String) throws {
        let location = TransferLocation(
            session: session, runtimeFolder: Environment.runtimeFolder,
            stateFolder: Environment.stateFolder, searchPath: Environment["PATH"])
        link = ControlLink(location, name: "undersong " + purpose, clock: SystemClock())
        _ = try link.connect(handlers)
    }

    /// Sends a call and waits for its answer.
    func call<Call: ControlCall>(_ call: Call) throws -> Call.Reply {
        try link.connect(handlers).client.call(call)
    }

    /// All transfers that are meant, page by page.
    func list(ids: [Int]? = nil, open: Bool? = nil) throws -> TransferList {
        var all = TransferList([])
        while true {
            let page = try call(
                ListTransfers(ids: ids, open: open, offset: all.transfers.count))
            all.transfers += page.transfers
            guard !page.transfers.isEmpty, all.transfers.count < page.count ?? 0 else { return all }
        }
    }

    /// Follows transfers until all are over, and returns how they are then. `show` is called with
    /// those that have changed. A program that is killed is started again.
    func follow(_ ids: [Int], _ show: ([TransferStatus]) -> Void) throws -> [TransferStatus] {
        state.withLock { $0.followed = ids }
        _ = try link.connect(handlers)
        link.perform { [weak self] connection throws(ControlError) in
            try self?.follow(on: connection)
        }
        var shown: [Int: TransferStatus] = [:]
        while true {
            let (statuses, ending) = state.withLock { ($0.statuses, $0.ending) }
            let all = ids.compactMap { statuses[$0] }
            show(all.filter { shown[$0.id] != $0 })
            shown = statuses
            if all.count == ids.count, all.allSatisfy(\.isOver) { return all }
            if let ending { throw ending }
            arrivals.wait()
        }
    }

    private var handlers: ControlLink.Handlers {
        ControlLink.Handlers(
            opened: { [weak self] connection throws(ControlError) in
                try self?.follow(on: connection)
            },
            notice: { [weak self] message, _ in self?.receive(message) },
            ended: { [weak self] error, wasOpen in self?.delay(after: error, wasOpen: wasOpen) })
    }

    private func follow(on connection: ControlLink.Connection) throws(ControlError) {
        guard let ids = state.withLock(\.followed) else { return }
        store(try connection.client.call(FollowTransfers(ids: ids)).transfers)
    }

    /// Connects again at once while transfers are followed.
    private func delay(after error: ControlError, wasOpen: Bool) -> Double? {
        defer { arrivals.signal() }
        return state.withLock { state in
            guard state.followed != nil else { return nil }
            state.losses += 1
            guard wasOpen, error.code == .unavailable else {
                state.ending = error
                return nil
            }
            guard state.losses < Self.patience else {
                state.ending = Failure(
                    "cannot download: undersong-transferd keeps ending",
                    status: Failure.unavailable)
                return nil
            }
            return 0
        }
    }

    private func receive(_ notice: ControlNoticeMessage) {
        guard let change = try? notice.decode(TransfersChanged.self) else { return }
        store(change.transfers)
    }

    private func store(_ statuses: [TransferStatus]) {
        state.withLock { state in
            for status in statuses { state.statuses[status.id] = status }
        }
        arrivals.signal()
    }
}

/// Asks the program that transfers a session's files, without starting it.
enum RunningDownloads {
    /// The reason why it cannot be asked.
    enum Trouble: Error {
        case notRunning
        /// It runs, and does not answer.
        case silent
    }

    /// Seconds to wait for the answer.
    private static let patience = 2.0

    /// The first downloads that are not over, and how many there are.
    static func list(
        session: String, runtimeFolder: String, stateFolder: String?, limit: Int
    ) -> Result<TransferList, Trouble> {
        let location = TransferLocation(
            session: session, runtimeFolder: runtimeFolder, stateFolder: stateFolder,
            searchPath: nil)
        guard let client = try? location.connectToRunning(name: "undersong why") else {
            return .failure(.notRunning)
        }
        defer { client.close() }
        let list = awaitAnswer(within: patience) {
            client.send(ListTransfers(open: true, limit: limit), $0)
        }
        return list.map { .success($0) } ?? .failure(.silent)
    }
}
