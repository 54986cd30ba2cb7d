extension Player {
    /// Names somebody who waits for an answer.
    package struct AnswerID: Hashable, Sendable {
        package let number: Int

        package init(_ number: Int) { self.number = number }
    }

    /// What a player is asked to do, and what has happened to it.
    package enum Input: Sendable {
        case command(Command)
        case edit(Edit)
        case stream(StreamFact)
        case output(OutputFact)
        case session(SessionFact)
    }

    /// What is asked of the player, apart from its queue.
    package enum Command: Sendable {
        /// Sound is wanted.
        case play
        /// Sound is not wanted any more.
        case pause(PauseReason)
        /// Leave the current item for the next, with `RepeatMode.all` the last one for the first.
        case next
        /// Return to the last item before that can be played; where there is none, to the start of the
        /// current one.
        case previous
        case jump(ItemID)
        /// Go to a time of the current item. The answer is false when there is no item, or when another
        /// jump comes first.
        case seek(CMTime, AnswerID?)
        /// As `seek`, by seconds from what is heard or was sought last.
        case seekBy(Double, AnswerID?)
        /// Answer every seek that is not heard yet.
        case cancelSeeks
        /// Play by other settings, from the first frame that is not heard; `seed` is for shuffling.
        case set(PlayerSettings, seed: UInt64)
        /// Let what is heard fall silent within so many seconds, and pause then.
        case fadeOut(Double)
        case cancelFadeOut
        /// Pause exactly before this time of the current item; nil takes that back. The answer is false
        /// when nothing is scheduled, or when it has passed that already.
        case pauseAt(CMTime?, AnswerID)
        /// Let the stream go, keep the place, and end the run.
        case halt
        /// End the session.
        case stop
    }

    /// What is asked of the queue.
    package enum Edit: Sendable {
        /// Where its current item goes, the one that is current then is played, from this time on or
        /// from where its playing begins.
        case change(QueueChange, from: CMTime? = nil)
        /// Add an item whose id was allotted by somebody else, after this one or at the end.
        case insert(QueueItem, after: ItemID?)
        /// Put an item in the place of the current one, or at the end where there is none.
        case replaceCurrent(QueueItem)
        /// Put an item before the current one and leave that for it.
        case goBack(QueueItem)
        /// Play another part of an item's source, also while it is heard.
        case setRange(ItemID, start: CMTime, end: CMTime?)
        /// End the run and put these items, which are staged, in place of all others. Where it is to be
        /// committed, nothing is kept until `commitEnded`.
        case replaceQueue([ItemID], seed: UInt64, isCommitted: Bool)
        /// The store is about to take an edit.
        case commitBegan
        /// It has, or could not.
        case commitEnded
    }

    /// What the decode thread and the clock have reported of the stream.
    package enum StreamFact: Sendable {
        case opened(Passage, MediaDescription)
        case failed(Passage, MediaError)
        /// Decoded to its end; one that could not be opened is too.
        case ended(PassageID, wasOpened: Bool)
        /// The format is known, and the output's threads run.
        case ready
        /// The exact length of a source is known, in frames.
        case measured(MediaSource, frames: Int)
        /// A passage is heard from its beginning.
        case began(Timeline.Segment)
        /// Sound has ceased.
        case held
        /// Everything that was scheduled has been heard.
        case finished
        /// The sound path has ended, after `stopStream`.
        case stopped
        /// The sound path has had its time to end.
        case deadlinePassed
    }

    /// What has become of the output.
    package enum OutputFact: Sendable {
        /// It works: it was opened, or answers after a long time.
        case works
        /// It is gone, or cannot be opened. `isDeviceRemembered`: the device is one that need not be
        /// there.
        case lost(OutputError, isDeviceRemembered: Bool)
        /// It has failed, and is not tried again.
        case failed(OutputError)
        /// A lost one is to be tried again.
        case retryIsDue
        /// A second has passed while sound is to run; since `waitsSince` the device has not answered,
        /// nil: it does.
        case secondPassed(waitsSince: Int64?)
        /// The device sleeps, or is awake again.
        case deviceSuspended(Bool)
        case server(Server)
    }

    /// What has become of the session.
    package enum SessionFact: Sendable {
        /// The session policy has decided: an empty list allows sound.
        case policyDecided([SuppressionReason])
        /// The process begins to end: what silences the player from now on is not the user's wish.
        case willStop
        /// All that is to be kept is wanted now.
        case flush
    }
}
