import UndersongBackground
import UndersongStore

/// The records of pushes in the store.
enum PushRecords {
    /// The registration.
    private static let registration = "push"
    /// The pushes that wait or are being handled.
    private static let waiting = "push.waiting"
    /// The pushes that are over, which arrivals do not rewrite.
    private static let known = "push.known"

    /// Returns the remains of an earlier service; `token` is for the first one.
    static func read(from store: StateStore, token: String) async -> PushMailbox.Record {
        let registrations = await store.records(PushRegistration.self, in: registration)
        let waiting = await store.records(Push.self, in: waiting)
        let known = await store.records(PushMailbox.Known.self, in: known)
        return PushMailbox.Record(
            registrations.first?.value ?? PushRegistration(token: token),
            waiting: waiting.map(\.value), known: known.map(\.value))
    }

    /// The change that writes a registration.
    static func change(_ value: PushRegistration) throws -> RecordChange {
        try .keep(value, in: registration, as: "registration")
    }

    /// The change that writes a push.
    static func change(_ push: Push) throws -> RecordChange {
        try .keep(push, in: waiting, as: RecordChange.key(push.number))
    }

    /// The changes after which a push is over, and another one is forgotten.
    static func changes(
        finishing push: PushMailbox.Known, forgetting other: PushMailbox.Known?
    ) throws -> [RecordChange] {
        let key = RecordChange.key(push.number)
        var changes = [
            RecordChange.remove(namespace: waiting, key: key),
            try .keep(push, in: known, as: key),
        ]
        if let other {
            changes.append(.remove(namespace: known, key: RecordChange.key(other.number)))
        }
        return changes
    }
}
