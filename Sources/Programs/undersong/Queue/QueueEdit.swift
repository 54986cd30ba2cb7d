import ArgumentParser
import Glibc
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

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
        PlacedQueue(
            for: purpose, place: { try service.call(GetStatus()).index },
            QueuePages(service).page)
    }

    /// Requests a change, and shows the queue around the current item.
    func change<Call: ControlCall>(_ call: Call) throws where Call.Reply == ChangedQueue {
        try change { _ in (call, nil) }
    }

    /// Requests the change that `call` makes from the current queue, and shows the queue around
    /// the place that `call` returns, from 1, or else around the current item.
    func change<Call: ControlCall>(
        _ call: (PlacedQueue) throws -> (Call, place: Int?)
    ) throws where Call.Reply == ChangedQueue {
        let service = try options.service(to: purpose)
        let (call, place) = try call(places(service))
        let reply = try service.call(call)
        try show(reply, reply.queue, around: place, of: service)
    }

    /// Shows the reply to a change: as JSON, or as the part of the queue around a place, after
    /// `heading` if there is one.
    private func show(
        _ reply: some Codable, _ queue: QueueList, _ heading: String? = nil, around place: Int?,
        of service: Service
    ) throws {
        let part =
            if options.json || queue.items.count == queue.count || place == nil {
                queue
            } else {
                try QueuePages(service).page(
                    offset: max(0, (place ?? 1) - 1 - QueueText.nearby),
                    limit: 2 * QueueText.nearby + 1)
            }
        options.show(reply) { _ in
            [heading, QueueText.list(part.near(place))].compactMap(\.self).joined(separator: "\n")
        }
    }

    /// Jumps to another item, and shows the queue around it.
    func jump(to target: Place) throws {
        let service = try options.service(to: purpose)
        let reply = try service.call(Jump(to: try places(service).id(at: target)))
        options.show(reply) { QueueText.list($0.queue.near(nil)) }
        if BackgroundSilence.isReason(of: reply.status) { complain(BackgroundSilence.message) }
    }

    /// Requests a change that adds those of `files` that exist, and reports how many items were
    /// added. Fails if anything named could not be added. `atEnd` is false if what is added last
    /// comes first in the queue.
    func add<Call: ControlCall>(
        _ files: Files, atEnd: Bool = true, _ call: (Service, Files) throws -> Call
    ) throws where Call.Reply == ExtendedQueue {
        var present = files
        present.paths = files.paths.filter { path in
            guard let reason = Self.reasonNotToFind(path) else { return true }
            complain("cannot find \(Columns.printable(path.description)): \(reason)")
            return false
        }
        guard !present.isEmpty else { throw ExitCode(1) }
        let service = try options.service(to: purpose)
        let pieces = atEnd ? present.pieces : present.pieces.reversed()
        let reply = try add(pieces, to: service, call)
        for problem in reply.problems { complain(problem) }
        guard let place = Self.place(in: reply) else {
            options.show(reply) { _ in "" }
            throw Failure("cannot \(purpose): None of the files can be played")
        }
        try show(
            reply, reply.queue, "added " + QueueText.count(reply.addedCount), around: place,
            of: service)
        let isComplete = present.paths.count == files.paths.count && reply.failedCount == nil
        if !isComplete { throw ExitCode(1) }
    }

    /// Requests a change for each of `pieces`. Returns the last reply, with what all of them have
    /// added.
    private func add<Call: ControlCall>(
        _ pieces: [Files], to service: Service, _ call: (Service, Files) throws -> Call
    ) throws -> ExtendedQueue where Call.Reply == ExtendedQueue {
        var replies: [ExtendedQueue] = []
        for piece in pieces {
            let descriptors = piece.descriptors
            replies.append(try service.call(try call(service, piece), descriptors: descriptors))
        }
        var sum = replies.removeLast()
        sum.added = Array((replies.flatMap(\.added) + sum.added).prefix(QueueList.limit))
        sum.addedCount += replies.reduce(0) { $0 + $1.addedCount }
        sum.problems = replies.flatMap(\.problems) + sum.problems
        let failedCount = (replies + [sum]).compactMap(\.failedCount).reduce(0, +)
        sum.failedCount = failedCount == 0 ? nil : failedCount
        return sum
    }

    /// The place of the first new item, from 1. It is at the end if it is not among the items
    /// around the current one; shuffled ones may be elsewhere. Nil if there are none.
    private static func place(in reply: ExtendedQueue) -> Int? {
        guard let first = reply.added.first else { return nil }
        let queue = reply.queue
        let index = queue.items.firstIndex { $0.id == first }
        return index.map { queue.offset + $0 + 1 } ?? queue.count - reply.addedCount + 1
    }

    /// The reason why a named file cannot be found; nil if it exists.
    private static func reasonNotToFind(_ path: FilePath) -> String? {
        guard path != .standardStream, !NetworkName.isOne(path), !path.exists else { return nil }
        return SystemError.last.reason
    }
}

