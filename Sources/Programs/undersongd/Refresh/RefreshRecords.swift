import UndersongBackground
import UndersongStore

/// The records of background tasks in the store.
enum RefreshRecords {
    /// The records of an owner that an earlier service has kept; nil if there are none.
    static func memory(
        of owner: RefreshOwner, in store: StateStore
    ) async -> RefreshScheduler.Memory? {
        let kept = await store.records(
            RefreshScheduler.Change.self, in: namespace(of: owner))
        return kept.isEmpty ? nil : RefreshScheduler.Memory(kept.map(\.value))
    }

    /// Keeps changes together, durably. A store without a folder keeps nothing, which is no trouble.
    static func keep(
        _ changes: [RefreshScheduler.Change], of owner: RefreshOwner, in store: StateStore
    ) async -> Bool {
        let namespace = namespace(of: owner)
        do {
            let records = try changes.map { change -> RecordChange in
                change.isRemoval
                    ? .remove(namespace: namespace, key: change.key)
                    : try .keep(change, in: namespace, as: change.key)
            }
            try await store.keep(records, isDurable: true)
            return true
        } catch {
            return store.trouble?.code == .noFolder
        }
    }

    /// Forgets the records of an owner. If the disk does not accept that, they are in the way of nobody.
    static func removeAll(of owner: RefreshOwner, from store: StateStore) async {
        try? await store.keep([.removeAll(namespace: namespace(of: owner))], isDurable: true)
    }

    private static func namespace(of owner: RefreshOwner) -> String {
        switch owner {
        case .service: "refresh"
        case .app(let app): "refresh:" + app
        }
    }
}
