import Dispatch
import MediaPlayer
import Synchronization
import TestSupport
import Testing

private let mainQueueKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
}()

@Suite struct `Remote commands` {
    private let center = MPRemoteCommandCenter()

    @Test(.rule("2.6")) func `Remote commands are those of the process, all enabled at first`() {
        let commands = [
            center.playCommand, center.pauseCommand, center.stopCommand,
            center.togglePlayPauseCommand, center.nextTrackCommand, center.previousTrackCommand,
            center.skipForwardCommand, center.skipBackwardCommand, center.seekForwardCommand,
            center.seekBackwardCommand, center.changePlaybackPositionCommand,
            center.changePlaybackRateCommand, center.changeRepeatModeCommand,
            center.changeShuffleModeCommand, center.ratingCommand, center.likeCommand,
            center.dislikeCommand, center.bookmarkCommand,
        ]

        #expect(MPRemoteCommandCenter.shared() === MPRemoteCommandCenter.shared())
        #expect(commands.allSatisfy { $0.isEnabled && !$0.isSupported })
        #expect(Set(commands.map(ObjectIdentifier.init)).count == 18)
    }

    @Test(.rule("2.6"))
    func `Remote commands are answered on the main queue, and their status comes back`() async {
        let isOnMainQueue = Mutex(false)
        center.playCommand.addTarget { event in
            let isMain = DispatchQueue.getSpecific(key: mainQueueKey) == true
            isOnMainQueue.withLock { $0 = isMain }
            return .success
        }
        center.pauseCommand.addTarget { _ in .noSuchContent }

        let play = await center.host.send(.player(.resume))
        let pause = await center.host.send(.player(.pause))

        #expect(play == .success)
        #expect(pause == .noSuchContent)
        #expect(isOnMainQueue.withLock { $0 })
    }

    @Test(.rule("2.6")) func `Remote commands have Apple's status values`() {
        let statuses: [MPRemoteCommandHandlerStatus] = [
            .success, .noSuchContent, .noActionableNowPlayingItem, .deviceNotFound, .commandFailed,
        ]

        #expect(statuses.map(\.rawValue) == [0, 100, 110, 120, 200])
    }

    @Test(.rule("2.6"))
    func `Remote commands fail where nobody answers, or while they are disabled`() async {
        let nobody = await center.host.send(.player(.stop))
        center.stopCommand.addTarget { _ in .success }
        center.stopCommand.isEnabled = false
        let disabled = await center.host.send(.player(.stop))
        let isSupported = center.stopCommand.isSupported
        center.stopCommand.isEnabled = true
        let enabled = await center.host.send(.player(.stop))

        #expect([nobody, disabled, enabled] == [.commandFailed, .commandFailed, .success])
        #expect(!isSupported)
    }

    @Test(.rule("2.6"))
    func `Remote commands ask every handler in order, and report the first that failed`() async {
        let order = Mutex<[Int]>([])
        for (number, status) in [
            (1, MPRemoteCommandHandlerStatus.success), (2, .deviceNotFound), (3, .noSuchContent),
        ] {
            center.nextTrackCommand.addTarget { _ in
                order.withLock { $0.append(number) }
                return status
            }
        }

        let status = await center.host.send(.player(.next))

        #expect(order.withLock { $0 } == [1, 2, 3])
        #expect(status == .deviceNotFound)
    }

    @Test(.rule("2.6")) func `Remote commands forget one handler, or all of them for nil`() async {
        let first = center.playCommand.addTarget { _ in .success }
        _ = center.playCommand.addTarget { _ in .noSuchContent }

        center.playCommand.removeTarget(first)
        center.playCommand.removeTarget("no target")
        let afterOne = await center.host.send(.player(.resume))
        center.playCommand.removeTarget(nil)
        center.playCommand.removeTarget(nil)
        let afterAll = await center.host.send(.player(.resume))

        #expect(afterOne == .noSuchContent)
        #expect(afterAll == .commandFailed)
    }

