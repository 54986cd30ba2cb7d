import TestSupport
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongPlayback

/// A request about the queue, as the fake service has got it.
enum QueueRequest: Equatable {
    case list(offset: Int? = nil, limit: Int? = nil)
    case search(String, offset: Int? = nil, limit: Int? = nil)
    case add(Files)
    case insert(Files, after: Int?)
    case replace(Files)
    case move(Int, after: Int?)
    case remove([Int])
    case sort(by: QueueSortKey)
    case crop(String)
    case jump(Int)
    case clear, shuffle, dedupe, undo, redo

    /// Nil for a request that is not about the queue.
    init?(_ request: ControlRequest) throws {
        switch request.method {
        case ListQueue.method:
            let call = try request.decode(ListQueue.self)
            self = .list(offset: call.offset, limit: call.limit)
        case SearchQueue.method:
            let call = try request.decode(SearchQueue.self)
            self = .search(call.page.query, offset: call.page.offset, limit: call.page.limit)
        case AddToQueue.method: self = .add(try request.decode(AddToQueue.self).files)
        case InsertIntoQueue.method:
            let call = try request.decode(InsertIntoQueue.self)
            self = .insert(call.files, after: call.after)
        case ReplaceQueue.method: self = .replace(try request.decode(ReplaceQueue.self).files)
        case MoveInQueue.method:
            let call = try request.decode(MoveInQueue.self)
            self = .move(call.item, after: call.after)
        case RemoveFromQueue.method: self = .remove(try request.decode(RemoveFromQueue.self).items)
        case SortQueue.method: self = .sort(by: try request.decode(SortQueue.self).by)
        case CropQueue.method: self = .crop(try request.decode(CropQueue.self).query)
        case Jump.method: self = .jump(try request.decode(Jump.self).item)
        case ClearQueue.method: self = .clear
        case ShuffleQueue.method: self = .shuffle
        case DedupeQueue.method: self = .dedupe
        case UndoQueueChange.method: self = .undo
        case RedoQueueChange.method: self = .redo
        default: return nil
        }
    }

    /// The answer of a service whose queue is `queue`, and which always adds the same.
    func answer(
        from queue: QueueList, added: [Int] = [], problems: [String] = []
    ) -> ControlReply {
        switch self {
        case .list(let offset, let limit):
            let items = queue.items.dropFirst(offset ?? 0).prefix(limit ?? QueueList.limit)
            return ControlReply(
                QueueList(
                    items: Array(items), current: queue.current, offset: offset ?? 0,
                    count: queue.count))
        case .search:
            return ControlReply(FoundItems(found: [], count: queue.count, current: queue.current))
        case .add, .insert, .replace:
            return ControlReply(ExtendedQueue(queue: queue, added: added, problems: problems))
        case .jump: return ControlReply(Jump.Reply(queue: queue, status: .paused))
        case .move, .remove, .sort, .crop, .clear, .shuffle, .dedupe, .undo, .redo:
            return ControlReply(ChangedQueue(queue: queue))
        }
    }
}
