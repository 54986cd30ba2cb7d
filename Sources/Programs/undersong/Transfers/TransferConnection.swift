import Dispatch
import Synchronization
import UndersongCommandOptions
import UndersongControl
import UndersongTransferClient

/// A connection to the program that transfers a session's files, which is started if it does not
/// run.
final class TransferConnection: Sendable {
    private struct State {
        var statuses: [Int: TransferStatus] = [:]
        var isLost = false
    }

    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)
    private let client = Mutex<ControlClient?>(nil)

    /// Connects; `purpose` names the operation to the program.
    init(to purpose: String, session: String) throws {
        let location = TransferLocation(
            session: session, runtimeFolder: Environment.runtimeFolder,
            stateFolder: Environment.stateFolder, searchPath: Environment["PATH"])
        let client = try location.connect(
            name: "undersong " + purpose,
            onNotice: { [weak self] in self?.take($0) }, onClose: { [weak self] _ in self?.lose() })
        self.client.withLock { $0 = client }
    }

    /// Sends a call and waits for its answer.
    func call<Call: ControlCall>(_ call: Call) throws -> Call.Reply {
        guard let client = client.withLock({ $0 }) else {
            throw Failure("cannot transfer: No service answers", status: Failure.unavailable)
        }
        return try client.call(call)
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
    /// those that have changed. Nil when the program has gone away.
    func follow(_ ids: [Int], _ show: ([TransferStatus]) -> Void) throws -> [TransferStatus]? {
        take(try call(FollowTransfers(ids: ids)).transfers)
        var shown: [Int: TransferStatus] = [:]
        while true {
            let (statuses, isLost) = state.withLock { ($0.statuses, $0.isLost) }
            let all = ids.compactMap { statuses[$0] }
            show(all.filter { shown[$0.id] != $0 })
            shown = statuses
            if all.count == ids.count, all.allSatisfy(\.isOver) { return all }
            if isLost { return nil }
            arrivals.wait()
        }
    }

    private func take(_ notice: ControlNoticeMessage) {
        guard let change = try? notice.decode(TransfersChanged.self) else { return }
        take(change.transfers)
    }

    private func take(_ statuses: [TransferStatus]) {
        state.withLock { state in
            for status in statuses { state.statuses[status.id] = status }
        }
        arrivals.signal()
    }

    private func lose() {
        state.withLock { $0.isLost = true }
        arrivals.signal()
    }
}
