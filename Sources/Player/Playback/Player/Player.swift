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
    /// The passages given to the decode thread.
    var plan = PlaybackPlan()
    /// The user's wish, the obstacles to it, and the resulting status.
    var machine = PlayerStateMachine()
    var stream = Stream.none
    var rest = Rest.beginning
    var pendingSeek: PendingSeek?
    /// Nil if nothing has been given to a stream since the last run ended.
    var run: Run?
    /// The number of runs begun so far.
    package internal(set) var runCount = 0
    var phase = Phase.on
    /// The reason why the output was last lost; nil if it never was, or has worked since.
    var lastLoss: OutputError?
    var server = Server.unknown
    /// Descriptions of the items in the plan, once opened.
    package internal(set) var descriptions: [ItemID: MediaDescription] = [:]
    var keeping = Keeping.always
    /// A rate chosen for an item whose kind is not known yet.
    var rateChoice: RateChooser.Choice?
    /// The facts that the current rate follows from.
    var rateBasis: RateBasis?
    /// True if playback was wanted when the process began to stop; this is what the record saves.
    var intentAtStop: Bool?
    /// True if the session ends with its queue.
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
        let before = SavedState(self)
        now = moment
        handle(input)
        if queueVersion != before.queueVersion { followRate() }
        var effects = self.effects
        self.effects = []
        let after = SavedState(self)
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

    private mutating func handle(_ input: Input) {
        switch input {
        case .command(let command): handle(command)
        case .edit(let edit): handle(edit)
        case .stream(let fact): handle(fact)
        case .output(let fact): handle(fact)
        case .session(let fact): handle(fact)
        }
    }

    private mutating func handle(_ command: Command) {
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
        case .fadeIn(let seconds): plan.fadeIn = seconds
        case .fadeOut(let seconds): fadeOut(over: seconds)
        case .cancelFadeOut: endFadeOut()
        case .pauseAt(let time, let answer): pause(at: time, answer)
        case .halt:
            halt()
            endRun(.stopped)
        case .stop: stop()
        }
    }

    private mutating func handle(_ edit: Edit) {
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

extension Player {
    /// Identifies a caller waiting for an answer.
    package struct AnswerID: Hashable, Sendable {
        package let number: Int

        package init(_ number: Int) { self.number = number }
    }

    /// A command to the player, or a fact reported to it.
    package enum Input: Sendable {
        case command(Command)
        case edit(Edit)
        case stream(StreamFact)
        case output(OutputFact)
        case session(SessionFact)
    }

    /// Commands that do not edit the queue.
    package enum Command: Sendable {
        /// Start or resume playback.
        case play
        /// Pause playback.
        case pause(PauseReason)
        /// Skip so many items ahead, 1 or more; with `RepeatMode.all`, from the last to the first.
        /// The items between are not heard.
        case next(Int)
        /// Return to the closest item that can be played so many items before this one, 1 or more;
        /// if there is none, to the start of the first one.
        case previous(Int)
        case jump(ItemID)
        /// Seek to a time in the current item. The answer is false if there is no item, or if
        /// another jump supersedes the seek.
        case seek(CMTime, AnswerID?)
        /// As `seek`, by seconds from the position heard or last sought.
        case seekBy(Double, AnswerID?)
        /// Answer every seek that is not heard yet.
        case cancelSeeks
        /// Apply settings from the first frame not yet heard; `seed` is used to shuffle.
        case set(PlayerSettings, seed: UInt64)
        /// Fade in over this many seconds what is begun next, by `play` or a jump; nil for no fade.
        case fadeIn(Double?)
        /// Fade out over this many seconds, then pause.
        case fadeOut(Double)
        case cancelFadeOut
        /// Pause exactly before this time of the current item; nil cancels that. The answer is
        /// false if nothing is scheduled, or if the time has already passed.
        case pauseAt(CMTime?, AnswerID)
        /// Discard the stream, keep the position and end the run.
        case halt
        /// End the session.
        case stop
    }

    /// Edits of the queue.
    package enum Edit: Sendable {
        /// Apply a change. If it makes another item current, play that one from this time, or from
        /// where it normally starts.
        case change(QueueChange, from: CMTime? = nil)
        /// Insert an item whose id was assigned elsewhere, after this one or at the end.
        case insert(QueueItem, after: ItemID?)
        /// Replace the current item, or append if there is none.
        case replaceCurrent(QueueItem)
        /// Insert an item before the current one and play it.
        case goBack(QueueItem)
        /// Play another part of an item's source, even while the item is being heard.
        case setRange(ItemID, start: CMTime, end: CMTime?)
        /// Play an item with another volume over its time, even while it is being heard.
        case setVolume(ItemID, VolumeEnvelope)
        /// End the run and replace the queue by these staged items, of which the first plays at a
        /// rate, if one is given. If this is to be committed, nothing is saved until `commitEnded`.
        case replaceQueue([ItemID], rate: Double? = nil, seed: UInt64, isCommitted: Bool)
        /// The store is about to commit an edit.
        case commitBegan
        /// The commit has succeeded or failed.
        case commitEnded
    }

    /// Facts about the stream from the decode thread and the clock.
    package enum StreamFact: Sendable {
        case opened(Passage, MediaDescription)
        case failed(Passage, MediaError)
        /// Its samples need more bits than the stream's, in which nothing of it is.
        case needsWiderStream(Passage)
        /// Decoded to its end; also reported for one that could not be opened.
        case ended(PassageID, wasOpened: Bool)
        /// The format is known and the output's threads are running.
        case ready
        /// The exact length of a source in frames.
        case measured(MediaSource, frames: Int)
        /// A passage is being heard from its beginning.
        case began(Timeline.Segment)
        /// The output has gone silent.
        case held
        /// Sound has stopped, since the bytes of what comes next have not arrived.
        case starved
        /// There is sound again after `starved`.
        case replenished
        /// Enough bytes have arrived to continue after `starved`.
        case supplied
        /// Everything that was scheduled has been heard.
        case finished
        /// The sound path has ended, after `stopStream`.
        case stopped
        /// The time allowed for the sound path to end has passed.
        case deadlinePassed
    }

    /// Facts about the output.
    package enum OutputFact: Sendable {
        /// The output works: it was opened, or answers again after a long stall.
        case works
        /// The output is gone, or cannot be opened. With `isDeviceRemembered`, its device is one
        /// that may be absent.
        case lost(OutputError, isDeviceRemembered: Bool)
        /// The output has failed and will not be retried.
        case failed(OutputError)
        /// It is time to retry a lost output.
        case retryIsDue
        /// A second has passed while the output should be running. `waitsSince` is the time since
        /// which the device has not responded; nil if it responds.
        case secondPassed(waitsSince: Int64?)
        /// The device was suspended, or has woken up.
        case deviceSuspended(Bool)
        case server(Server)
    }

    /// Facts about the session.
    package enum SessionFact: Sendable {
        /// The session policy has decided; an empty list allows playback.
        case policyDecided([SuppressionReason])
        /// The process is about to stop: pauses from now on are not the user's wish.
        case willStop
        /// Save everything now.
        case flush
    }
}

extension Player {
    /// An effect of an input.
    package enum Effect: Equatable, Sendable {
        // MARK: The sound path

        /// Open a stream in the format of its first item.
        case openStream
        /// Connect to the output: a stream will be needed soon.
        case prepareOutput
        case schedule(PlaybackPlan.Action)
        /// Run the output now, or as soon as there is one.
        case runOutput
        /// Go silent and keep the position; `release` also gives up the device. The status becomes
        /// `then` once the output is silent.
        case holdOutput(release: Bool, then: TimeControlStatus)
        /// Use this status once the output is silent.
        case statusWhenSilent(TimeControlStatus)
        /// Silence the sound path and let it end; `stopped` follows.
        case stopStream
        /// Report `deadlinePassed` after this many seconds.
        case awaitEnd(seconds: Double)
        /// Discard the stream; nothing more is reported of it.
        case dropStream

        // MARK: The output

        case retryOutput
        /// Report `retryIsDue` after a delay that grows with each retry.
        case retryLater
        /// Start counting retries from zero.
        case endRetries
        case useDefaultDevice
        /// Start listening to the sound server, unless already listening.
        case listenToServer
        /// Check whether the sound server answers.
        case pingServer

        // MARK: Other effects

        /// The settings have changed from these.
        case settingsChanged(from: PlayerSettings)
        /// The holders of a copy of the queue need a new one.
        case update
        case keep(PlayerRecord)
        case keepPosition(CMTime, of: ItemID)
        /// A file was left at this time, which no event reports.
        case leaveFile(ItemID, at: CMTime)
        /// Determine the exact length of an item.
        case measure(QueueItem, MediaDescription)
        case measured(ItemID, length: CMTime)
        case report(Report)
        case answer(AnswerID, Bool)
        /// The input named an item that is not in the queue; nothing has changed.
        case refuse(QueueError)
        case finish(SessionEnd)
    }

    /// A report to publish.
    package enum Report: Equatable, Sendable {
        case queue
        /// As `queue`, and the player has stopped at `time` of the item that is now current.
        case queueStopped(item: ItemID, index: Int, time: CMTime)
        case status(TimeControlStatus)
        /// The exact position in the current item.
        case position(CMTime)
        case settings
        case mediaFailure(MediaError, ItemID?)
        case outputFailure(OutputError)
        case runEnded(SessionEnd)
    }
}
