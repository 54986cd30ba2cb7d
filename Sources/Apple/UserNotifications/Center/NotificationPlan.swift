import UndersongBase

/// The requests of an app that wait for their triggers, and its notifications that were delivered: decides
/// when a request is due. Its time is the date, in seconds since 1970.
struct NotificationPlan: Machine {
    /// The number of delivered notifications that are remembered.
    static let deliveredLimit = 100

    /// The part that survives the process.
    struct Memory: Codable, Hashable, Sendable {
        /// The requests that wait for their triggers, in the order in which they were made.
        var pending: [NotificationRecord] = []
        /// The notifications that are due, and have not been shown.
        var due: [NotificationRecord] = []
        /// The notifications that were shown, the newest ones last.
        var delivered: [NotificationRecord] = []
    }

    enum Input: MachineInput {
        /// An earlier process has left this.
        case restored(Memory)
        case add(NotificationRecord)
        /// Removes requests that are pending or due; nil for all.
        case removePending([String]?)
        /// Forgets notifications that were delivered; nil for all.
        case removeDelivered([String]?)
        /// Notifications can be shown again.
        case connected
        /// A notification was shown; nil if only its delivery is over.
        case delivered(NotificationRecord, isShown: Bool)
        /// A notification cannot be shown at present.
        case putOff(String)
        case timePassed
    }

    enum Effect: Hashable, Sendable {
        case keep(Memory)
        case deliver(NotificationRecord)
    }

    private(set) var memory = Memory()
    /// The identifiers of notifications that are being shown.
    private var underWay: Set<String> = []

    func nextDue(at now: Double) -> Due { Due(wall: memory.pending.map(\.date).min()) }

    mutating func handle(_ input: Input, at now: Double) -> [Effect] {
        let before = memory
        var effects: [Effect] = []
        switch input {
        case .restored(let earlier): restore(earlier)
        case .add(let record):
            remove([record.identifier], from: \.pending)
            remove([record.identifier], from: \.due)
            if record.trigger != nil { memory.pending.append(record) }
        case .removePending(let identifiers):
            remove(identifiers, from: \.pending)
            remove(identifiers, from: \.due)
        case .removeDelivered(let identifiers): remove(identifiers, from: \.delivered)
        case .connected: break
        case .delivered(let record, let isShown): finish(record, isShown: isShown)
        case .putOff(let identifier): underWay.remove(identifier)
        case .timePassed: break
        }
        collectDue(at: now)
        switch input {
        case .putOff: break
        case .restored, .add, .removePending, .removeDelivered, .connected, .delivered, .timePassed:
            for record in memory.due where underWay.insert(record.identifier).inserted {
                effects.append(.deliver(record))
            }
        }
        return memory == before ? effects : [.keep(memory)] + effects
    }

    /// Puts what an earlier process has left before what there is.
    private mutating func restore(_ earlier: Memory) {
        let known = Set((memory.pending + memory.due).map(\.identifier))
        memory.pending.insert(
            contentsOf: earlier.pending.filter { !known.contains($0.identifier) }, at: 0)
        memory.due.insert(contentsOf: earlier.due.filter { !known.contains($0.identifier) }, at: 0)
        memory.delivered.insert(contentsOf: earlier.delivered, at: 0)
    }

    /// Moves the requests that are due, each once however often it was missed.
    private mutating func collectDue(at now: Double) {
        for record in memory.pending.filter({ $0.date <= now }).sorted(by: { $0.date < $1.date }) {
            remove([record.identifier], from: \.due)
            memory.due.append(record)
            guard let index = memory.pending.firstIndex(of: record) else { continue }
            if let next = record.trigger?.repetition(of: record.date, after: now) {
                memory.pending[index].date = next
            } else {
                memory.pending.remove(at: index)
            }
        }
    }

    private mutating func finish(_ record: NotificationRecord, isShown: Bool) {
        underWay.remove(record.identifier)
        // Another one with its identifier may have become due meanwhile.
        memory.due.removeAll { $0 == record }
        guard isShown else { return }
        remove([record.identifier], from: \.delivered)
        memory.delivered = (memory.delivered + [record]).suffix(Self.deliveredLimit)
    }

    private mutating func remove(
        _ identifiers: [String]?, from list: WritableKeyPath<Memory, [NotificationRecord]>
    ) {
        memory[keyPath: list].removeAll { identifiers?.contains($0.identifier) ?? true }
    }
}
