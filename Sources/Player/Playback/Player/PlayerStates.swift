extension Player {
    /// The moment of an input, with what is known only then.
    package struct Moment: Equatable, Sendable {
        /// Nanoseconds of CLOCK_MONOTONIC.
        package var hostTime: Int64
        /// Seconds since 1970; only used to compute how long ago something was.
        package var date: Double
        /// The position heard in the stream; nil before anything is heard.
        package var heard: HeardPosition?

        package init(hostTime: Int64, date: Double = 0, heard: HeardPosition? = nil) {
            self.hostTime = hostTime
            self.date = date
            self.heard = heard
        }
    }

    /// The stream that the sound path is playing.
    enum Stream: Equatable {
        /// No stream. The next one uses the format of its own first item.
        case none
        /// The first item is being opened.
        case opening
        /// The format is known, and the output may run.
        case open(Sound)
    }

    /// The state of the sound of an open stream.
    struct Sound: Equatable {
        enum Motion: Equatable {
            /// Not asked to run, or silent again.
            case still
            case running
            /// Asked to hold; may still be heard for some milliseconds.
            case stopping
        }

        var motion = Motion.still
        /// The item that is heard; nil before the first item is.
        var heard: ItemID?
        var isOutputLost = false
    }

    /// The start of the current item when none of its passages is scheduled.
    enum Rest: Equatable {
        /// Its normal start.
        case beginning
        case at(CMTime)
        /// At its end, at this time if known; the item stays current.
        case end(CMTime?)

        init(_ time: CMTime?) { self = time.map { .at($0) } ?? .beginning }

        var time: CMTime? {
            switch self {
            case .beginning: nil
            case .at(let time): time
            case .end(let time): time
            }
        }

        var isEnd: Bool { if case .end = self { true } else { false } }
    }

    /// The facts that a rate follows from; as long as it is the same, the store is not asked again.
    struct RateBasis: Equatable {
        var item: QueueItem
        var rates: ItemRates
        var choice: RateChooser.Choice?
    }

    /// A seek that was requested and is not heard yet.
    struct PendingSeek: Equatable {
        var passage: PassageID
        var time: CMTime
        /// The answer awaited by a caller; nil if there is none, or it was given already.
        var answer: AnswerID?
    }

    /// The events of a run.
    struct Run: Equatable {
        /// Items heard at least in part.
        var played = 0
        /// Items that could not be played, or not to their end.
        var failed = 0
        /// True if an output has worked for any of its streams.
        var hasOutputWorked = false
    }

    /// The session's progress towards its end.
    enum Phase: Equatable {
        case on
        /// The output has failed for good; its stream is about to end.
        case failing(OutputError)
        /// The session ends as soon as the sound path does.
        case closing(SessionEnd.Reason)
        case ended
    }

    /// The state of the sound server.
    package enum Server: Equatable, Sendable {
        /// Not queried yet, or there is none to query.
        case unknown
        /// The server answers.
        case present(hasDefaultDevice: Bool)
        /// The server does not answer; `wasPresent` means that it has before.
        case gone(wasPresent: Bool)
    }

    /// The permission to save the record.
    enum Keeping: Equatable {
        case always
        /// The store is about to commit a queue other than the current one, and saving the current
        /// one would overwrite it.
        case afterCommit
    }

    /// The state that is saved, and of which others hold a copy.
    struct SavedState: Equatable {
        var queueVersion: Int
        var settings: PlayerSettings
        var wantsPlayback: Bool
        var rest: Rest
        var soughtTime: CMTime?
        var stream: Stream
        var keeping: Keeping
        var isEnded: Bool

        init(_ player: Player) {
            queueVersion = player.queueVersion
            settings = player.settings
            wantsPlayback = player.wantsPlayback
            rest = player.rest
            soughtTime = player.pendingSeek?.time
            stream = player.stream
            keeping = player.keeping
            isEnded = player.hasEnded
        }
    }
}
