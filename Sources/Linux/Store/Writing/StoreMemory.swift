import Synchronization
import UndersongPlayback

/// What the store's own thread shares with all others.
final class StoreMemory: Sendable {
    /// What that thread publishes.
    struct Findings {
        /// What the file contained when it was opened.
        var record: PlayerRecord?
        /// The order that the file should contain.
        var order = QueueOrder()
        var trouble: StoreTrouble?
    }

    let itemStore = StoredItems()
    let listening = Listening()
    let mailbox = Mailbox()
    let findings = Mutex(Findings())
}
