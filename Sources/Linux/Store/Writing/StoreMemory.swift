import Synchronization
import UndersongPlayback

/// The state that the store's own thread shares with all others.
final class StoreMemory: Sendable {
    /// The findings that the store's thread publishes.
    struct Findings {
        /// The contents of the file when it was opened.
        var record: PlayerRecord?
        /// The order that the file should contain.
        var order = QueueOrder()
        var trouble: StoreTrouble?
    }

    let itemStore = StoredItems()
    let listening = Listening()
    let mailbox = Mailbox<Job>()
    let findings = Mutex(Findings())
}
