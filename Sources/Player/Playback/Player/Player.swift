import UndersongBase

/// A queue player as a value: what plays, at which position, and whether it plays. It needs no
/// thread, clock or sound server: commands and past-tense facts go in with the moment at which they
/// arrive, and the effects to perform come out.
///
/// Queue updates and saved records are derived from what an input changed, so no command has to
/// remember to send them.
package struct Player: Sendable {
    package internal(set) var queue: PlaybackQueue { didSet { queueVersion += 1 } }
    /// Counts the changes of the queue.
    var queueVersion = 0
    package internal(set) var settings: PlayerSettings
    /// What the decode thread has been given.
    var plan = PlaybackPlan()
    /// What the user wants, what forbids it, and the resulting status.
    var machine = PlayerStateMachine()
    var stream = Stream.none
    var rest = Rest.beginning
    var pendingSeek: PendingSeek?
    /// Nil if nothing has been given to a stream since the last run ended.
    var run: Run?
    /// The number of runs begun so far.
    package internal(set) var runCount = 0
    var phase = Phase.on
    /// Why the output was last lost; nil if it never was, or has worked since.
    var lastLoss: OutputError?
    var server = Server.unknown
    /// Descriptions of the items in the plan, once opened.
    package internal(set) var descriptions: [ItemID: MediaDescription] = [:]
    var keeping = Keeping.always
    /// A rate chosen for an item whose kind is not known yet.
    var rateChoice: RateChooser.Choice?
    /// The facts that the current rate follows from.
    var rateBasis: RateBasis?
    /// Whether playback was wanted when the process began to stop; this is what the record saves.
    var intentAtStop: Bool?
    /// Whether the session ends with its queue.
    let endsWithQueue: Bool
    let memory: (any FileMemory)?
    /// The moment of the input being handled.
    var now = Moment(hostTime: 0)
    /// The effects of that input so far.
    private var effects: [Effect] = []

    /// Creates a player with the state of `record`, or with `settings`. `seed` is used to shuffle.
    package init(
        queue: PlaybackQueue = PlaybackQueue(), settings: PlayerSettings = PlayerSettings(),
        record: PlayerRecord? = nil, memory: (any FileMemory)? = nil, endsWithQueue: Bool = false,
        seed: UInt64 = 0
    ) {
        self.queue = queue
        self.settings = record?.settings ?? settings
        self.memory = memory
        self.endsWithQueue = endsWithQueue
        if let record {
            self.queue.restore(record.order)
            if record.order.current != nil { rest = .at(record.position) }
        }
        var generator = SeededGenerator(seed: seed)
        self.queue.set(self.settings.modes, using: &generator)
        followPassageSettings()
        followRate()
    }

    /// Handles an input and returns its effects, to be performed in this order.
    package mutating func handle(_ input: Input, at moment: Moment) -> [Effect] {
        let before = Held(self)
        now = moment
        take(input)
        if queueVersion != before.queueVersion { followRate() }
        var effects = self.effects
        self.effects = []
        let after = Held(self)
        if after != before, keeping == .always {
            // Going silent does not wait for the store.
            let held = effects.lastIndex { if case .holdOutput = $0 { true } else { false } }
            effects.insert(.keep(record(at: now)), at: held.map { $0 + 1 } ?? 0)
        }
        if after.queueVersion != before.queueVersion { effects.insert(.update, at: 0) }
        return effects
    }

    mutating func emit(_ effect: Effect) { effects.append(effect) }

    /// Puts entries on the queue's itemStore and returns the ids by which an edit refers to them.
    package mutating func stage(_ entries: [QueueEntry]) -> [ItemID] { queue.stage(entries) }

    private mutating func take(_ input: Input) {
        switch input {
        case .command(let command): take(command)
        case .edit(let edit): take(edit)
        case .stream(let fact): take(fact)
        case .output(let fact): take(fact)
        case .session(let fact): take(fact)
        }
    }

    private mutating func take(_ command: Command) {
        switch command {
        case .play: play()
        case .pause(let reason): follow(machine.pause(reason))
        case .next(let count): next(count)
        case .previous(let count): previous(count)
        case .jump(let id): jump(to: id)
        case .seek(let time, let answer): seek(to: time, answer)
        case .seekBy(let seconds, let answer): seek(by: seconds, answer)
        case .cancelSeeks: cancelSeeks()
        case .set(let settings, let seed): set(settings, seed)
        case .fadeOut(let seconds): fadeOut(over: seconds)
        case .cancelFadeOut: endFadeOut()
        case .pauseAt(let time, let answer): pause(at: time, answer)
        case .halt:
            halt()
            endRun(.stopped)
        case .stop: stop()
        }
    }

    private mutating func take(_ edit: Edit) {
        switch edit {
        case .change(let change, let time): apply(change, from: time)
        case .insert(let item, let id): insert(item, after: id)
        case .replaceCurrent(let item): replaceCurrent(with: item)
        case .goBack(let item): goBack(to: item)
        case .setRange(let id, let start, let end): setRange(of: id, start: start, end: end)
        case .setVolume(let id, let volume): setVolume(of: id, volume)
        case .replaceQueue(let ids, let rate, let seed, let isCommitted):
            replaceQueue(with: ids, rate: rate, seed, isCommitted: isCommitted)
        case .commitBegan: keeping = .afterCommit
        case .commitEnded: keeping = .always
        }
    }
}
