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
        /// What lies between is not heard.
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
