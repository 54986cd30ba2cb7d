/// Keeps the decode thread supplied: knows which passages it was given, and what to send when one
/// is opened, cannot be played, or no longer matches the queue.
package struct PlaybackPlan: Sendable {
    package enum Action: Equatable, Sendable {
        /// Play this after what was given before; nil means that nothing follows for now.
        case append(Passage?)
        /// Replace everything from a place in the stream by this; nil means by nothing.
        case splice(Passage?, at: StreamCut)
    }

    private struct Given {
        var passage: Passage
        /// The items that should have played before it but could not.
        var skipped: Set<ItemID>
        /// True if the user reached it by going back.
        var isBack: Bool
        /// True if the decode thread has opened it.
        var isOpen = false
        var hasBegun = false
        /// True if it has to begin a stream of its own.
        var needsStream = false
    }

    /// The settings for passages from now on.
    package var settings = PassageSettings()

    /// The seconds over which what is begun or renewed next fades in; nil for no fade.
    package var fadeIn: Double?

    /// The saved positions at which items resume; if nil, all begin at their start.
    package var memory: (any FileMemory)?

    /// Finds the rates of items; if nil, all have that of `settings`.
    var rateChooser: RateChooser?

    /// The passages of the decode thread, in the order in which they are heard.
    private var given: [Given] = []
    /// True if the decode thread knows that nothing follows the last of them for now.
    private var isFinished = false
    private var lastNumber = 0
    /// Items after the last given one that could not be played.
    private var skipped: Set<ItemID> = []
    /// True if the user reaches the next given item by going back.
    private var goesBack = false

    package init() {}

    /// True if the decode thread has nothing left to decode, and nothing left to be heard.
    package var isEmpty: Bool { given.isEmpty }
    /// True if `id` was given and is still wanted.
    package func contains(_ id: PassageID) -> Bool { given.contains { $0.passage.id == id } }
    /// True if a passage of `item` was given.
    package func isGiven(_ item: ItemID) -> Bool { given.contains { $0.passage.item.id == item } }
    /// True if nothing follows what was given: the stream stops once that is heard.
    package var isComplete: Bool { isFinished }
    /// True if a reported end of the stream is the end of everything given; otherwise the newest
    /// passage is still to come.
    package var isHeardOut: Bool { isFinished && given.last?.hasBegun ?? true }
    /// The default start of an item: its saved position, or its start.
    package func start(of item: QueueItem) -> CMTime { resumeTime(of: item) ?? item.start }
    /// The passage that is heard, or will be first.
    package var current: Passage? { given.first?.passage }
    /// True if the user went back to `current`.
    package var isBack: Bool { given.first?.isBack ?? false }
    /// True if `current` is known to be playable, or there is nothing to play.
    package var isReady: Bool { given.first?.isOpen ?? true }

    /// True if what comes next has to begin a stream of its own, and nothing is left to be heard in
    /// the present one.
    package var isDueInNextStream: Bool {
        given.last?.needsStream == true && given.dropLast().allSatisfy(\.hasBegun)
    }

    // MARK: Facts

    /// The decode thread has opened a passage and needs the next one.
    package mutating func opened(_ id: PassageID, in queue: PlaybackQueue) -> [Action] {
        guard let index = given.firstIndex(where: { $0.passage.id == id }) else { return [] }
        given[index].isOpen = true
        guard index == given.count - 1, !isFinished else { return [] }
        return [.append(follow(successor(of: given[index].passage, in: queue)))]
    }

    /// A passage could not be opened. The next item in the queue stands in for it or, if the user
    /// was going back, the previous one. After a full turn of the queue without a playable item,
    /// nothing does.
    package mutating func failed(_ id: PassageID, in queue: PlaybackQueue) -> [Action] {
        guard let index = given.firstIndex(where: { $0.passage.id == id }) else { return [] }
        let failed = given[index]
        given.removeSubrange(index...)
        skipped = failed.skipped.union([failed.passage.item.id])
        if failed.isBack, let item = queue.previous(before: failed.passage.item.id),
            !skipped.contains(item.id)
        {
            goesBack = true
            return [.append(begin(item))]
        }
        return [.append(follow(playable(from: failed.passage.item, in: queue, skipping: skipped)))]
    }

    /// A passage has to begin a stream of its own: nothing follows those before it in the present
    /// one.
    package mutating func needsStream(_ passage: Passage) -> [Action] {
        guard let index = given.lastIndex(where: { $0.passage.id == passage.id }) else { return [] }
        given[index].passage.start = passage.start
        given[index].needsStream = true
        return [.append(nil)]
    }

    /// The stream has ended for a passage that begins the next one, in which it is given again.
    package mutating func beginNextStream() -> [Action] {
        given.removeFirst(max(0, given.count - 1))
        guard !given.isEmpty else { return [] }
        given[0].needsStream = false
        return [.append(given[0].passage)]
    }

    /// A passage is being heard; those before it are over.
    package mutating func began(_ id: PassageID) {
        given.removeAll { $0.passage.id < id }
        if let index = given.firstIndex(where: { $0.passage.id == id }) {
            given[index].hasBegun = true
        }
    }

    /// The stream was heard to its end.
    package mutating func ended() {
        given = []
        isFinished = false
        skipped = []
    }

    /// The file of a passage shows what its item is, which may be of another kind of items, with
    /// another rate.
    mutating func correctRate(of id: PassageID, as item: QueueItem) -> [Action] {
        guard let index = given.firstIndex(where: { $0.passage.id == id }), let rateChooser else {
            return []
        }
        given[index].passage.item.facts = item.facts
        guard rateChooser.rate(of: item) != given[index].passage.settings.rate else { return [] }
        let old = given[index]
        guard index > 0 else { return renew(as: item, fadeOut: old.passage.settings.fadeOut) }
        given.removeSubrange(index...)
        isFinished = false
        skipped = old.skipped
        return [.splice(begin(item), at: .after(given[index - 1].passage.id))]
    }

    // MARK: Requests

    /// The queue or its modes have changed, or playback begins: replaces what was given and no
    /// longer matches.
    package mutating func revise(for queue: PlaybackQueue) -> [Action] {
        guard !given.isEmpty else {
            guard let first = queue.current else { return [] }
            ended()
            return [.append(fadingIn { $0.follow(first) })]
        }
        for index in given.indices {
            let isLast = index == given.count - 1
            // The next item is requested when this passage is opened.
            if isLast && !isFinished { break }
            let following = isLast ? nil : given[index + 1]
            let wanted = successor(
                of: given[index].passage, in: queue, skipping: following?.skipped ?? skipped)
            guard !Self.isSame(following?.passage.item, wanted) else { continue }
            skipped = following?.skipped ?? skipped
            given.removeSubrange((index + 1)...)
            isFinished = false
            return [.splice(follow(wanted), at: .after(given[index].passage.id))]
        }
        return []
    }

    /// Jumps to `time` of `item` at once; nil for where it normally starts.
    package mutating func jump(
        to item: QueueItem, at time: CMTime? = nil
    ) -> (passage: PassageID, actions: [Action]) {
        ended()
        let passage = fadingIn { plan in
            time.map { plan.add(item, start: $0, plan.settings) } ?? plan.begin(item)
        }
        return (passage.id, [.splice(passage, at: .now)])
    }

    /// Notes that the user reaches the next given item by going back: if it cannot be played, the
    /// one before it stands in.
    package mutating func willGoBack() { goesBack = true }

    /// Reschedules what is heard, or will be first, with the current settings, and as `item` if
    /// that has changed. With `fadeOut`, it fades out over that many seconds.
    package mutating func renew(as item: QueueItem? = nil, fadeOut: Double? = nil) -> [Action] {
        guard let current = given.first else { return [] }
        var settings = settings
        // What has not begun keeps its fade-in.
        settings.fadeIn = fadeIn ?? (current.hasBegun ? nil : current.passage.settings.fadeIn)
        fadeIn = nil
        settings.fadeOut = fadeOut
        settings.stopTime = current.passage.settings.stopTime
        ended()
        goesBack = current.isBack && !current.isOpen
        let start = current.hasBegun ? nil : current.passage.start
        let isResumed = !current.hasBegun && current.passage.isResumed
        var passage = add(
            item ?? current.passage.item, start: start, isResumed: isResumed, settings)
        if !current.hasBegun {
            passage.replaced = current.passage.replaced ?? current.passage.id
            given[0].passage = passage
        }
        return [.splice(passage, at: .now)]
    }

    /// Ends what is heard, or will be first, before `time` of its item; nil lets it continue to the
    /// end. A jump cancels this.
    package mutating func stop(at time: CMTime?) -> [Action] {
        guard let current = given.first, current.passage.settings.stopTime != time else {
            return []
        }
        given[0].passage.settings.stopTime = time
        return renew(fadeOut: current.passage.settings.fadeOut)
    }

    /// Ends the stream at the position being heard.
    package mutating func clear() -> [Action] {
        guard !given.isEmpty else { return [] }
        ended()
        return [.splice(nil, at: .now)]
    }

    // MARK: Passages

    /// Makes a passage that has the fade-in that is due, if there is one.
    private mutating func fadingIn<Made>(_ make: (inout Self) -> Made) -> Made {
        settings.fadeIn = fadeIn
        fadeIn = nil
        defer { settings.fadeIn = nil }
        return make(&self)
    }

    private static func isSame(_ given: QueueItem?, _ wanted: QueueItem?) -> Bool {
        guard let given, let wanted else { return given == nil && wanted == nil }
        return given.plays(as: wanted)
    }

    private func successor(
        of passage: Passage, in queue: PlaybackQueue, skipping skipped: Set<ItemID> = []
    ) -> QueueItem? {
        guard !passage.settings.endsEarly,
            case .play(let item) = queue.following(passage.item.id)
        else { return nil }
        return playable(from: item, in: queue, skipping: skipped)
    }

    /// The first item from `item` on that is not in `skipped`; nil if there is none.
    private func playable(
        from item: QueueItem, in queue: PlaybackQueue, skipping skipped: Set<ItemID>
    ) -> QueueItem? {
        var candidate: QueueItem? = item
        for _ in 0...skipped.count {
            guard let item = candidate, skipped.contains(item.id) else { return candidate }
            candidate = queue.standIn(for: item.id)
        }
        return nil
    }

    /// Gives `item` next, or reports that nothing follows.
    private mutating func follow(_ item: QueueItem?) -> Passage? {
        guard let item else {
            isFinished = true
            return nil
        }
        return begin(item)
    }

    /// Starts an item at its saved position. If its file is heard before it, the file will have
    /// been heard to its end by then.
    private mutating func begin(_ item: QueueItem) -> Passage {
        let isAgain = given.contains { $0.passage.item.source == item.source }
        guard !isAgain, let time = resumeTime(of: item) else {
            return add(item, start: item.start, settings)
        }
        return add(item, start: time, isResumed: true, settings)
    }

    private func resumeTime(of item: QueueItem) -> CMTime? {
        ResumePolicy.resumeTime(of: item, from: memory?.resumePosition(of: item.source.path))
    }

    private mutating func add(
        _ item: QueueItem, start: CMTime?, isResumed: Bool = false, _ settings: PassageSettings
    ) -> Passage {
        lastNumber += 1
        var settings = settings
        if let rateChooser { settings.rate = rateChooser.rate(of: item) }
        var passage = Passage(
            id: PassageID(lastNumber), item: item, start: start, settings: settings)
        passage.isResumed = isResumed
        given.append(Given(passage: passage, skipped: skipped, isBack: goesBack))
        skipped = []
        goesBack = false
        return passage
    }
}
