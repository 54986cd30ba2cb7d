import UndersongControl
import UndersongPlayback

/// The queue of a service, page by page: it may be much longer than one answer.
struct QueuePages {
    /// How many items to request at once.
    static let length = 1000

    private let service: Service

    init(_ service: Service) { self.service = service }

    /// Up to `limit` items from `offset`.
    func page(offset: Int, limit: Int) throws -> QueueList {
        try service.call(ListQueue(offset: offset, limit: limit))
    }

    /// Passes the whole queue to `body`, at least one page.
    func forEach(_ body: (QueueList) throws -> Void) throws {
        var offset = 0
        while true {
            let page = try page(offset: offset, limit: Self.length)
            try body(page)
            offset += page.items.count
            guard !page.items.isEmpty, offset < page.count else { return }
        }
    }

    /// The whole queue at once.
    func all() throws -> QueueList {
        var items: [ListedItem] = []
        var current: Int?
        try forEach { page in
            items += page.items
            current = page.current
        }
        return QueueList(items: items, current: current)
    }
}
