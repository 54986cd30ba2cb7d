extension Player {
    /// When an input comes, and what is known at that moment only.
    package struct Moment: Equatable, Sendable {
        /// Nanoseconds of CLOCK_MONOTONIC.
        package var hostTime: Int64
        /// Seconds since 1970, only good to say how long ago something was.
        package var date: Double
        /// Where the stream is heard; nil before anything was.
        package var heard: HeardPosition?

        package init(hostTime: Int64, date: Double = 0, heard: HeardPosition? = nil) {
            self.hostTime = hostTime
            self.date = date
            self.heard = heard
        }
    }

    /// The stream that the sound path plays.
    enum Stream: Equatable {
        /// There is none: the next begins in the format of its own first item.
        case none
        /// Its first item is being opened.
        case opening
        /// It has a format, and its output may run.
        case open(Sound)
    }

    /// What is known of the sound of an open stream.
    struct Sound: Equatable {
        enum Motion: Equatable {
            /// It was not asked to run, or is silent again.
            case still
            case running
            /// It was asked to hold and may sound for some milliseconds yet.
            case stopping
        }

        var motion = Motion.still
        /// What is heard; nil before the first item is.
        var heard: Heard?
        var output = Output.untried

        /// What has become of the output of this stream.
        enum Output: Equatable {
            case untried
            case working
            case lost(hasWorked: Bool)
        }
    }

    /// An item, and by which passage it is heard.
    struct Heard: Equatable {
        var item: ItemID
        var passage: PassageID
    }

    /// Where the current item is played from when no passage of it is scheduled.
    enum Rest: Equatable {
        /// From where its playing begins anyway.
        case beginning
        case at(CMTime)
        /// It was heard to its end, at this time where that is known, and stays current.
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

    /// A seek that has been asked for and not yet heard.
    struct PendingSeek: Equatable {
        var passage: PassageID
        var time: CMTime
        /// Who wants to know how it ends; nil: nobody, or they know already.
        var answer: AnswerID?
    }

    /// What of a run is counted.
    struct Run: Equatable {
        /// Items of which something was heard.
        var played = 0
        /// Items that could not be played, or not to their end.
        var failed = 0
    }

    /// How far the session is from its end.
    enum Phase: Equatable {
        case on
        /// The output has failed for good; its stream is about to end.
        case failing(OutputError)
        /// The session ends as soon as the sound path does.
        case closing(SessionEnd.Reason)
        case ended
    }

    /// What is known of the sound server.
    package enum Server: Equatable, Sendable {
        /// Nobody has asked it yet, or there is none to ask.
        case unknown
        /// It answers.
        case present(hasDefaultDevice: Bool)
        /// It does not; `wasPresent`: it has answered before.
        case gone(wasPresent: Bool)
    }

    /// Whether the record is kept now.
    enum Keeping: Equatable {
        case always
        /// The store is about to have another queue than the one that is here: what was kept of this
        /// one would take its place.
        case afterCommit
    }

    /// What is kept, and what others hold a copy of.
    struct Held: Equatable {
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
