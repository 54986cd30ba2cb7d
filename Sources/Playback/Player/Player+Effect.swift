extension Player {
    /// What is to be done about an input.
    package enum Effect: Equatable, Sendable {
        // MARK: The sound path

        /// Begin a stream in the format of its first item.
        case openStream
        /// Connect to the output: a stream is about to be wanted.
        case prepareOutput
        case schedule(PlaybackPlan.Action)
        /// Run, at once or as soon as there is an output.
        case runOutput
        /// Fall silent and keep the place; `release` gives the device back too. The status is `then`
        /// once there is silence.
        case holdOutput(release: Bool, then: TimeControlStatus)
        /// The status, once there is silence, is this one.
        case statusWhenSilent(TimeControlStatus)
        /// Silence the sound path and let it end: `stopped` follows.
        case stopStream
        /// Report `deadlinePassed` after so many seconds.
        case awaitEnd(seconds: Double)
        /// Let the stream go; nothing of it is reported any more.
        case dropStream

        // MARK: The output

        case retryOutput
        /// Report `retryIsDue` in a while, later each time.
        case retryLater
        /// What is retried next is a first time.
        case endRetries
        case useDefaultDevice
        /// Listen to the sound server, where that is not done yet.
        case listenToServer
        /// Find out whether the sound server answers.
        case pingServer

        // MARK: Others

        /// The settings were these before.
        case settingsChanged(from: PlayerSettings)
        /// Who holds a copy of the queue needs a new one.
        case update
        case keep(PlayerRecord)
        case keepPosition(CMTime, of: ItemID)
        /// A file is left at this time, and no event says so.
        case leaveFile(ItemID, at: CMTime)
        /// Find the exact length of an item.
        case measure(QueueItem, MediaDescription)
        case measured(ItemID, length: CMTime)
        case report(Report)
        case answer(AnswerID, Bool)
        /// The input named an item that the queue does not have; nothing has changed.
        case refuse(QueueError)
        case finish(SessionEnd)
    }

    /// What is to be published.
    package enum Report: Equatable, Sendable {
        case queue
        /// As `queue`; the player has stopped at `time` of the item that is current now.
        case queueStopped(item: ItemID, place: Int, time: CMTime)
        case status(TimeControlStatus)
        /// The current item stands at this time, exactly.
        case position(CMTime)
        case settings
        case mediaFailure(MediaError, ItemID?)
        case outputFailure(OutputError)
        case runEnded(SessionEnd)
    }
}
