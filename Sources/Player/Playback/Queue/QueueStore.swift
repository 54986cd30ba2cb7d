/// The saved state of a player, from which a later service resumes.
package struct PlayerRecord: Equatable, Sendable {
    /// The order of the items and the current one.
    package var order: QueueOrder
    /// The position in the current item.
    package var position: CMTime
    /// True if the user wants playback.
    package var wantsPlayback: Bool
    /// The settings, including the modes.
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

/// Saves a player's record and its items so that they survive the process. May be called on any
/// thread; writes become durable in the order of the calls.
package protocol QueueStore: AnyObject, ItemStore {
    /// As `add`, but writes the entries at once, so that a great many take no memory until they are
    /// committed. Blocks on the disk.
    func stage(_ entries: [QueueEntry]) -> [ItemID]
    /// Items that fulfil the condition, at most `limit` of them; they may have left the queue.
    func search(_ condition: ItemCondition, limit: Int) async -> [ItemID]
    /// Passes every item that the queue or an edit to be undone may name to `body`, in no particular
    /// order, on any thread, and returns after the last one. Items may have left the queue. Returns
    /// false if not all of them could be read.
    func forEachItem(_ body: @escaping @Sendable (QueueItem) -> Void) async -> Bool
    /// Keeps these items, for an undone edit that may be redone, although nothing else names them.
    /// They replace those that were held before.
    func hold(_ ids: [ItemID])
    /// Makes the record and the items that it names durable; an edit can be undone later. If it
    /// throws, what was durable before still is.
    func commit(_ record: PlayerRecord, as kind: QueueCommit) async throws(QueueError)
    /// Makes the record durable soon, and retries later if that fails; only the latest pending
    /// record is written. Does not block, and writes nothing if the record is already durable.
    func keep(_ record: PlayerRecord)
    /// Saves `position` for the current item, with the rest of the last record. Otherwise as
    /// `keep`, but a power cut may cost ten seconds of it when it is called every second.
    func keep(_ position: CMTime, of item: ItemID)
    /// Returns when everything pending is durable or has failed to become so.
    func flush() async
    /// The order before the last edit that was committed and not undone, without items consumed
    /// since; nil if there is none.
    func orderBeforeLastEdit() async throws(QueueError) -> (order: QueueOrder, position: CMTime)?
}

/// The purpose of a commit.
package enum QueueCommit: Equatable, Sendable {
    /// An edit, which can be undone; the text describes it: `clear the queue`. One with a `key` is
    /// made only once, however often it is committed: after that it throws `alreadyDone`, also in a
    /// later process.
    case edit(String, key: String? = nil)
    /// The undoing of the last edit.
    case undo

    /// The key of an edit.
    package var key: String? { if case .edit(_, let key) = self { key } else { nil } }
}
