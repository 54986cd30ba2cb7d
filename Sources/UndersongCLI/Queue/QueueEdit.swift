import ArgumentParser
import CommandOptions
import Control
import Glibc
import Playback

/// Changes a queue by the places shown to people.
struct QueueEdit {
    private let purpose: String
    private let options: SessionOptions

    /// `purpose` names the operation in errors.
    init(_ purpose: String, _ options: SessionOptions) {
        self.purpose = purpose
        self.options = options
    }

    /// The queue by its places.
    func places(_ service: Service) -> PlacedQueue {
        PlacedQueue(for: purpose, QueuePages(service).page)
    }

    /// Requests the change that `action` makes from the current queue, and shows the new queue.
    func change(_ action: (PlacedQueue) throws -> Queue.Action) throws {
        let service = try Service(
            to: purpose, session: options.session, startsService: true)
        let reply = try service.call(Queue(try action(places(service))))
        options.show(reply) { QueueText.list($0.queue) }
    }

    /// Jumps to another item, and shows the queue.
    func jump(to target: JumpTarget) throws {
        let service = try Service(
            to: purpose, session: options.session, startsService: true)
        guard let place = try target.place({ try service.call(GetStatus()) }) else {
            throw Failure("cannot \(purpose): There is no current item to count from")
        }
        let reply = try service.call(Queue(.jump(try places(service).id(at: place))))
        options.show(reply) { QueueText.list($0.queue) }
        if let status = reply.status, BackgroundSilence.isReason(of: status) {
            complain(BackgroundSilence.message)
        }
    }

    /// Requests a change that adds those of `files` that exist, and reports how many items were
    /// added. Fails if anything named could not be added.
    func add(_ files: Files, _ action: (Service, Files) throws -> Queue.Action) throws {
        var present = files
        present.paths = files.paths.filter { path in
            guard let reason = Self.reasonNotToFind(path) else { return true }
            complain("cannot find \(Columns.printable(path.description)): \(reason)")
            return false
        }
        guard !present.paths.isEmpty else { throw ExitCode(1) }
        let service = try Service(
            to: purpose, session: options.session, startsService: true)
        let reply = try service.call(
            Queue(try action(service, present)), descriptors: present.descriptors)
        for problem in reply.problems { complain(problem) }
        options.show(reply) { "added " + QueueText.count($0.addedCount) }
        if reply.added.isEmpty {
            throw Failure("cannot \(purpose): None of the files can be played")
        }
        if present.paths.count < files.paths.count { throw ExitCode(1) }
    }

    /// Why a named file cannot be found; nil if it exists.
    private static func reasonNotToFind(_ path: FilePath) -> String? {
        guard path != .standardStream, !NetworkName.isOne(path),
            unsafe path.withPlatformString({ unsafe access($0, F_OK) }) != 0
        else { return nil }
        return unsafe String(cString: strerror(errno))
    }
}

/// A queue by its places, which count from 1. Requests what it needs.
struct PlacedQueue {
    /// Returns up to `limit` items from an offset.
    typealias Page = (_ offset: Int, _ limit: Int) throws -> QueueList

    private let purpose: String
    private let page: Page

    init(for purpose: String, _ page: @escaping Page) {
        self.purpose = purpose
        self.page = page
    }

    /// The id of the item at `place`.
    func id(at place: Int) throws -> Int {
        try ids(at: place...place)[0]
    }

    /// The ids of the items in `ranges`, each once.
    func ids(at ranges: [PlaceRange]) throws -> [Int] {
        var ids: [Int] = []
        var seen: Set<Int> = []
        for range in ranges {
            for id in try self.ids(at: range.places) where seen.insert(id).inserted {
                ids.append(id)
            }
        }
        return ids
    }

    /// The change that moves the item at `origin` to the place `target`.
    func move(from origin: Int, to target: Int) throws -> Queue.Action {
        let id = try id(at: origin)
        guard target > 1 else {
            return .move(id, after: target == 1 ? nil : try self.id(at: target))
        }
        // After the item that precedes that place once this one has left its own.
        return .move(id, after: try self.id(at: target > origin ? target : target - 1))
    }

    /// The ids of the items in `places`, of which there may be very many.
    private func ids(at places: ClosedRange<Int>) throws -> [Int] {
        var ids: [Int] = []
        while ids.count < places.count {
            let next = places.lowerBound + ids.count
            guard next >= 1 else { throw none(at: next, of: try page(0, 0).count) }
            let list = try page(next - 1, min(places.count - ids.count, Queue.limit))
            guard places.upperBound <= list.count, !list.items.isEmpty else {
                throw none(at: max(next, list.count + 1), of: list.count)
            }
            ids += list.items.map(\.id)
        }
        return ids
    }

    private func none(at place: Int, of count: Int) -> Failure {
        let has = QueueText.count(count)
        return Failure("cannot \(purpose): There is no place \(place), the queue has \(has)")
    }
}