    @Test(.rule("2.6")) func `Remote commands and their events say what they carry`() async {
        let said = Mutex<[String]>([])
        func listen(_ command: MPRemoteCommand, _ text: @escaping (MPRemoteCommandEvent) -> String?)
        {
            command.addTarget { event in
                let line = text(event) ?? "another event"
                said.withLock { $0.append(line) }
                return event.command === command ? .success : .commandFailed
            }
        }
        listen(center.skipForwardCommand) {
            ($0 as? MPSkipIntervalCommandEvent).map { "skip \($0.interval)" }
        }
        listen(center.skipBackwardCommand) {
            ($0 as? MPSkipIntervalCommandEvent).map { "skip back \($0.interval)" }
        }
        listen(center.seekForwardCommand) {
            ($0 as? MPSeekCommandEvent).map { "wind \($0.type.rawValue)" }
        }
        listen(center.seekBackwardCommand) {
            ($0 as? MPSeekCommandEvent).map { "wind back \($0.type.rawValue)" }
        }
        listen(center.changePlaybackPositionCommand) {
            ($0 as? MPChangePlaybackPositionCommandEvent).map { "position \($0.positionTime)" }
        }
        listen(center.changePlaybackRateCommand) {
            ($0 as? MPChangePlaybackRateCommandEvent).map { "rate \($0.playbackRate)" }
        }
        listen(center.changeRepeatModeCommand) {
            ($0 as? MPChangeRepeatModeCommandEvent).map {
                "repeat \($0.repeatType.rawValue) \($0.preservesRepeatMode)"
            }
        }
        listen(center.changeShuffleModeCommand) {
            ($0 as? MPChangeShuffleModeCommandEvent).map {
                "shuffle \($0.shuffleType.rawValue) \($0.preservesShuffleMode)"
            }
        }
        listen(center.ratingCommand) {
            ($0 as? MPRatingCommandEvent).map { "rating \($0.rating)" }
        }
        listen(center.likeCommand) {
            ($0 as? MPFeedbackCommandEvent).map { "like \($0.isNegative)" }
        }
        listen(center.dislikeCommand) {
            ($0 as? MPFeedbackCommandEvent).map { "dislike \($0.isNegative)" }
        }
        listen(center.bookmarkCommand) {
            ($0 as? MPFeedbackCommandEvent).map { "bookmark \($0.isNegative)" }
        }
        listen(center.previousTrackCommand) { $0.timestamp > 0 ? "previous" : nil }
        let commands: [MPRemoteCommandCenter.Command] = [
            .skipForward(15), .skipBackward(30), .seekForward(.beginSeeking),
            .seekBackward(.endSeeking), .changePlaybackPosition(61.5), .changePlaybackRate(1.5),
            .changeRepeatMode(.all), .changeShuffleMode(.items), .rating(4),
            .like(isNegative: false), .dislike(isNegative: true), .bookmark(isNegative: false),
            .player(.previous),
        ]

        var statuses: [MPRemoteCommandHandlerStatus] = []
        for command in commands { statuses.append(await center.host.send(command)) }

        #expect(statuses == Array(repeating: .success, count: 13))
        #expect(
            said.withLock { $0 } == [
                "skip 15.0", "skip back 30.0", "wind 0", "wind back 1", "position 61.5", "rate 1.5",
                "repeat 2 false", "shuffle 1 false", "rating 4.0", "like false", "dislike true",
                "bookmark false", "previous",
            ])
    }

    @Test(.rule("2.6")) func `Remote commands keep what an application says of them`() {
        center.skipForwardCommand.preferredIntervals = [15, 30]
        center.changePlaybackRateCommand.supportedPlaybackRates = [0.5, 1.0, 2.0]
        center.changeRepeatModeCommand.currentRepeatType = .one
        center.changeShuffleModeCommand.currentShuffleType = .collections
        center.ratingCommand.minimumRating = 1
        center.ratingCommand.maximumRating = 5
        center.likeCommand.isActive = true
        center.likeCommand.localizedTitle = "Like this song"
        center.likeCommand.localizedShortTitle = "Like"

        #expect(center.skipForwardCommand.preferredIntervals == [15, 30])
        #expect(center.skipBackwardCommand.preferredIntervals == [10])
        #expect(center.changePlaybackRateCommand.supportedPlaybackRates == [0.5, 1.0, 2.0])
        #expect(center.changeRepeatModeCommand.currentRepeatType == .one)
        #expect(center.changeShuffleModeCommand.currentShuffleType.rawValue == 2)
        #expect(center.ratingCommand.minimumRating == 1)
        #expect(center.ratingCommand.maximumRating == 5)
        #expect(center.likeCommand.isActive)
        #expect(center.likeCommand.localizedTitle == "Like this song")
        #expect(center.likeCommand.localizedShortTitle == "Like")
    }

    @Test func `Remote commands report every change to their host`() {
        let count = Mutex(0)
        center.host.onChange { count.withLock { $0 += 1 } }

        let target = center.playCommand.addTarget { _ in .success }
        center.playCommand.isEnabled = false
        center.playCommand.removeTarget(target)
        center.skipForwardCommand.preferredIntervals = [15]

        #expect(count.withLock { $0 } == 4)
    }

    @Test(.rule("T54", "2.6"))
    func `Remote commands make a process Now Playing in an active session that does not mix`()
        throws
    {
        let session = AVAudioSession(center: NotificationCenter())
        try session.setCategory(.playback)
        let neither = center.host.isEligible(for: session)
        try session.setActive(true)
        let noHandler = center.host.isEligible(for: session)
        let target = center.bookmarkCommand.addTarget { _ in .success }
        let eligible = center.host.isEligible(for: session)
        session.host.enter(.background, hasAudioCapability: true)
        let inBackground = center.host.isEligible(for: session)
        try session.setCategory(.playback, options: .mixWithOthers)
        let mixing = center.host.isEligible(for: session)
        try session.setCategory(.playback)
        center.bookmarkCommand.removeTarget(target)

        #expect(
            [neither, noHandler, eligible, inBackground, mixing] == [
                false, false, true, true, false,
            ])
        #expect(!center.host.isEligible(for: session))
    }

    @Test(.rule("2.6"))
    func `Remote commands turn the play button into one of two where there is no third`()
        async
    {
        let nowPlaying = MPNowPlayingInfoCenter { 0 }
        let center = MPRemoteCommandCenter(nowPlaying: nowPlaying)
        let said = Mutex<[String]>([])
        center.playCommand.addTarget { _ in
            said.withLock { $0.append("play") }
            return .success
        }
        center.pauseCommand.addTarget { _ in
            said.withLock { $0.append("pause") }
            return .success
        }

        nowPlaying.nowPlayingInfo = [MPNowPlayingInfoPropertyPlaybackRate: 1]
        _ = await center.host.send(.player(.toggle))
        nowPlaying.nowPlayingInfo = [MPNowPlayingInfoPropertyPlaybackRate: 0]
        _ = await center.host.send(.player(.toggle))
        center.togglePlayPauseCommand.addTarget { _ in
            said.withLock { $0.append("toggle") }
            return .success
        }
        _ = await center.host.send(.player(.toggle))

        #expect(said.withLock { $0 } == ["pause", "play", "toggle"])
    }
}
