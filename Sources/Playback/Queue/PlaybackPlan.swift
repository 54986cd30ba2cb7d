/// Keeps the decode thread supplied: knows which passages it has been given, and says what to tell it
/// when one is taken up, cannot be played, or is no longer what the queue wants next.
package struct PlaybackPlan: Sendable {
    package enum Action: Equatable, Sendable {
        /// Play this behind what was given before; nil: nothing follows for now.
        case append(Passage?)
        /// Play this instead of everything from a place in the stream on; nil: nothing.
        case splice(Passage?, at: StreamCut)
    }

    private struct Given {
        var passage: Passage
        /// Items that should have come before it and could not be played.
        var skipped: Set<ItemID>
        /// Whether the user went back to it.
        var isBack: Bool
        /// Whether the decode thread has opened it.
        var isOpen = false
        var hasBegun = false
    }

    /// How passages are brought into the stream from now on.
    package var settings = PassageSettings()

    /// Where items that were begun once go on; nil: nowhere, they begin at their start.
    package var memory: (any FileMemory)?

    /// What the decode thread has, the passage that is heard first.
    private var given: [Given] = []
    /// Whether it knows that nothing follows the last of them for now.
    private var isFinished = false
    private var lastNumber = 0
    /// Items behind the last of what is given that could not be played.
    private var skipped: Set<ItemID> = []
    /// Whether the user goes back to what is given next.
    private var goesBack = false

    package init() {}

    /// Whether the decode thread has something that is not decoded to its end, or not yet heard.
    package var isEmpty: Bool { given.isEmpty }
    /// Whether `id` was given and is still wanted.
    package func contains(_ id: PassageID) -> Bool { given.contains { $0.passage.id == id } }
    /// Whether a passage of `item` was given.
    package func isGiven(_ item: ItemID) -> Bool { given.contains { $0.passage.item.id == item } }
    /// Whether nothing follows what was given: once that is heard, the stream stands still.
    package var isComplete: Bool { isFinished }
    /// Whether the stream has been heard to its end, once one was heard: what was given lately may
    /// still have to come.
    package var isHeardOut: Bool { isFinished && given.last?.hasBegun ?? true }
    /// Where an item begins when nothing else is said: where it was left, or at its start.
    package func start(of item: QueueItem) -> CMTime { resumeTime(of: item) ?? item.start }
    /// The passage that is heard or will be first.
    package var current: Passage? { given.first?.passage }
    /// Whether the user went back to `current`.
    package var isBack: Bool { given.first?.isBack ?? false }
    /// Whether it is known that `current` can be played, or that there is nothing to play.
    package var isSettled: Bool { given.first?.isOpen ?? true }

    // MARK: What has happened

    /// The decode thread has taken a passage up: it wants to know the next.
    package mutating func opened(_ id: PassageID, in queue: PlaybackQueue) -> [Action] {
        guard let index = given.firstIndex(where: { $0.passage.id == id }) else { return [] }
        given[index].isOpen = true
        guard index == given.count - 1, !isFinished else { return [] }
        return [.append(follow(successor(of: given[index].passage, in: queue)))]
    }

    /// A passage could not be begun: the next in the queue stands in for it, or where the user went
    /// back to it the one before it, if any. After a full turn of the queue without one that can be
    /// played nothing does.
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

    /// A passage is heard: the ones before it are over.
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

    // MARK: What is wanted

    /// The queue or its modes have changed, or playing begins: what has been given and is no longer
    /// what follows is replaced.
    package mutating func revise(for queue: PlaybackQueue) -> [Action] {
        guard !given.isEmpty else {
            guard let first = queue.current else { return [] }
            ended()
            return [.append(follow(first))]
        }
        for index in given.indices {
            let isLast = index == given.count - 1
            // What follows is asked for when the passage is taken up.
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

    /// Goes to `time` of `item` at once; nil: to where its playing begins.
    package mutating func jump(
        to item: QueueItem, at time: CMTime? = nil
    ) -> (passage: PassageID, actions: [Action]) {
        ended()
        let passage = time.map { add(item, start: $0, settings) } ?? begin(item)
        return (passage.id, [.splice(passage, at: .now)])
    }

    /// The user goes back to what is given first from now on: where that cannot be played, what is
    /// before it is.
    package mutating func willGoBack() { goesBack = true }

    /// Brings what is heard, or will be first, into the stream anew, by the settings as they are
    /// now, and as `item`, when that has changed; with `fadeOut` seconds it then falls silent within
    /// them.
    package mutating func renew(as item: QueueItem? = nil, fadeOut: Double? = nil) -> [Action] {
        guard let current = given.first else { return [] }
        var settings = settings
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

    /// Ends what is heard, or will be first, before `time` of its item; nil: lets it go on to its
    /// end. A jump forgets it.
    package mutating func stop(at time: CMTime?) -> [Action] {
        guard let current = given.first, current.passage.settings.stopTime != time else {
            return []
        }
        given[0].passage.settings.stopTime = time
        return renew(fadeOut: current.passage.settings.fadeOut)
    }

    /// Ends the stream where it is heard.
    package mutating func clear() -> [Action] {
        guard !given.isEmpty else { return [] }
        ended()
        return [.splice(nil, at: .now)]
    }

    // MARK: Passages

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

    /// The first item from `item` on that is not one of `skipped`; nil when all that follow are.
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

    /// Gives `item` next, or says that nothing follows.
    private mutating func follow(_ item: QueueItem?) -> Passage? {
        guard let item else {
            isFinished = true
            return nil
        }
        return begin(item)
    }

    /// Gives an item from where it was left. One whose file is heard before it will have been heard
    /// to its end by then.
    private mutating func begin(_ item: QueueItem) -> Passage {
        let isAgain = given.contains { $0.passage.item.source == item.source }
        guard !isAgain, let time = resumeTime(of: item) else {
            return add(item, start: item.start, settings)
        }
        return add(item, start: time, isResumed: true, settings)
    }

    private func resumeTime(of item: QueueItem) -> CMTime? {
        LongForm.resumeTime(of: item, from: memory?.resumePosition(of: item.source.path))
    }

    private mutating func add(
        _ item: QueueItem, start: CMTime?, isResumed: Bool = false, _ settings: PassageSettings
    ) -> Passage {
        lastNumber += 1
        var passage = Passage(
            id: PassageID(lastNumber), item: item, start: start, settings: settings)
        passage.isResumed = isResumed
        given.append(Given(passage: passage, skipped: skipped, isBack: goesBack))
        skipped = []
        goesBack = false
        return passage
    }
}
