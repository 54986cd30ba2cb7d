import Control

/// Changes a queue by the places that people see.
struct QueueEdit {
    private let purpose: String
    private let options: SessionOptions

    /// `purpose` says what for where it fails.
    init(_ purpose: String, _ options: SessionOptions) {
        self.purpose = purpose
        self.options = options
    }

    /// The queue as it is.
    func list(_ service: Service) -> PlacedQueue {
        PlacedQueue(for: purpose) { offset, limit in
            try service.call(Queue(.list(offset: offset, limit: limit))).queue
        }
    }

    /// Asks for the change that `action` makes of the queue as it is, and tells the new queue.
    func change(_ action: (PlacedQueue) throws -> Queue.Action) throws {
        let service = try Service(to: purpose, session: options.session)
        let reply = try service.call(Queue(try action(list(service))))
        options.tell(reply) { QueueText.list($0.queue) }
    }

    /// Asks for a change that adds `files`, and tells how many items came of them.
    func add(_ files: Files, _ action: (Service) throws -> Queue.Action) throws {
        let service = try Service(to: purpose, session: options.session)
        let reply = try service.call(
            Queue(try action(service)), descriptors: files.descriptors)
        for problem in reply.problems { complain(problem) }
        options.tell(reply) { reply in
            let count = reply.addedCount
            return count == 1 ? "added 1 item" : "added \(count) items"
        }
        if reply.added.isEmpty {
            throw Failure("cannot \(purpose): There is nothing to play in what was named")
        }
    }
}

/// A queue by its places, which count from 1. It is asked for what is needed of it only: it may have
/// a million items.
struct PlacedQueue {
    private let page: (_ offset: Int, _ limit: Int) throws -> QueueList
    private let purpose: String

    /// `page` gives a part of the queue, by places that count from 0.
    init(for purpose: String, page: @escaping (_ offset: Int, _ limit: Int) throws -> QueueList) {
        self.page = page
        self.purpose = purpose
    }

    /// The id of the item at `place`.
    func id(at place: Int) throws -> Int {
        try ids(at: place...place)[0]
    }

    /// The ids of the items in `ranges`, each once.
    func ids(at ranges: [PlaceRange]) throws -> [Int] {
        var ids: [Int] = []
        var known: Set<Int> = []
        for range in ranges {
            ids += try self.ids(at: range.places).filter { known.insert($0).inserted }
        }
        return ids
    }

    /// The change by which the item at `origin` gets the place `target`.
    func move(from origin: Int, to target: Int) throws -> Queue.Action {
        let id = try id(at: origin)
        _ = try self.id(at: target)
        guard target > 1 else { return .move(id, after: nil) }
        // Behind the one that will stand before it.
        return .move(id, after: try self.id(at: target > origin ? target : target - 1))
    }

    private func ids(at places: ClosedRange<Int>) throws -> [Int] {
        var ids: [Int] = []
        var place = places.lowerBound
        while place <= places.upperBound {
            let limit = min(places.upperBound - place + 1, Queue.limit)
            let list = try page(max(place - 1, 0), limit)
            guard place >= 1, !list.items.isEmpty else { throw none(at: place, of: list.count) }
            ids += list.items.map(\.id)
            place += list.items.count
        }
        return ids
    }

    private func none(at place: Int, of count: Int) -> Failure {
        let has = count == 1 ? "1 item" : "\(count) items"
        return Failure("cannot \(purpose): There is no place \(place), the queue has \(has)")
    }
}
