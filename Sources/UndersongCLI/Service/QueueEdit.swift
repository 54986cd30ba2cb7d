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
    func list(_ service: Service) throws -> PlacedQueue {
        PlacedQueue(try service.call(Queue(.list)).queue, for: purpose)
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
            let count = reply.added.count
            return count == 1 ? "added 1 item" : "added \(count) items"
        }
        if reply.added.isEmpty {
            throw Failure("cannot \(purpose): There is nothing to play in what was named")
        }
    }
}

/// A queue by its places, which count from 1.
struct PlacedQueue {
    private let items: [QueueEntry]
    private let purpose: String

    init(_ queue: QueueList, for purpose: String) {
        items = queue.items
        self.purpose = purpose
    }

    /// The id of the item at `place`.
    func id(at place: Int) throws -> Int {
        guard 1...items.count ~= place else { throw none(at: place) }
        return items[place - 1].id
    }

    /// The ids of the items in `ranges`, each once.
    func ids(at ranges: [PlaceRange]) throws -> [Int] {
        var ids: [Int] = []
        for range in ranges {
            for place in range.places {
                let id = try id(at: place)
                if !ids.contains(id) { ids.append(id) }
            }
        }
        return ids
    }

    /// The change by which the item at `origin` gets the place `target`.
    func move(from origin: Int, to target: Int) throws -> Queue.Action {
        let id = try id(at: origin)
        guard 1...items.count ~= target else { throw none(at: target) }
        let others = items.map(\.id).filter { $0 != id }
        return .move(id, after: target == 1 ? nil : others[target - 2])
    }

    private func none(at place: Int) -> Failure {
        let has = items.count == 1 ? "1 item" : "\(items.count) items"
        return Failure("cannot \(purpose): There is no place \(place), the queue has \(has)")
    }
}
