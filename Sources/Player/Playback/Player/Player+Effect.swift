extension Player {
    /// What to do in response to an input.
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

    /// What to publish.
    package enum Report: Equatable, Sendable {
        case queue
        /// As `queue`, and the player has stopped at `time` of the item that is now current.
        case queueStopped(item: ItemID, place: Int, time: CMTime)
        case status(TimeControlStatus)
        /// The exact position in the current item.
        case position(CMTime)
        case settings
        case mediaFailure(MediaError, ItemID?)
        case outputFailure(OutputError)
        case runEnded(SessionEnd)
    }
}
