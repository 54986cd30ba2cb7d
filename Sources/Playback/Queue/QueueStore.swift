/// What is kept of a player: what a service that comes after it needs to go on in its place.
package struct PlayerRecord: Equatable, Sendable {
    /// The items' order, and which of them is current.
    package var order: QueueOrder
    /// Where the current item is heard.
    package var position: CMTime
    /// Whether the user wants sound.
    package var wantsPlayback: Bool
    /// How it plays; the modes among them.
    package var settings: PlayerSettings

    package init(
        order: QueueOrder = QueueOrder(), position: CMTime = .zero, wantsPlayback: Bool = false,
        settings: PlayerSettings = PlayerSettings()
    ) {
        self.order = order
        self.position = position
        self.wantsPlayback = wantsPlayback
        self.settings = settings
    }
}

/// Keeps a player's record where it survives the process, and its items with it. Any thread may call
/// it; what it writes becomes durable in the order of the calls.
package protocol QueueStore: AnyObject, ItemShelf {
    /// As `add`, and writes them at once, so that very many take no memory until they are committed.
    /// It blocks on the disk.
    func stage(_ entries: [QueueEntry]) -> [ItemID]
    /// Items whose path or title contains all of `words`, in any case, `limit` of them at
    /// most; they may have left the queue.
    func search(_ words: [String], limit: Int) async -> [ItemID]
    /// Makes the record durable, and the items that it names; an edit can be taken back later. When
    /// it throws, what was durable before still is.
    func commit(_ record: PlayerRecord, as kind: QueueCommit) async throws(QueueError)
    /// Makes the record durable soon, and tries again later when that fails; of several that wait
    /// only the last is written. It neither blocks nor waits, and writes nothing when the record is
    /// the one that is durable already.
    func keep(_ record: PlayerRecord)
    /// The current item is heard at `position` now; the rest is as it was kept last. As `keep`, but
    /// that a loss of power may cost ten seconds of it where it is called every second.
    func keep(_ position: CMTime, of item: ItemID)
    /// Returns when everything that was to be kept is durable, or when that has failed.
    func flush() async
    /// What the queue was before the last edit that was committed and not taken back, without what
    /// it has consumed since; nil when there is none.
    func orderBeforeLastEdit() async throws(QueueError) -> (order: QueueOrder, position: CMTime)?
}

/// What a commit is for.
package enum QueueCommit: Equatable, Sendable {
    /// An edit, which can be taken back; it reads as what was done: `clear the queue`.
    case edit(String)
    /// The last edit is taken back.
    case undo
}
