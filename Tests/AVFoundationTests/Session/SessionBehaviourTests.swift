import AVFoundation
import Synchronization
import TestSupport
import Testing
import UndersongBackground

/// A client that records its calls and plays on demand.
final class FakePlayer: AVAudioSessionClient {
    private let state = Mutex<(isRunning: Bool, changes: [AVAudioSession.Change])>((false, []))

    var isRunningIO: Bool { state.withLock { $0.isRunning } }
    var changes: [AVAudioSession.Change] { state.withLock { $0.changes } }

    func run(_ isRunning: Bool) { state.withLock { $0.isRunning = isRunning } }

    func audioSession(_ session: AVAudioSession, didChange change: AVAudioSession.Change) {
        state.withLock { $0.changes.append(change) }
    }
}

@Suite struct `An audio session's activity` {
    private let session = AVAudioSession(center: NotificationCenter())
    private let player = FakePlayer()

    init() { session.addClient(player) }

    @Test(.rule("2.5")) func `A session's activity begins and ends once, however often it is set`()
        throws
    {
        try session.setActive(true)
        try session.setActive(true)
        let during = session.isActive
        try session.setActive(false)
        try session.setActive(false)

        #expect(during)
        #expect(!session.isActive)
        #expect(player.changes == [.activated, .deactivated(notifyingOthers: false)])
    }

    @Test(.rule("T50")) func `A session stays inactive if activation fails`() {
        session.host.loseMediaServices()

        let code = code { try session.setActive(true) }

        #expect(code == 1_836_282_486)
        #expect(!session.isActive)
    }

    @Test(.rule("T50"))
    func `A session cannot activate during a call, or in the background without the mode`() {
        session.host.beginInterruption()
        let call = code { try session.setActive(true) }
        session.host.endInterruption(shouldResume: true)
        session.host.enter(.background, hasAudioCapability: true)
        let ambient = code { try session.setActive(true) }

        #expect(call == 561_017_449)
        #expect(ambient == 561_015_905)
        #expect(!session.isActive)
    }

    @Test(.rule("2.5")) func `A session ends during playback and throws isBusy`() throws {
        try session.setActive(true)
        player.run(true)

        let code = code { try session.setActive(false) }

        #expect(code == 560_030_580)
        #expect(!session.isActive)
        #expect(player.changes.last == .deactivated(notifyingOthers: false))
    }

    @Test(.rule("2.5")) func `A session notifies others at its end, not at its beginning`() throws {
        try session.setActive(true, options: .notifyOthersOnDeactivation)
        let (isActive, atFirst) = (session.isActive, player.changes.last)
        try session.setActive(false, options: .notifyOthersOnDeactivation)

        #expect(isActive)
        #expect(atFirst == .activated)
        #expect(player.changes.last == .deactivated(notifyingOthers: true))
    }

    @Test func `A session becomes active when a player starts, if possible`() {
        let inFront = session.activateForPlayback()
        session.host.beginInterruption()
        let interrupted = session.activateForPlayback()

        #expect(inFront)
        #expect(!interrupted)
        #expect(!session.isActive)
    }

    @Test func `A session reports a changed setup to players, but not an unchanged one`() throws {
        try session.setCategory(.playback)
        try session.setCategory(.playback)
        try session.setMode(.spokenAudio)

        let setups = [
            try? SessionSetup(category: .playback),
            try? SessionSetup(category: .playback, mode: .spokenAudio),
        ]
        #expect(player.changes == setups.compactMap { $0 }.map { .setup($0) })
    }

