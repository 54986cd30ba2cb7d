/// What one connection has still to be sent, in order and within bounds.
struct Outbox {
    /// How many bytes of events and notices may wait.
    static let room = 256 * 1024
    private static let tail = Array("}}\n".utf8)

    /// One line that waits. The body of an event is shared with all who have to send it.
    private struct Piece {
        struct Event {
            var subscription: Int
            var missed: Int
            var isDroppable: Bool
        }

        var head: [UInt8] = []
        var body: [UInt8] = []
        /// nil for any other line, which is all in the body.
        var event: Event?
        /// An answer has room of its own.
        var isReply = false

        var tail: [UInt8] { event == nil ? [] : Outbox.tail }
        var count: Int { head.count + body.count + tail.count }
    }

    /// What has become of something that was to be sent.
    enum Verdict: Equatable {
        case queued
        /// Left out, and counted.
        case dropped
        /// There is no room, and it cannot be left out.
        case full
    }

    private var pieces: [Piece] = []
    /// The first piece that was not sent.
    private var first = 0
    /// Bytes of the first piece that were sent.
    private var sent = 0
    /// Events that were left out behind all that wait, by subscription.
    private var missed: [Int: Int] = [:]
    /// The envelope that was made last; most connections need no other.
    private var envelope: (subscription: Int, head: [UInt8]) = (0, [])
    /// Bytes of all lines that wait, also those that were sent of the first.
    private(set) var count = 0
    /// Those of answers.
    private var replyCount = 0

    var isEmpty: Bool { first == pieces.count }

    /// Adds an answer, whatever its size: a connection has one at a time.
    mutating func appendReply(_ line: [UInt8]) { append(Piece(body: line, isReply: true)) }

    /// Adds a notice.
    mutating func appendNotice(_ line: [UInt8]) -> Verdict {
        guard makeRoom(for: line.count) else { return .full }
        append(Piece(body: line))
        return .queued
    }

    /// Adds an event, a JSON object. One that is not droppable takes the place of those that are.
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
            // Room was made out of events before this one.
            return append(event, subscription: subscription, isDroppable: isDroppable)
        }
        if before > 0 { missed[subscription] = nil }
        append(piece)
        return .queued
    }

    /// Writes as much as fits to the start of `buffer` and answers how much; it stays queued.
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

    /// Takes so many bytes of what `render` wrote off the queue.
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

    /// Makes room by leaving out events that are droppable, if there is none.
    private mutating func makeRoom(for size: Int) -> Bool {
        if count - replyCount + size > Self.room { dropEvents() }
        return count - replyCount + size <= Self.room
    }

    /// Leaves out all events that may be, but one that was sent in part; the next event of the
    /// same subscription tells.
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

    /// What stands before an event in its line.
    private mutating func head(subscription: Int, missed: Int) -> [UInt8] {
        if missed == 0, envelope.subscription == subscription, !envelope.head.isEmpty {
            return envelope.head
        }
        let told = missed > 0 ? "\"missed\":\(missed)," : ""
        let head = Array(
            ("{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":"
                + "{\"subscription\":\(subscription),\(told)\"data\":").utf8)
        if missed == 0 { envelope = (subscription, head) }
        return head
    }
}
