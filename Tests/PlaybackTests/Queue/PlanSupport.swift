import UndersongPlayback

extension PlaybackPlan.Action {
    /// The number of the item that is to follow; nil for none.
    var itemNumber: Int? { passage?.item.id.number }

    /// The passage that is to follow; nil for none.
    var passage: Passage? {
        switch self {
        case .append(let passage), .splice(let passage, _): passage
        }
    }

    /// The point at which the stream is replaced; nil if it is only continued.
    var cut: StreamCut? {
        if case .splice(_, let cut) = self { cut } else { nil }
    }
}

extension PlaybackQueue {
    /// A queue of items numbered from 1 to `count`, the first one current.
    init(count: Int, _ modes: PlaybackModes) {
        self.init(count: count)
        repeatMode = modes.repeatMode
        isSingle = modes.isSingle
        isConsuming = modes.isConsuming
        stopCondition = modes.stopCondition
    }
}

extension PlaybackPlan {
    /// A plan that began with the queue's current item, and from which the decode thread requested
    /// `opened` more. Its passages are numbered from 1.
    init(_ queue: PlaybackQueue, opened: Int = 0) {
        self.init()
        _ = revise(for: queue)
        for number in 0..<opened { _ = self.opened(PassageID(number + 1), in: queue) }
    }
}
