import CUndersongCurl
import Dispatch
import Glibc
import UndersongBase
package import UndersongTransfers

/// The part of the engine that belongs to its thread.
package final class TransferEngineState: EngineState {
    package typealias Letter = @Sendable (TransferEngineState) -> Void

    /// Bytes, and seconds, after which what was received is brought to the disk.
    private static let syncBytes: Int64 = 4 << 20
    private static let syncSeconds = 5.0
    /// Seconds after which what a request needs to begin, and what it leaves, is over.
    private static let settleSeconds = 1.0
    /// The number of records that are kept of transfers that are over.
    private static let keptRecords = 200

    /// The most bytes per second of all together; nil for no limit.
    package private(set) var speedLimit: Int64?
    package let folder: TransferFolder
    private let settings: TransferEngine.Settings
    private let clock: any HostClock
    private let reports: TransferEngine.Reports
    private let post: @Sendable (@escaping Letter) -> Void
    private let multi: CURLMulti
    private lazy var shell = ThreadShell(
        TransferPolicy(seed: settings.seed), now: { [clock] in Self.now(clock) },
        perform: { [unowned self] effects in for effect in effects { perform(effect) } })
    private var transfers: [Int: HTTPTransfer] = [:]
    /// Requests that are over, of whose bodies the last bytes have yet to reach the disk.
    private var closing: [Int: (transfer: HTTPTransfer, result: CURLcode)] = [:]
    /// Waits for the disk, so that libcurl's thread does not.
    private let disk = DispatchQueue(label: "undersong.disk")
    /// The parts for which it waits, and which must not be closed meanwhile.
    private var syncing: [Int: (id: Int, part: PartFile)] = [:]
    private var syncCount = 0
    /// The policy's answer since its last input; nil when it has to be asked again.
    private var hasWork: Bool?
    /// The offsets at which accepted bodies are written.
    private var writes: [Int: Int64] = [:]
    /// Transfers whose last record could not be written, with the `errno`.
    private var failedRecords: [Int: Int32] = [:]
    /// Transfers whose part could not be opened, with the `errno`.
    private var refusedWrites: [Int: Int32] = [:]
    private var changed: Set<Int> = []
    private var idleSince: Double?
    /// The time at which `settled` is to be reported; nil if nothing has happened since the last one.
    private var settleDue: Double?
    /// True once the engine has ended.
    package private(set) var isIdle = false

    init(
        _ multi: CURLMulti, _ folder: TransferFolder, _ settings: TransferEngine.Settings,
        _ clock: any HostClock, _ reports: TransferEngine.Reports,
        post: @escaping @Sendable (@escaping Letter) -> Void
    ) {
        self.multi = multi
        self.folder = folder
        self.settings = settings
        self.clock = clock
        self.reports = reports
        self.post = post
        restore()
    }

    package var policy: TransferPolicy { shell.machine }

    /// The time as the policy counts it.
    package var now: Moment { Self.now(clock) }

    private static func now(_ clock: any HostClock) -> Moment {
        Moment(boot: clock.secondsSinceBoot, epoch: clock.secondsSinceEpoch)
    }

    /// Handles an input, and performs what follows from it.
    package func handle(_ input: TransferPolicy.Input) {
        guard !isIdle else { return }
        hasWork = nil
        shell.handle(input)
    }

    /// The bytes of a transfer that have been received.
    package func received(_ id: Int) -> Int64 {
        (transfers[id] ?? closing[id]?.transfer)?.part?.length ?? policy.tasks[id]?.part.offset ?? 0
    }

    /// The bytes of a transfer's body that have been sent.
    package func sent(_ id: Int) -> Int64 {
        transfers[id]?.body?.position ?? policy.tasks[id]?.session?.sent ?? 0
    }

    /// The bytes of a transfer's body, while it is sent.
    package func bodyLength(_ id: Int) -> Int64? { transfers[id]?.body?.length }

    /// The ids of the transfers that receive or send bytes.
    package var moving: Set<Int> {
        Set(transfers.values.filter { $0.part != nil || $0.body != nil }.map(\.id))
    }

    /// Limits the speed of all together, in bytes per second.
    /// Returns 0, or the `errno` if it cannot be kept for the next process.
    package func limit(_ speed: Int64?) -> Int32 {
        let code = folder.keep(speedLimit: speed)
        guard code == 0 else { return code }
        speedLimit = speed
        shareSpeed()
        return 0
    }

    /// Counts the time without work from now on.
    package func countIdleTimeAgain() { idleSince = nil }

    /// Reports `settled` in a while, as something has begun or ended.
    package func settleLater() {
        if settleDue == nil { settleDue = now.boot + Self.settleSeconds }
    }

    // MARK: The loop

    private func restore() {
        let (tasks, troubles) = folder.load()
        troubles.forEach(reports.trouble)
        folder.sweepKept(now: now.epoch)
        speedLimit = folder.speedLimit
        // Records have no name for the start of the machine: it is in a file beside them.
        handle(.restored(tasks, isSameBoot: folder.recordBoot(settings.bootID)))
        settleLater()
    }

    func receive(_ letter: Letter) { if !isIdle { letter(self) } }

    func advance() -> Due {
        guard !isIdle else { return .never }
        if shell.nextDue.seconds(by: clock) <= 0 { handle(.timePassed) }
        for transfer in transfers.values where transfer.stalls(at: now.boot) {
            finish(transfer, CURLE_OPERATION_TIMEDOUT)
        }
        for transfer in transfers.values { syncIfDue(transfer) }
        if let due = settleDue, due <= now.boot {
            settleDue = nil
            reports.settled()
        }
        report()
        var due = shell.nextDue
        due.limit(to: Due(boot: settleDue))
        due.limit(to: Due(boot: reportIfIdle()))
        for transfer in transfers.values {
            due.limit(to: Due(boot: transfer.stallDue))
            if transfer.part?.awaitsSync == true {
                due.limit(to: Due(boot: transfer.syncTime + Self.syncSeconds))
            }
        }
        return due
    }

    /// Reports the lack of work if that is due; returns the time if it is due later.
    private func reportIfIdle() -> Double? {
        let hasWork = hasWork ?? policy.hasWork
        self.hasWork = hasWork
        guard !hasWork, transfers.isEmpty else {
            idleSince = nil
            return nil
        }
        guard let idleSeconds = settings.idleSeconds else { return nil }
        let now = now.boot
        let since = idleSince ?? now
        idleSince = since
        if now < since + idleSeconds { return since + idleSeconds }
        idleSince = .infinity
        reports.idle()
        return nil
    }

    private func report() {
        guard !changed.isEmpty else { return }
        let ids = changed
        changed = []
        reports.changed(self, ids)
    }

    /// Stores what was received, and ends.
    func end() {
        for transfer in Array(transfers.values) + closing.values.map(\.transfer) {
            store(transfer)
        }
        isIdle = true
        for id in Array(transfers.keys) { drop(id) }
        // The last records are written by then.
        disk.sync {}
        folder.release()
    }

    // MARK: Effects

    private func perform(_ effect: TransferPolicy.Effect) {
        switch effect {
        case .keep(let task): keep(task)
        case .note(let task):
            let write = folder.note(task)
            disk.async { [report = reports.trouble] in
                let code = write()
                guard code != 0 else { return }
                report(Self.recordTrouble(task.id, code))
            }
        case .publish(let id): changed.insert(id)
        case .forget(let id): folder.forget(id)
        case .join(let id, let path, let placement):
            reports.join(path, placement) { [post] answer in
                post { $0.handle(.answered(id, answer)) }
            }
        case .write(let id, let offset): writes[id] = offset
        case .discard, .start, .stop, .verify, .place:
            multi.outsideCallbacks { [unowned self] in performOutside(effect) }
        }
    }

    private func performOutside(_ effect: TransferPolicy.Effect) {
        switch effect {
        case .start(let id, let attempt): start(id, attempt)
        case .stop(let id): stop(id)
        case .discard(let id): folder.discard(id)
        case .verify(let task): verify(task)
        case .place(let task, let file): place(task, file)
        case .keep, .note, .publish, .forget, .write, .join: break
        }
    }

    private func keep(_ task: TransferTask) {
        let code = folder.keep(task)
        guard code != 0 else { return }
        reports.trouble(Self.recordTrouble(task.id, code))
        // Bytes that no record counts are received again after a restart, so a record that
        // counts too few is safe; one that names another version is not, and `accept` looks at that.
        failedRecords[task.id] = code
    }

    private static func recordTrouble(_ id: Int, _ code: Int32) -> String {
        "cannot write the record of transfer \(id): \(SystemError(code).reason)"
    }

    private func start(_ id: Int, _ attempt: TransferAttempt) {
        let speed = speedLimit.map { $0 / Int64(transfers.count + 1) }
        let body = attempt.body.flatMap { BodyFile($0) }
        if let path = attempt.body, body == nil {
            let text = "The file \(path) cannot be read: \(SystemError.last.reason)"
            return handle(.ended(id, .failed(TransferFailure(.fileMissing, text))))
        }
        let transfer = HTTPTransfer(
            id: id, attempt, body, settings: settings, speed: speed, now: now.boot
        ) { [unowned self] in accept($0) }
        guard let transfer else {
            return handle(.ended(id, .lost("There is no memory for a request", 0)))
        }
        // Libcurl may bring many megabytes before it returns.
        transfer.onWrite = { [unowned self] in syncIfDue($0) }
        transfers[id] = transfer
        settleLater()
        shareSpeed()
        multi.add(transfer.easy) { [unowned self, unowned transfer] in finish(transfer, $0) }
    }

    /// The header of a response is complete, and its body comes next.
    private func accept(_ transfer: HTTPTransfer) -> PartFile? {
        failedRecords[transfer.id] = nil
        writes[transfer.id] = nil
        handle(.response(transfer.id, transfer.easy.head))
        guard let offset = writes.removeValue(forKey: transfer.id) else { return nil }
        if let code = failedRecords[transfer.id] {
            refusedWrites[transfer.id] = code
            return nil
        }
        guard let part = PartFile(folder.partPath(transfer.id), cutTo: offset) else {
            refusedWrites[transfer.id] = errno
            return nil
        }
        transfer.syncTime = now.boot
        return part
    }

    private func stop(_ id: Int) {
        guard let transfer = transfers[id] ?? closing.removeValue(forKey: id)?.transfer else {
            return
        }
        drop(id)
        store(transfer)
    }

    /// Waits for the disk, here and now: whatever follows counts on it.
    private func store(_ transfer: HTTPTransfer) {
        guard let part = transfer.part else { return }
        let length = part.length
        guard part.unsyncedLength == 0 || settings.sync(part.descriptor) == 0 else { return }
        part.didSync(length)
        handle(.stored(transfer.id, length))
    }

    private func drop(_ id: Int) {
        guard let transfer = transfers.removeValue(forKey: id) else { return }
        settleLater()
        multi.remove(transfer.easy)
        shareSpeed()
    }

    private func shareSpeed() {
        let speed = speedLimit.map { max(1, $0 / Int64(max(1, transfers.count))) } ?? 0
        for transfer in transfers.values { transfer.limit(speed) }
    }

    private func verify(_ task: TransferTask) {
        let delivery = delivery(of: task)
        startThread(named: "verify") { [post] in
            let result = delivery.prepare()
            post { $0.receive(result, of: task.id) }
        }
    }

    private func receive(_ result: TransferPolicy.Verification, of id: Int) {
        handle(.verified(id, result))
        guard case .prepared(let file) = result, file.path != folder.partPath(id) else { return }
        // A copy for a transfer that was cancelled meanwhile belongs to nobody.
        if case .placing(let wanted)? = policy.tasks[id]?.stage, wanted == file { return }
        unsafe unlink(file.path)
    }

    private func place(_ task: TransferTask, _ file: PreparedFile) {
        let delivery = delivery(of: task)
        startThread(named: "deliver") { [post] in
            let result = delivery.place(file)
            post { state in
                state.handle(.placed(task.id, result))
                guard case .success = result else {
                    if file.path != delivery.partPath { unsafe unlink(file.path) }
                    return
                }
                state.folder.discard(task.id)
                state.prune()
            }
        }
    }

    private func delivery(of task: TransferTask) -> FileDelivery {
        FileDelivery(task: task, partPath: folder.partPath(task.id), mode: settings.mode)
    }

    /// Forgets the oldest transfers that are over.
    private func prune() {
        let over = policy.tasks.values.filter { !$0.isOpen && $0.session == nil }
            .map(\.id).sorted()
        for id in over.dropLast(Self.keptRecords) { handle(.remove(id)) }
    }

    // MARK: Ends of requests

    private func syncIfDue(_ transfer: HTTPTransfer) {
        guard let part = transfer.part, part.awaitsSync else { return }
        let now = now.boot
        let isDue =
            part.unsyncedLength >= Self.syncBytes || now - transfer.syncTime >= Self.syncSeconds
        guard isDue else { return }
        transfer.syncTime = now
        sync(part, of: transfer.id)
    }

    /// Has another thread wait for the disk; `didSync` follows.
    private func sync(_ part: PartFile, of id: Int) {
        part.isSyncing = true
        syncCount += 1
        let (number, length, descriptor) = (syncCount, part.length, part.descriptor)
        syncing[number] = (id, part)
        disk.async { [post, sync = settings.sync] in
            let code = sync(descriptor)
            post { $0.didSync(number, length, code) }
        }
    }

    /// The first `length` bytes of a part have reached the disk, or have not. Only now may a record
    /// count them.
    private func didSync(_ number: Int, _ length: Int64, _ code: Int32) {
        guard let (id, part) = syncing.removeValue(forKey: number) else { return }
        part.isSyncing = false
        if code == 0 { part.didSync(length) }
        if let transfer = transfers[id], transfer.part === part {
            guard code == 0 else {
                drop(id)
                return handle(.ended(id, transfer.ending(storage: code)))
            }
            transfer.syncTime = now.boot
            handle(.stored(id, length))
            transfer.resumeIfPaused()
        } else if let (transfer, result) = closing[id], transfer.part === part {
            close(transfer, result, code)
        }
    }

    /// Ends a request that is over once its last bytes have reached the disk; `code` is the `errno`
    /// of the last attempt at that.
    private func close(_ transfer: HTTPTransfer, _ result: CURLcode, _ code: Int32) {
        let id = transfer.id
        if let part = transfer.part, part.unsyncedLength > 0, code == 0 {
            closing[id] = (transfer, result)
            if !part.isSyncing { sync(part, of: id) }
            return
        }
        closing[id] = nil
        handle(.ended(id, code == 0 ? transfer.ending(result) : transfer.ending(storage: code)))
    }

    private func finish(_ transfer: HTTPTransfer, _ result: CURLcode) {
        let id = transfer.id
        if result == CURLE_OK, !transfer.isDecided {
            // A response without a body.
            guard transfer.decide() else { return refuse(transfer) }
        } else if transfer.isDecided, transfer.part == nil {
            return refuse(transfer)
        }
        if let body = transfer.body { handle(.session(.sent(id, body.position))) }
        drop(id)
        close(transfer, result, 0)
    }

    /// A response was not accepted: the policy knows that, unless it is the disk's fault.
    private func refuse(_ transfer: HTTPTransfer) {
        let id = transfer.id
        // The policy may have replaced it by another request.
        guard transfers[id] === transfer else { return }
        drop(id)
        guard let code = refusedWrites.removeValue(forKey: id) else { return }
        let offset = policy.tasks[id]?.part.offset ?? 0
        handle(.ended(id, .storage(code, at: offset)))
    }
}
