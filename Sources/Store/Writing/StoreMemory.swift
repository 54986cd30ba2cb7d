import Playback
import Synchronization

/// What the store's own thread shares with all others.
struct StoreMemory: Sendable {
    let itemStore = StoredItems()
    let listening = Listening()
    let mailbox = Mailbox()
    let findings = StoreFindings()
}

/// What the store's own thread publishes to others.
final class StoreFindings: Sendable {
    private struct Contents {
        var record: PlayerRecord?
        var order = QueueOrder()
        var trouble: StoreTrouble?
    }

    private let contents = Mutex(Contents())

    /// What the file contained when it was opened.
    var record: PlayerRecord? {
        get { contents.withLock { $0.record } }
        set { contents.withLock { $0.record = newValue } }
    }

    /// The order that the file should contain.
    var order: QueueOrder {
        get { contents.withLock { $0.order } }
        set { contents.withLock { $0.order = newValue } }
    }

    var trouble: StoreTrouble? {
        get { contents.withLock { $0.trouble } }
        set { contents.withLock { $0.trouble = newValue } }
    }
}
