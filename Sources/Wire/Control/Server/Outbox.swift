/// The data waiting to be sent on a connection, in order and within limits.
struct Outbox {
    /// The maximum number of bytes of events and notices waiting.
    static let room = 256 * 1024
    private static let tail = Array("}}\n".utf8)

    /// A waiting line. The body of an event is shared by all connections that send it.
    private struct Piece {
        struct Event {
            var subscription: Int
            var missed: Int
            var isDroppable: Bool
        }

        var head: [UInt8] = []
        var body: [UInt8] = []
        /// Nil for any other line, whose body is complete.
        var event: Event?
        /// Replies have separate room.
        var isReply = false

        var tail: [UInt8] { event == nil ? [] : Outbox.tail }
        var count: Int { head.count + body.count + tail.count }
    }

    /// The result of queuing something.
    enum Verdict: Equatable {
        case queued
        /// Dropped and counted.
        case dropped
        /// There is no room, and it must not be dropped.
        case full
    }

    private var pieces: [Piece] = []
    /// The index of the first piece not fully sent.
    private var first = 0
    /// The bytes of that piece already sent.
    private var sent = 0
    /// The number of events dropped after everything waiting, by subscription.
    private var missed: [Int: Int] = [:]
    /// The envelope created last; most connections need only one.
    private var envelope: (subscription: Int, head: [UInt8]) = (0, [])
    /// The bytes of all waiting lines, including those of the first that are already sent.
    private(set) var count = 0
    /// The bytes of replies among them.
    private var replyCount = 0

    var isEmpty: Bool { first == pieces.count }

    /// Adds a reply of any size: a connection has only one at a time.
    mutating func appendReply(_ line: [UInt8]) { append(Piece(body: line, isReply: true)) }

    /// Adds a notice.
    mutating func appendNotice(_ line: [UInt8]) -> Verdict {
        guard makeRoom(for: line.count) else { return .full }
        append(Piece(body: line))
        return .queued
    }

    /// Adds an event, a JSON object. If it is not droppable, it replaces events that are.
    mutating func append(_ event: [UInt8], subscription: Int, isDroppable: Bool) -> Verdict {
        let before = missed.isEmpty ? 0 : missed[subscription] ?? 0
        let piece = Piece(
            head: head(subscription: subscription, missed: before), body: event,
            event: Piece.Event(
                subscription: subscription, missed: before, isDroppable: isDroppable))
        if isDroppable, count - replyCount + piece.count > Self.room {
            missed[subscription] = before + 1
            return .dropped
        }
        guard isDroppable || makeRoom(for: piece.count) else { return .full }
        guard before == missed[subscription] ?? 0 else {
            // Room was made by dropping events before this one.
            return append(event, subscription: subscription, isDroppable: isDroppable)
        }
        if before > 0 { missed[subscription] = nil }
        append(piece)
        return .queued
    }

    /// Writes as much as fits to the start of `buffer` and returns how much; the data stays queued.
    func render(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var length = 0
        var skipped = sent
        for piece in pieces[first...] {
            for part in [piece.head, piece.body, piece.tail] {
                let rest = part.dropFirst(skipped)
                skipped -= part.count - rest.count
                let fits = rest.prefix(buffer.count - length)
                unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[length...])
                    .copyBytes(from: fits)
                length += fits.count
            }
            if length == buffer.count { break }
        }
        return length
    }

    /// Removes this many of the bytes written by `render` from the queue.
    mutating func remove(_ length: Int) {
        sent += length
        while first < pieces.count, sent >= pieces[first].count {
            sent -= pieces[first].count
            count -= pieces[first].count
            if pieces[first].isReply { replyCount -= pieces[first].count }
            pieces[first] = Piece()
            first += 1
        }
        guard isEmpty else { return }
        pieces.removeAll(keepingCapacity: pieces.capacity <= 64)
        first = 0
    }

    private mutating func append(_ piece: Piece) {
        if first > 64, first > pieces.count / 2 {
            pieces.removeFirst(first)
            first = 0
        }
        pieces.append(piece)
        count += piece.count
        if piece.isReply { replyCount += piece.count }
    }

    /// Makes room by dropping droppable events, if there is none.
    private mutating func makeRoom(for size: Int) -> Bool {
        if count - replyCount + size > Self.room { dropEvents() }
        return count - replyCount + size <= Self.room
    }

    /// Drops all droppable events except one that is partly sent; the next event of the same
    /// subscription reports that.
    private mutating func dropEvents() {
        var gone: [Int: Int] = [:]
        var kept: [Piece] = []
        for (index, piece) in pieces.enumerated().dropFirst(first) {
            var piece = piece
            if let event = piece.event, index > first || sent == 0 {
                let left = gone[event.subscription, default: 0] + event.missed
                guard !event.isDroppable else {
                    gone[event.subscription] = left + 1
                    continue
                }
                gone[event.subscription] = nil
                piece.event?.missed = left
                piece.head = head(subscription: event.subscription, missed: left)
            }
            kept.append(piece)
        }
        pieces = kept
        first = 0
        count = kept.reduce(0) { $0 + $1.count }
        missed.merge(gone, uniquingKeysWith: +)
    }

    /// The start of an event's line, before the event itself.
    private mutating func head(subscription: Int, missed: Int) -> [UInt8] {
        if missed == 0, envelope.subscription == subscription, !envelope.head.isEmpty {
            return envelope.head
        }
        let count = missed > 0 ? "\"missed\":\(missed)," : ""
        let head = Array(
            ("{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":"
                + "{\"subscription\":\(subscription),\(count)\"data\":").utf8)
        if missed == 0 { envelope = (subscription, head) }
        return head
    }
}