    @Test func `A session no longer reports to a player that was removed or released`() throws {
        var gone: FakePlayer? = FakePlayer()
        weak let weakly = gone
        session.addClient(try #require(gone))
        session.removeClient(player)

        gone = nil
        try session.setActive(true)

        #expect(weakly == nil)
        #expect(player.changes == [])
    }

    @Test(.rule("T55")) func `A session is interrupted once by nested interruptions`() {
        session.host.beginInterruption()
        session.host.beginInterruption()
        session.host.endInterruption(shouldResume: false)
        session.host.endInterruption(shouldResume: true)
        session.host.endInterruption(shouldResume: true)

        #expect(player.changes == [.interruptionBegan, .interruptionEnded(shouldResume: true)])
    }

    @Test(.rule("2.5"))
    func `A session's activity ends with an interruption and does not return after it`() throws {
        try session.setActive(true)
        session.host.beginInterruption()
        let during = session.isActive
        session.host.endInterruption(shouldResume: true)

        #expect(!during)
        #expect(!session.isActive)
        #expect(code { try session.setActive(true) } == nil)
    }

    @Test(.rule("2.5")) func `A session takes the sound back from another player`() throws {
        session.host.beginInterruption(isOverridable: true)

        try session.setActive(true)
        session.host.endInterruption(shouldResume: true)

        #expect(session.isActive)
        #expect(!session.isInterrupted)
        #expect(player.changes == [.interruptionBegan, .interruptionOverridden, .activated])
    }

    @Test(.rule("T58"))
    func `A session pauses players when their device disconnects, not when one connects`() {
        let speaker = route(.builtInSpeaker)

        session.host.changeRoute(to: route(.headphones), reason: .newDeviceAvailable)
        session.host.changeRoute(to: speaker, reason: .oldDeviceUnavailable)
        session.host.changeRoute(to: route(.headphones), reason: .newDeviceAvailable)

        #expect(player.changes == [.oldDeviceUnavailable])
        #expect(session.currentRoute.outputs.map(\.portType) == [.headphones])
        #expect(session.currentRoute.inputs == [])
    }

    @Test(.rule("T56"))
    func `A session is ducked by a prompt, or interrupted if it is spoken audio`() throws {
        session.host.beginPrompt()
        session.host.beginPrompt()
        session.host.endPrompt()
        session.host.endPrompt()
        try session.setCategory(.playback, mode: .spokenAudio)
        session.host.beginPrompt()
        session.host.endPrompt()
        session.host.endPrompt()

        #expect(
            player.changes.filter { if case .setup = $0 { false } else { true } } == [
                .gain(0.2), .gain(1), .interruptionBegan, .interruptionEnded(shouldResume: true),
            ])
    }

    @Test(.rule("2.5"))
    func `A session reports other audio, and hints at silence if that does not mix`() {
        let before = (session.isOtherAudioPlaying, session.secondaryAudioShouldBeSilencedHint)
        session.host.setOtherAudio(isPlaying: true, isMixable: true)
        let mixable = (session.isOtherAudioPlaying, session.secondaryAudioShouldBeSilencedHint)
        session.host.setOtherAudio(isPlaying: true)
        let music = (session.isOtherAudioPlaying, session.secondaryAudioShouldBeSilencedHint)

        #expect(before == (false, false))
        #expect(mixable == (true, false))
        #expect(music == (true, true))
    }

    @Test(.rule("2.5")) func `A session reports the device's properties from its host`() {
        var output = AVAudioSession.Output()
        output.volume = 0.4
        output.latency = 0.05
        output.ioBufferDuration = 0.02
        output.sampleRate = 48_000
        output.numberOfChannels = 6

        session.host.setOutput(output)
        session.host.setOutput(output)

        #expect(session.outputVolume == 0.4)
        #expect(session.outputLatency == 0.05)
        #expect(session.ioBufferDuration == 0.02)
        #expect(session.sampleRate == 48_000)
        #expect(session.outputNumberOfChannels == 6)
        #expect(session.maximumOutputNumberOfChannels == 6)
        #expect(player.changes == [.outputVolume(0.4)])
    }

    @Test(.rule("2.5")) func `A session makes the output volume observable`() {
        let volumes = Mutex<[Float?]>([])
        let observation = session.observe(\.outputVolume, options: [.initial, .new]) { _, change in
            volumes.withLock { $0.append(change.newValue) }
        }
        var output = AVAudioSession.Output()
        output.volume = 0.3

        session.host.setOutput(output)
        observation.invalidate()
        session.host.setOutput(AVAudioSession.Output())

        #expect(volumes.withLock { $0 } == [1, 0.3])
    }

    @Test(.rule("2.5"))
    func `A session's activity ends when the sound server goes, and the setup is kept`() throws {
        try session.setCategory(.playback)
        try session.setActive(true)

        session.host.loseMediaServices()
        session.host.loseMediaServices()
        session.host.resetMediaServices()
        session.host.resetMediaServices()

        #expect(!session.isActive)
        #expect(session.category == .playback)
        #expect(player.changes.suffix(2) == [.mediaServicesLost, .mediaServicesReset])
        #expect(player.changes.count == 4)
    }

    private func route(_ type: AVAudioSession.Port) -> AVAudioSessionRouteDescription {
        AVAudioSessionRouteDescription(outputs: [
            AVAudioSessionPortDescription(portType: type, portName: "Port", uid: type.rawValue)
        ])
    }

    private func code(_ body: () throws -> Void) -> Int? {
        do {
            try body()
            return nil
        } catch {
            return (error as NSError).code
        }
    }
}
