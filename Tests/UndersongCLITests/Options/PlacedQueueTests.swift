import Testing
import UndersongControl
import UndersongPlayback

@testable import UndersongCLI

/// The queue by its places.
@Suite struct `Places in the queue` {
    private let queue = PlacedQueue(for: "move in the queue", place: { 1 }) { offset, limit in
        let items = [11, 12, 13, 14].map { ListedItem(id: $0, title: "\($0)", path: "/\($0)") }
        return QueueList(
            items: Array(items.dropFirst(offset).prefix(limit)), current: 12, offset: offset,
            count: 4)
    }

    @Test func `Places in the queue count from 1`() throws {
        #expect(try queue.id(at: 1) == 11)
        #expect(try queue.id(at: 4) == 14)
    }

    @Test(arguments: [0, 5, -1, .max, .min])
    func `Places in the queue that do not exist are an error`(place: Int) {
        let only = place > 4 ? "only " : ""
        #expect(
            throws: Failure(
                "cannot move in the queue: The queue has \(only)4 items; there is no item \(place)")
        ) { try queue.id(at: place) }
        #expect(throws: Failure.self) { try queue.move(from: 2, to: place) }
    }

    @Test(arguments: [(1, 3, 13), (4, 2, 11), (2, 4, 14), (3, 3, 12)])
    func `Places in the queue are the targets of moves`(from: Int, to: Int, after: Int) throws {
        let action = try queue.move(from: from, to: to)

        #expect(action == MoveInQueue(from + 10, after: after))
    }

    @Test func `Places in the queue have a first one, which follows no item`() throws {
        #expect(try queue.move(from: 3, to: 1) == MoveInQueue(13, after: nil))
    }

    @Test func `Places in the queue can be given as ranges, each item counting once`() throws {
        let ranges = ["2-3", "3", "1", "first-current"].compactMap { PlaceRange(argument: $0) }

        #expect(try queue.ids(at: ranges) == [12, 13, 11])
    }

    @Test(arguments: [("current", 12), ("+1", 13), ("-1", 11), ("last", 14), ("first", 11)])
    func `Places in the queue can be given by words, and count from the current item`(
        text: String, id: Int
    ) throws {
        #expect(try queue.id(at: #require(Place(argument: text))) == id)
    }

    @Test func `Places in the queue cannot end before they begin`() {
        #expect(
            throws: Failure("cannot move in the queue: Place 2 comes after place 1")
        ) { try queue.ids(at: [#require(PlaceRange(argument: "current-1"))]) }
    }

    @Test func `Places in the queue cannot count from the current item if there is none`() {
        let queue = PlacedQueue(for: "jump in the queue", place: { nil }) { _, _ in
            QueueList(items: [], current: nil)
        }

        #expect(
            throws: Failure("cannot jump in the queue: There is no current item to count from")
        ) { try queue.id(at: .distance(0)) }
    }

    @Test func `Places in the queue cannot be more than there are`() {
        #expect(throws: Failure.self) {
            try queue.ids(at: [#require(PlaceRange(argument: "1-9223372036854775807"))])
        }
    }
}