/// A queue by its places, which count from 1. Requests what it needs.
struct PlacedQueue {
    /// Returns up to `limit` items from an offset.
    typealias Page = (_ offset: Int, _ limit: Int) throws -> QueueList

    private let purpose: String
    private let place: () throws -> Int?
    private let page: Page

    /// `place` returns the current item's place, from 0, or nil if there is none.
    init(for purpose: String, place: @escaping () throws -> Int?, _ page: @escaping Page) {
        self.purpose = purpose
        self.place = place
        self.page = page
    }

    /// The number of a place, from 1, which may be beyond the queue.
    ///
    /// - Throws: a failure if there is no current item to count from.
    func number(of target: Place) throws -> Int {
        switch target {
        case .number(let number): return number
        case .last: return try page(0, 0).count
        case .distance(let distance):
            guard let place = try place() else {
                throw Failure("cannot \(purpose): There is no current item to count from")
            }
            let (number, isTooFar) = (place + 1).addingReportingOverflow(distance)
            return isTooFar ? .max : number
        }
    }

    /// The id of the item at a place.
    func id(at target: Place) throws -> Int { try id(at: number(of: target)) }

    /// The id of the item at the place with this number.
    func id(at place: Int) throws -> Int { try ids(at: place...place)[0] }

    /// The ids of the items in `ranges`, each once.
    func ids(at ranges: [PlaceRange]) throws -> [Int] {
        var ids: [Int] = []
        var seen: Set<Int> = []
        for range in ranges {
            let (first, last) = (try number(of: range.first), try number(of: range.last))
            guard first <= last else {
                throw Failure("cannot \(purpose): Place \(first) comes after place \(last)")
            }
            for id in try self.ids(at: first...last) where seen.insert(id).inserted {
                ids.append(id)
            }
        }
        return ids
    }

    /// The change that moves the item at `origin` to the place `target`.
    func move(from origin: Int, to target: Int) throws -> MoveInQueue {
        let id = try id(at: origin)
        guard target > 1 else {
            return MoveInQueue(id, after: target == 1 ? nil : try self.id(at: target))
        }
        // After the item that precedes that place once this one has left its own.
        return MoveInQueue(id, after: try self.id(at: target > origin ? target : target - 1))
    }

    /// The ids of the items in `places`, of which there may be very many.
    private func ids(at places: ClosedRange<Int>) throws -> [Int] {
        var ids: [Int] = []
        while ids.count < places.count {
            let next = places.lowerBound + ids.count
            guard next >= 1 else { throw none(at: next, of: try page(0, 0).count) }
            let list = try page(next - 1, min(places.count - ids.count, QueueList.limit))
            guard places.upperBound <= list.count, !list.items.isEmpty else {
                throw none(at: max(next, list.count + 1), of: list.count)
            }
            ids += list.items.map(\.id)
        }
        return ids
    }

    private func none(at place: Int, of count: Int) -> Failure {
        let has =
            count == 0
            ? "is empty" : "has " + (place > count ? "only " : "") + QueueText.count(count)
        return Failure("cannot \(purpose): The queue \(has); there is no item \(place)")
    }
}

/// A place in the queue: `3`, as `queue list` shows it, from 1; `+1` or `-1`, which count from the
/// current item; `current`, `next`, `previous`, `first`, or `last`.
enum Place: ExpressibleByArgument, Equatable {
    case number(Int)
    /// This many places after the current item, or before it.
    case distance(Int)
    case last

    private static let words: [String: Place] = [
        "current": .distance(0), "next": .distance(1), "previous": .distance(-1),
        "first": .number(1), "last": .last,
    ]

    /// Examples of places, for help texts.
    static let help = "such as 3, +1, -1, current, next, previous, first, last"

    init?(argument: String) {
        if let word = Self.words[argument] {
            self = word
            return
        }
        let sign = argument.first
        let isDistance = sign == "+" || sign == "-"
        let digits = isDistance ? argument.dropFirst() : argument[...]
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(digits) else {
            return nil
        }
        self = isDistance ? .distance(sign == "-" ? -number : number) : .number(number)
    }
}

/// Places in the queue: one, or all from one to another, such as `3-5` or `current-last`.
struct PlaceRange: ExpressibleByArgument, Equatable {
    let first: Place
    let last: Place

    init(_ first: Place, _ last: Place) {
        self.first = first
        self.last = last
    }

    init?(argument: String) {
        if let place = Place(argument: argument) {
            self.init(place, place)
        } else {
            // A minus sign at the start belongs to a distance.
            let dashes = argument.indices.dropFirst().filter { argument[$0] == "-" }
            let ends = dashes.lazy.compactMap { dash -> PlaceRange? in
                let last = argument[argument.index(after: dash)...]
                guard let first = Place(argument: String(argument[..<dash])),
                    let last = Place(argument: String(last))
                else { return nil }
                return PlaceRange(first, last)
            }.first
            guard let ends else { return nil }
            self = ends
        }
        guard case .number(let first) = first else { return }
        if first < 1 { return nil }
        if case .number(let last) = last, last < first { return nil }
    }
}
