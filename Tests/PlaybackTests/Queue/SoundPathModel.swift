import UndersongPlayback

/// The sound path in its simplest form: a decode thread that is a few frames ahead of the listener.
/// Its reports are handled later, from two threads that each keep their own order.
struct SoundPathModel {
    enum Report: Equatable {
        case opened(PassageID)
        case failed(PassageID)
        case needsWiderStream(Passage)
        case began(Passage)
        case finished
    }

    private struct Segment {
        var passage: Passage
        var start: Int
        /// Seconds of the item at `start`.
        var origin: Double
        var end: Int?
        var hasBegun = false
    }

    /// The frames to decode ahead of the listener: the longest item, and no more.
    private static let ahead = 6

    /// Items that cannot be played.
    var unplayable: Set<ItemID> = []
    /// Items that need a stream which begins with such an item.
    var wide: Set<ItemID> = []
    /// Reports of the decode thread that the engine has not handled yet.
    var decodeReports: [Report] = []
    /// The same for the clock thread.
    var clockReports: [Report] = []
    /// The items that were heard, added whenever one begins.
    private(set) var heardItems: [ItemID] = []

    private var cut: StreamCut?
    private var requests: [Passage?] = []
    private var segments: [Segment] = []
    private var decoding: (passage: Passage, remaining: Int)?
    private var position = 0
    private var heard = 0
    /// True if the stream carries the wide items; nil before the first item is open.
    private var isWide: Bool?
    /// True if nothing follows for now.
    private var isFinished = false
    /// True if that was reported.
    private var hasReported = false

    /// An item's length in frames, by its number.
    static func length(of item: ItemID) -> Int { item.number * 7 % 6 + 1 }

    // MARK: Its inputs

    mutating func apply(_ actions: [PlaybackPlan.Action]) {
        for action in actions {
            switch action {
            case .append(let passage):
                requests.append(passage)
            case .splice(let passage, .after(let id)) where isRequested(id):
                let index = requests.firstIndex { $0?.id == id } ?? 0
                requests.removeSubrange((index + 1)...)
                requests.append(passage)
            case .splice(let passage, let cut):
                requests = [passage]
                self.cut = cut
            }
        }
    }

    private func isRequested(_ id: PassageID) -> Bool { requests.contains { $0?.id == id } }

    // MARK: The decode thread

    /// Takes one step; returns false if there is nothing to do.
    mutating func decode() -> Bool {
        if let cut, !requests.isEmpty {
            self.cut = nil
            change(from: cut, to: requests.removeFirst())
        } else if let (passage, remaining) = decoding {
            guard remaining > 0 else {
                segments[segments.count - 1].end = position
                decoding = nil
                return true
            }
            guard position - heard < Self.ahead else { return false }
            decoding = (passage, remaining - 1)
            position += 1
        } else if cut == nil, !requests.isEmpty {
            guard let passage = requests.removeFirst() else {
                isFinished = true
                return true
            }
            if canOpen(passage) { begin(passage) }
        } else {
            return false
        }
        return true
    }

    private mutating func change(from cut: StreamCut, to passage: Passage?) {
        var frame = Int.min
        if case .after(let id) = cut, let segment = segments.last(where: { $0.passage.id == id }) {
            guard let end = segment.end else { return requests.insert(passage, at: 0) }
            frame = end
        }
        if let passage, !canOpen(passage) {
            self.cut = cut
            return
        }
        position = max(heard, frame)
        segments.removeAll { $0.start >= position }
        if let last = segments.last, (last.end ?? .max) > position {
            segments[segments.count - 1].end = position
        }
        decoding = nil
        isFinished = passage == nil
        hasReported = false
        if let passage { begin(passage) }
    }

    private mutating func canOpen(_ passage: Passage) -> Bool {
        if unplayable.contains(passage.item.id) {
            decodeReports.append(.failed(passage.id))
            return false
        }
        guard !carries(passage.item.id) else {
            isWide = isWide ?? wide.contains(passage.item.id)
            return true
        }
        var passage = passage
        passage.start = passage.start ?? CMTime(value: Int64(heardSeconds ?? 0), timescale: 1)
        decodeReports.append(.needsWiderStream(passage))
        return false
    }

    private mutating func begin(_ passage: Passage) {
        let origin = passage.start?.seconds ?? heardSeconds ?? 0
        segments.append(Segment(passage: passage, start: position, origin: origin))
        let start = Int(passage.start?.value ?? 0)
        decoding = (passage, max(1, Self.length(of: passage.item.id) - start))
        isFinished = false
        hasReported = false
        decodeReports.append(.opened(passage.id))
    }

    // MARK: The listener

    private var heardSegment: Segment? { segments.last { $0.hasBegun } }

    /// The passage that is heard, or was heard last.
    var heardPassage: Passage? { heardSegment?.passage }

    /// The position in its item; a frame is a second.
    var heardSeconds: Double? {
        heardSegment.map { $0.origin + Double(min(heard, $0.end ?? heard) - $0.start) }
    }

    /// True if the stream, which has begun, can carry an item.
    func carries(_ item: ItemID) -> Bool { isWide != false || !wide.contains(item) }

    /// The item that is heard next; nil if there is none, as far as known.
    var comingItem: ItemID? {
        let coming = segments.filter { !$0.hasBegun }.map(\.passage) + requests.compactMap(\.self)
        return coming.first?.item.id
    }

    /// Hears one frame, or the end; returns false if there is nothing to hear.
    mutating func hear() -> Bool {
        guard heard < position else {
            guard isFinished, !hasReported else { return false }
            hasReported = true
            clockReports.append(.finished)
            return true
        }
        if let index = segments.lastIndex(where: { $0.start <= heard }), !segments[index].hasBegun {
            segments[index].hasBegun = true
            heardItems.append(segments[index].passage.item.id)
            clockReports.append(.began(segments[index].passage))
        }
        heard += 1
        return true
    }
}
