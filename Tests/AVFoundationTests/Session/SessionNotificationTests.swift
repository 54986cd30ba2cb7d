import AVFoundation
import Dispatch
import TestSupport
import Testing

private let mainQueueKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
}()

/// `Thread.isMainThread` cannot be used: on Linux the main queue of a program with an asynchronous
/// `main` runs on other threads.
private func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: mainQueueKey) == true }

/// A notification, decoded as an application would.
private struct Heard: Equatable, Sendable {
    var type: AVAudioSession.InterruptionType?
    var shouldResume: Bool?
    var interruptionReason: AVAudioSession.InterruptionReason?
    var routeReason: AVAudioSession.RouteChangeReason?
    var previous: [AVAudioSession.Port]?
    var hint: AVAudioSession.SilenceSecondaryAudioHintType?
    var isOnMainQueue = true
    var isFromSession = true
}

@Suite struct `An audio session's notifications` {
    private let center = NotificationCenter()
    private let session: AVAudioSession

    init() { session = AVAudioSession(center: center) }

    @Test(.rule("2.5")) func `A session's notifications have Apple's names and keys`() {
        let names = [
            AVAudioSession.interruptionNotification, AVAudioSession.routeChangeNotification,
            AVAudioSession.mediaServicesWereLostNotification,
            AVAudioSession.mediaServicesWereResetNotification,
            AVAudioSession.silenceSecondaryAudioHintNotification,
        ]

        #expect(
            names.map(\.rawValue) == [
                "AVAudioSessionInterruptionNotification", "AVAudioSessionRouteChangeNotification",
                "AVAudioSessionMediaServicesWereLostNotification",
                "AVAudioSessionMediaServicesWereResetNotification",
                "AVAudioSessionSilenceSecondaryAudioHintNotification",
            ])
        #expect(AVAudioSessionInterruptionTypeKey == "AVAudioSessionInterruptionTypeKey")
        #expect(AVAudioSessionInterruptionOptionKey == "AVAudioSessionInterruptionOptionKey")
    }

    @Test(.rule("T49"))
    func `An interruption's notification has type 1 when it begins, and 0 when it ends`()
        async throws
    {
        try session.setActive(true)
        let notifications = listen(to: AVAudioSession.interruptionNotification)

        session.host.beginInterruption(reason: .routeDisconnected)
        session.host.endInterruption(shouldResume: true)
        session.host.beginInterruption()
        session.host.endInterruption(shouldResume: false)
        try session.setActive(true)
        session.host.beginInterruption()
        session.host.endInterruption(shouldResume: false)

        let heard = await first(4, of: notifications)
        #expect(
            heard == [
                Heard(type: .began, interruptionReason: .routeDisconnected),
                Heard(type: .ended, shouldResume: true),
                Heard(type: .began, interruptionReason: .default),
                Heard(type: .ended, shouldResume: false),
            ])
    }

    @Test(.rule("T49"))
    func `A notification's numbers can be read as UInt, as Int and as NSNumber`() async throws {
        try session.setActive(true)
        let kinds = AsyncStream<[Bool]> { continuation in
            _ = center.addObserver(
                forName: AVAudioSession.interruptionNotification, object: nil, queue: nil
            ) { notification in
                let value = notification.userInfo?[AVAudioSessionInterruptionTypeKey]
                continuation.yield([
                    value as? UInt == 1, value as? Int == 1, (value as? NSNumber)?.intValue == 1,
                ])
            }
        }

        session.host.beginInterruption()

        #expect(await first(1, of: kinds) == [[true, true, true]])
    }

    @Test
    func `No interruption is posted for a session that was neither active nor playing`()
        async throws
    {
        let notifications = listen(to: AVAudioSession.interruptionNotification)

        session.host.beginInterruption()
        session.host.endInterruption(shouldResume: true)
        let player = FakePlayer()
        player.run(true)
        session.addClient(player)
        session.host.beginInterruption(reason: .routeDisconnected)

        let heard = await first(1, of: notifications)
        #expect(heard == [Heard(type: .began, interruptionReason: .routeDisconnected)])
    }

    @Test(.rule("T58"))
    func `A route change is posted with reason and previous route, off the main queue`()
        async throws
    {
        let notifications = listen(to: AVAudioSession.routeChangeNotification)
        let headphones = AVAudioSessionRouteDescription(outputs: [
            AVAudioSessionPortDescription(portType: .headphones, portName: "Phones", uid: "p")
        ])

        session.host.changeRoute(to: headphones, reason: .newDeviceAvailable)
        session.host.changeRoute(
            to: AVAudioSessionRouteDescription(outputs: []), reason: .oldDeviceUnavailable)

        let heard = await first(2, of: notifications)
        #expect(
            heard == [
                Heard(
                    routeReason: .newDeviceAvailable, previous: [.builtInSpeaker],
                    isOnMainQueue: false),
                Heard(
                    routeReason: .oldDeviceUnavailable, previous: [.headphones],
                    isOnMainQueue: false),
            ])
    }

    @Test(.rule("2.5")) func `Notifications report a changed category and a changed output choice`()
        async throws
    {
        let notifications = listen(to: AVAudioSession.routeChangeNotification)

        try session.setCategory(.playAndRecord)
        try session.setCategory(.playAndRecord, options: .mixWithOthers)
        try session.overrideOutputAudioPort(.speaker)
        try session.overrideOutputAudioPort(.speaker)
        try session.setCategory(.playback)

        let heard = await first(3, of: notifications)
        #expect(heard.map(\.routeReason) == [.categoryChange, .override, .categoryChange])
    }

    @Test(.rule("2.5")) func `Notifications report that the sound server has gone and is back`()
        async throws
    {
        let lost = listen(to: AVAudioSession.mediaServicesWereLostNotification)
        let reset = listen(to: AVAudioSession.mediaServicesWereResetNotification)

        session.host.loseMediaServices()
        session.host.resetMediaServices()

        #expect(await first(1, of: lost) == [Heard()])
        #expect(await first(1, of: reset) == [Heard()])
    }

    @Test(.rule("2.5"))
    func `Notifications hint at silence to an active session in the foreground`() async throws {
        let notifications = listen(to: AVAudioSession.silenceSecondaryAudioHintNotification)

        session.host.setOtherAudio(isPlaying: true)
        try session.setActive(true)
        session.host.setOtherAudio(isPlaying: false)
        session.host.setOtherAudio(isPlaying: true, isMixable: true)
        session.host.enter(.background, hasAudioCapability: true)
        session.host.setOtherAudio(isPlaying: true)
        session.host.enter(.active, hasAudioCapability: true)
        session.host.setOtherAudio(isPlaying: false)
        session.host.setOtherAudio(isPlaying: true)

        let heard = await first(3, of: notifications)
        #expect(heard.map(\.hint) == [.end, .end, .begin])
    }

    @Test(.rule("2.5")) func `A session's notifications have Apple's raw values`() {
        let reasons: [AVAudioSession.RouteChangeReason] = [
            .unknown, .newDeviceAvailable, .oldDeviceUnavailable, .categoryChange, .override,
            .wakeFromSleep, .noSuitableRouteForCategory, .routeConfigurationChange,
        ]
        let interruptions: [AVAudioSession.InterruptionReason] = [
            .default, .appWasSuspended, .builtInMicMuted, .routeDisconnected,
        ]

        #expect(reasons.map(\.rawValue) == [0, 1, 2, 3, 4, 6, 7, 8])
        #expect(interruptions.map(\.rawValue) == [0, 1, 2, 4])
        #expect(AVAudioSession.InterruptionType.began.rawValue == 1)
        #expect(AVAudioSession.InterruptionType.ended.rawValue == 0)
        #expect(AVAudioSession.InterruptionOptions.shouldResume.rawValue == 1)
        #expect(AVAudioSession.SilenceSecondaryAudioHintType.begin.rawValue == 1)
    }

    /// Reads notifications as an application does, following Apple's documentation to the letter.
    private func listen(to name: Notification.Name) -> AsyncStream<Heard> {
        AsyncStream { continuation in
            _ = center.addObserver(forName: name, object: session, queue: nil) {
                [weak session] notification in
                var heard = Heard(isOnMainQueue: isOnMainQueue())
                heard.isFromSession = notification.object as AnyObject === session
                let userInfo = notification.userInfo ?? [:]
                if let value = userInfo[AVAudioSessionInterruptionTypeKey] as? UInt {
                    heard.type = AVAudioSession.InterruptionType(rawValue: value)
                }
                if let value = userInfo[AVAudioSessionInterruptionOptionKey] as? UInt {
                    let options = AVAudioSession.InterruptionOptions(rawValue: value)
                    heard.shouldResume = options.contains(.shouldResume)
                }
                if let value = userInfo[AVAudioSessionInterruptionReasonKey] as? UInt {
                    heard.interruptionReason = AVAudioSession.InterruptionReason(rawValue: value)
                }
                if let value = userInfo[AVAudioSessionRouteChangeReasonKey] as? UInt {
                    heard.routeReason = AVAudioSession.RouteChangeReason(rawValue: value)
                }
                let previous =
                    userInfo[AVAudioSessionRouteChangePreviousRouteKey]
                    as? AVAudioSessionRouteDescription
                heard.previous = previous?.outputs.map(\.portType)
                if let value = userInfo[AVAudioSessionSilenceSecondaryAudioHintTypeKey] as? UInt {
                    heard.hint = AVAudioSession.SilenceSecondaryAudioHintType(rawValue: value)
                }
                continuation.yield(heard)
            }
        }
    }

    private func first<Element: Sendable>(
        _ count: Int, of stream: AsyncStream<Element>
    ) async -> [Element] {
        var elements: [Element] = []
        for await element in stream {
            elements.append(element)
            if elements.count == count { break }
        }
        return elements
    }
}
