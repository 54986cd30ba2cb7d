import Glibc
import TestSupport
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongAudioIO

@Suite(.blockingThreads) struct `An output loop` {
    @Test(arguments: devices)
    func `An output loop plays every frame once, when the device wants it`(
        _ device: Device
    ) {
        let stage = Stage(device)

        stage.play()

        #expect(stage.device.music == Stage.frames)
        #expect(stage.reports.last { $0.isFinished }?.frame == Stage.count)
        // The device wants about one and a half seconds of sound at a time.
        #expect(stage.device.calls[.write, default: 0] < 20)
        #expect(stage.device.calls[.wait, default: 0] < 60)
    }

    @Test(arguments: devices)
    func `An output loop asks a device once, however many chunks it wants`(
        _ device: Device
    ) {
        let stage = Stage(device)

        stage.play()

        let times = stage.device.readingTimes
        #expect(times.count > 12)
        #expect(Set(times).count == times.count)
    }

    /// Some sinks report a wrong position for more than a second.
    @Test func `An output loop asks a device at least every 200 ms in its first two seconds`() {
        let stage = Stage(Device())

        stage.play()

        let times = stage.device.readingTimes.map { $0 - 1_000_000_000 }.prefix {
            $0 <= 2_000_000_000
        }
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(times.last == 2_000_000_000)
        #expect(gaps.allSatisfy { $0 <= 200_000_000 })
    }

    @Test func `An output loop asks a device a little sooner when awake anyhow, never much sooner`()
    {
        let stage = Stage(Device())
        for tick in 80...120 { stage.device.at(Double(tick) * 0.025) { stage.device.giveNews() } }

        stage.play()

        let times = stage.device.readingTimes.map { $0 - 1_000_000_000 }
            .filter { (2_000_000_000...3_000_000_000).contains($0) }
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(gaps.contains { (500_000_000...530_000_000).contains($0) })
        #expect(gaps.allSatisfy { $0 >= 500_000_000 || $0 < 30_000_000 })
    }

    @Test(arguments: [300, 700, 3000])
    func `An output loop plays the end without a gap on a device that takes whole blocks`(
        block: Int
    ) {
        let stage = Stage(Device(block: block))
        stage.device.takesWholeBlocks = true

        stage.play()

        let heard = stage.device.heard
        let first = heard.firstIndex { $0 != 0 } ?? heard.endIndex
        #expect(Array(heard[first...].prefix(Stage.count)) == Stage.frames)
    }

    @Test(arguments: devices)
    func `An output loop loses and repeats nothing in pauses, whenever they happen`(
        _ device: Device
    ) {
        let stage = Stage(device)
        var held: [(reported: Int, heard: Int)] = []
        stage.onReport = { [stage] report in
            guard case .held(let frame, _) = report else { return }
            stage.device.after(2_500_000_000) {
                held.append((frame, stage.device.music.count))
                stage.control.run()
                // Some follow so quickly that the clock has no reading yet.
                let next = held.count.isMultiple(of: 3) ? 3_710_003 : 237_130_007
                stage.device.after(Int64(next)) { stage.control.hold(release: false) }
            }
        }
        stage.device.at(0.0371) { stage.control.hold(release: false) }

        stage.play()

        #expect(stage.device.music == Stage.frames)
        #expect(held.count > 15)
        for (reported, heard) in held { #expect(reported == heard) }
    }

    @Test(arguments: devices)
    func `An output loop keeps its position to the frame when the device is released`(
        _ device: Device
    ) {
        let stage = Stage(device)
        stage.device.at(0.8713) { stage.control.hold(release: true) }
        stage.device.at(1.5) {
            #expect(!stage.device.isOpen)
            stage.control.run()
        }
        // During a pause of more than five seconds the device is released.
        stage.device.at(2.2031) { stage.control.hold(release: false) }
        stage.device.at(7) { #expect(stage.device.isOpen) }
        stage.device.at(9) {
            #expect(!stage.device.isOpen)
            stage.control.run()
        }

        stage.play()

        #expect(stage.device.music == Stage.frames)
        #expect(stage.device.calls[.open] == 3)
    }

    @Test func `An output loop counts digital silence, and one sample ends it`() {
        let stage = Stage(Device(), frames: 0)
        stage.append(ArraySlice(repeating: 0, count: 15_000))
        var lengths: [Int64] = []
        stage.device.at(1) { lengths.append(stage.control.silentNanoseconds) }
        stage.device.at(1.1) {
            stage.append([1] + ArraySlice(repeating: 0, count: Stage.count - 15_001))
        }
        stage.onReport = { [stage] report in
            if report.isFinished { lengths.append(stage.control.silentNanoseconds) }
        }

        stage.play()

        #expect(lengths.first == 1_875_000_000)
        // The block with the sample, of half a second at most, counts as sound up to its end.
        #expect(lengths.count == 2, "\(lengths)")
        #expect((1_625_000_000..<2_125_000_000).contains(lengths.last ?? 0), "\(lengths)")
    }

    @Test func `An output loop counts digital silence before it applies the volume`() {
        let stage = Stage(Device())
        stage.control.setLoudness(Loudness(gain: 0))
        var lengths: [Int64] = []
        for second in 1...3 {
            stage.device.at(Double(second)) { lengths.append(stage.control.silentNanoseconds) }
        }

        stage.play()

        #expect(stage.device.music.isEmpty)
        #expect(lengths == [0, 0, 0])
    }

    @Test func `An output loop does nothing while it is paused`() {
        let stage = Stage(Device())
        stage.device.at(1) { stage.control.hold(release: false) }
        var waits = 0
        stage.device.at(1.5) { waits = stage.device.calls[.wait, default: 0] }
        stage.device.at(5.5) {
            #expect(stage.device.calls[.wait, default: 0] == waits)
            stage.control.run()
        }

        stage.play()

        #expect(stage.device.music == Stage.frames)
    }

    @Test func `An output loop reports silence once, whatever happens during a pause`() {
        let stage = Stage(Device())
        stage.device.at(1) { stage.control.hold(release: false) }
        stage.device.at(1.5) { stage.control.setLoudness(Loudness(gain: 0.5)) }
        // The device is released meanwhile.
        stage.device.at(8) { stage.control.run() }

        stage.play()

        #expect(stage.reports.count { if case .held = $0 { true } else { false } } == 1)
        #expect(stage.device.calls[.open] == 2)
    }

    @Test func `An output loop keeps a file open during a pause`() {
        let stage = Stage(Device())
        stage.device.isRealTime = false
        stage.device.at(0.8) { stage.control.hold(release: true) }
        stage.device.at(7) {
            #expect(stage.device.isOpen)
            stage.control.run()
        }

        stage.play()

        #expect(stage.device.calls[.open] == 1)
        #expect(stage.device.music == Stage.frames)
    }

    @Test func `An output loop never waits for an answer of the device while it plays`() {
        let stage = Stage(Device())
        var isAwaited: [Bool] = []
        for second in 1...3 {
            stage.device.at(Double(second)) {
                isAwaited.append(stage.control.waitsSince != nil)
            }
        }

        stage.play()

        #expect(isAwaited == [false, false, false])
    }

    @Test
    func `An output loop notifies the clock that a device's reports from before a pause are void`()
    {
        let stage = Stage(Device())
        var epochs: [(reading: Int, report: Int)] = []
        stage.onReport = { [stage] report in
            guard case .held(_, let epoch) = report, let reading = stage.clockEpoch else { return }
            epochs.append((reading, epoch))
            stage.device.after(100_000_000) { stage.control.run() }
        }
        for second in 1...3 {
            stage.device.at(Double(second)) { stage.control.hold(release: false) }
        }

        stage.play()

        #expect(epochs.count == 3)
        #expect(epochs.allSatisfy { $0.reading < $0.report })
    }

    // MARK: Splices

    @Test(arguments: [false, true])
    func `An output loop plays an edit without a gap, and a jump as soon as possible`(isJump: Bool)
    {
        let stage = Stage(Device())
        var epochs: [Int?] = []
        stage.device.at(1.0127) {
            epochs.append(stage.clockEpoch)
            stage.cut(at: 0, isJump: isJump)
        }
        stage.device.at(1.1) { epochs.append(stage.clockEpoch) }

        stage.play()

        #expect(stage.device.flushes == [!isJump])
        #expect(epochs == [0, 1])
    }

    @Test(arguments: devices, [false, true])
    func `An output loop plays nothing of what is cut, and everything that follows`(
        _ device: Device, isPaused: Bool
    ) {
        let stage = Stage(device)
        if isPaused { stage.device.at(0.9) { stage.control.hold(release: false) } }
        stage.device.at(1.0127) { stage.cut(at: 0, isJump: true) }
        stage.device.at(2.5) { stage.control.run() }

        stage.play()

        let place = stage.cutPlace
        #expect(place > 6000 && place < 9000)
        #expect(stage.device.music == Stage.frames.prefix(place) + Stage.otherFrames)
    }

    @Test(arguments: devices) func `An output loop keeps what is before a later cut`(
        _ device: Device
    ) {
        let stage = Stage(device)
        stage.device.at(1.0127) { stage.cut(at: 12_345, isJump: false) }

        stage.play()

        #expect(stage.cutPlace <= 12_345)
        #expect(stage.device.music == Stage.frames.prefix(12_345) + Stage.otherFrames)
    }

    @Test(arguments: devices) func `An output loop pauses even while a splice is in progress`(
        _ device: Device
    ) {
        let stage = Stage(device)
        stage.device.at(1.0127) {
            stage.cut(at: 0, isJump: true) { stage.control.hold(release: false) }
        }
        stage.device.at(2) {
            #expect(stage.device.music.count == stage.cutPlace)
            stage.control.run()
        }

        stage.play()

        #expect(stage.device.music == Stage.frames.prefix(stage.cutPlace) + Stage.otherFrames)
    }

    // MARK: Trouble

    @Test(arguments: devices.dropLast(), [ScriptedDevice.Call.write, .reading, .wait, .drain])
    func `An output loop leaves nothing out when the device disappears during a call`(
        _ device: Device, _ call: ScriptedDevice.Call
    ) {
        let stage = Stage(device)
        stage.onReport = { [stage] report in
            guard case .lost = report else { return }
            stage.device.after(700_000_000) { stage.control.retry() }
        }
        stage.device.at(1.2) { stage.fail(call) }

        stage.play()

        #expect(stage.reports.contains { if case .lost = $0 { true } else { false } })
        let music = stage.device.music
        // Only what was lost with the device and the margin before it is repeated.
        let back = zip(music, music.dropFirst()).filter { $0 >= $1 }
        #expect(back.count <= 1)
        let repeated = back.first.map { Int($0.0) - Int($0.1) } ?? 0
        #expect(repeated < 8000 / 4)
        #expect(zip(music, music.dropFirst()).allSatisfy { $1 <= $0 + 1 })
        #expect(music.last == Stage.frames.last)
    }

    @Test(arguments: [(false, 800), (true, 2400)])
    func `An output loop repeats what a dying server may have discarded`(
        isVague: Bool, margin: Int
    ) throws {
        let stage = Stage(Device(isVague: isVague))
        stage.onReport = { [stage] report in
            guard case .lost = report else { return }
            stage.device.after(700_000_000) { stage.control.retry() }
        }
        stage.device.at(1.2) { stage.fail(.wait) }

        stage.play()

        let music = stage.device.music
        let back = try #require(zip(music, music.dropFirst()).first { $0 >= $1 })
        let repeated = Int(back.0) + 1 - Int(back.1)
        #expect(abs(repeated - margin) <= 2 * stage.device.block)
    }

    @Test(arguments: [ScriptedDevice.Call.wait, .flush, .resume])
    func `An output loop keeps its exact position when the device disappears during a pause`(
        _ call: ScriptedDevice.Call
    ) {
        let stage = Stage(Device())
        stage.device.at(1.4) { stage.control.hold(release: false) }
        stage.device.at(2) {
            stage.fail(call)
            switch call {
            case .resume: stage.control.run()
            case .flush: stage.control.hold(release: true)
            default: stage.control.hold(release: false)
            }
        }
        stage.device.at(3) { stage.control.run() }

        stage.play()

        #expect(stage.device.music == Stage.frames)
        #expect(stage.device.calls[.open] == 2)
        #expect(!stage.reports.contains { if case .lost = $0 { true } else { false } })
    }

    @Test func `An output loop tries again on request, and reports each failure`() {
        let stage = Stage(Device())
        var attempts = 0
        stage.fail(.open)
        stage.onReport = { [stage] report in
            switch report {
            case .lost, .stillLost:
                attempts += 1
                if attempts < 3 { stage.fail(.open) }
                stage.device.after(1_000_000_000) { stage.control.retry() }
            default: break
            }
        }

        stage.play()

        #expect(attempts == 3)
        #expect(stage.reports.count { if case .lost = $0 { true } else { false } } == 1)
        #expect(stage.reports.count { if case .stillLost = $0 { true } else { false } } == 2)
        #expect(stage.device.music == Stage.frames)
    }

    @Test func `An output loop plays late frames after an underrun, and waits without spinning`() {
        let stage = Stage(Device(), frames: 4000)
        stage.device.at(2) { stage.append(from: 4000) }

        stage.play()

        #expect(stage.device.music == Stage.frames)
        #expect(stage.device.calls[.wait, default: 0] < 60)
    }

    @Test(arguments: devices) func `An output loop recovers if its thread did not run for long`(
        _ device: Device
    ) {
        let stage = Stage(device)
        stage.device.at(0.5) { stage.device.pass(4) }

        stage.play()

        #expect(stage.device.music == Stage.frames)
    }

    @Test(arguments: devices.dropLast(), [false, true])
    func `An output loop reports the end if it was heard before a reading was taken`(
        _ device: Device, isSuspended: Bool
    ) {
        let stage = Stage(device)
        if isSuspended {
            stage.device.at(3.5) { stage.device.suspend(true) }
            stage.device.at(5) {
                stage.device.suspend(false)
                stage.device.pass(3)
            }
        } else {
            stage.device.at(3.5) { stage.control.hold(release: false) }
            stage.device.at(5) { stage.control.run() }
            stage.device.at(5.001) { stage.device.pass(3) }
        }
        stage.device.at(60) {
            Issue.record("the end is not reported")
            stage.control.stop()
        }

        stage.play()

        #expect(stage.device.music == Stage.frames)
        #expect(stage.reports.last { $0.isFinished }?.frame == Stage.count)
    }

    @Test(arguments: devices.dropLast(), [1.0, 3.0])
    func `An output loop stops the clock while the device is suspended, and continues with it`(
        _ device: Device, at seconds: Double
    ) {
        let stage = Stage(device)
        stage.device.at(seconds) { stage.device.suspend(true) }
        stage.device.at(seconds + 2) {
            let heard = stage.device.music.count + device.block
            #expect(stage.clockLimit <= heard)
            stage.device.suspend(false)
        }
        stage.device.at(seconds + 2.1) {
            #expect(stage.clockLimit > stage.device.music.count)
        }

        stage.play()

        #expect(stage.device.music == Stage.frames)
    }

    @Test(arguments: [false, true]) func `An output loop follows its stream to another device`(
        isPaused: Bool
    ) {
        let stage = Stage(Device())
        if isPaused { stage.device.at(0.9) { stage.control.hold(release: false) } }
        stage.device.at(1) { stage.device.move(toBlocksOf: 800) }
        stage.device.at(1.02) { stage.control.run() }
        stage.device.at(1.3) {
            let heard = Double(stage.device.music.count)
            #expect(abs(stage.clockFrame - heard) <= 800)
        }

        stage.play()

        #expect(stage.device.music == Stage.frames)
    }

    @Test func `An output loop reports that the device works again after a long stall`() {
        let stage = Stage(Device())
        stage.device.at(0.2) { stage.device.stalls[.reading] = 1_000_000_000 }

        stage.play()

        #expect(stage.reports.count { if case .works = $0 { true } else { false } } == 2)
        #expect(stage.device.music == Stage.frames)
    }

    @Test func `An output loop gives up a stalled device whose latency is an estimate`() {
        let stage = Stage(Device(isVague: true))
        stage.onReport = { [stage] report in
            guard case .lost = report else { return }
            stage.device.after(100_000_000) { stage.control.retry() }
        }
        stage.device.at(0.2) { stage.device.stalls[.reading] = 1_000_000_000 }

        stage.play()

        #expect(stage.device.calls[.open] == 2)
        #expect(stage.device.music.last == Stage.frames.last)
    }

    // MARK: Loudness

    @Test(arguments: devices, [false, true])
    func `An output loop changes the loudness of every frame not heard yet`(
        _ device: Device, isPaused: Bool
    ) {
        let stage = Stage(device)
        if isPaused { stage.device.at(0.9) { stage.control.hold(release: false) } }
        stage.device.at(1.0127) { stage.control.setLoudness(Loudness(gain: 0.5)) }
        stage.device.at(2) { stage.control.run() }

        stage.play()

        let music = stage.device.music
        let change = music.indices.first { music[$0] != Stage.frames[$0] } ?? 0
        #expect(change > 6000 && change < 9000)
        #expect(music.count == Stage.count)
        // A ramp of twenty milliseconds at most is between them.
        let softened = zip(music, Stage.frames).dropFirst(change + 400)
        #expect(softened.allSatisfy { abs(Int($0) * 2 - Int($1)) <= 2 })
    }
}

/// The properties of a device.
struct Device: CustomTestStringConvertible {
    var block = 40
    var rewinds = false
    var isVague = false
    var keepsPausedFrames = true

    var testDescription: String {
        "blocks of \(block) frames\(rewinds ? ", rewinds" : "")"
            + (keepsPausedFrames ? "" : ", discards what is paused")
    }
}

/// Sound cards and sinks with blocks of 5, 25, 100 ms and 2 s.
private let devices = [
    Device(), Device(block: 200), Device(block: 200, keepsPausedFrames: false),
    Device(block: 800, rewinds: true), Device(block: 16_000, rewinds: true),
]

/// A loop on a scripted device, with a ring full of frames that all differ. The loop runs on the
/// test's thread. Unchecked because a cut has a thread of its own, for which the loop waits.
private final class Stage: @unchecked Sendable {
    static let count = 32_000
    static let frames = (1...count).map { Int16($0) }
    static let otherFrames = (1...4000).map { Int16(-$0) }

    let device = ScriptedDevice()
    var control: OutputControl { channels.output }
    var onReport: (OutputReport) -> Void = { _ in }
    private(set) var reports: [OutputReport] = []
    private var seenReading = 0
    private var lastReading: ClockReading?
    /// The frame at which the output stopped for the cut.
    private(set) var cutPlace = 0
    private let channels: PipelineChannels
    private var signals: PipelineSignals { channels.signals }
    private var gate: SpliceGate { channels.gate }
    private var producer: FrameProducer
    private var consumer: FrameConsumer?
    private let cutIsDone = Semaphore()
    private var cuts = 0

    /// Creates a stage whose first `count` frames can be played; the stream ends after all frames.
    init(_ kind: Device, frames count: Int = Stage.count) {
        device.block = kind.block
        device.rewinds = kind.rewinds
        device.isVague = kind.isVague
        device.keepsPausedFrames = kind.keepsPausedFrames
        channels = PipelineChannels(hostClock: SystemClock())
        device.onHang = { [control = channels.output] in
            Issue.record("the loop waits for ever")
            control.stop()
        }
        let ring = FrameRing(format: ScriptedDevice.format, capacity: 70_000, history: 30_000)
        producer = ring.producer
        consumer = .some(ring.consumer)
        append(Self.frames.prefix(count))
    }

    /// Plays until the end of the stream, with everything that was scheduled.
    func play() {
        guard let consumer = consumer.take() else { return }
        control.run()
        var loop = OutputLoop<ScriptedOutput>(
            channels, format: ScriptedDevice.format, frames: consumer, hostClock: device,
            makeOutput: { [device] () throws(OutputError) in try ScriptedOutput(device) },
            report: { [self] report in
                reports.append(report)
                onReport(report)
                if report.isFinished { control.stop() }
            })
        loop.run()
        // The device plays what it still holds.
        device.pass(3)
        for _ in 0..<cuts { cutIsDone.wait() }
        onReport = { _ in }
    }

    /// The frame up to which the clock may run, by its last reading.
    var clockLimit: Int { reading?.written ?? 0 }

    /// The frame that is heard now, by the clock's last reading.
    var clockFrame: Double {
        guard let reading, let heard = reading.heard else { return .nan }
        return heard + Double(device.now - reading.hostTime) * 8000 / 1e9
    }

    /// The epoch of the clock's last reading.
    var clockEpoch: Int? { reading?.epoch }

    private var reading: ClockReading? {
        lastReading = channels.readings.reading(after: &seenReading) ?? lastReading
        return lastReading
    }

    /// Adds frames from `start` on, as the decode thread does.
    func append(from start: Int) { append(Self.frames.dropFirst(start)) }

    func append(_ frames: ArraySlice<Int16>) {
        let written = unsafe frames.withUnsafeBytes { unsafe producer.write($0) }
        precondition(written == frames.count)
        if producer.position >= Self.count { producer.finish() }
        signals.output.notify()
    }

    /// Replaces the frames from `frame` on, or from where the output has stopped if that is later.
    func cut(at frame: Int, isJump: Bool, meanwhile: @escaping @Sendable () -> Void = {}) {
        cuts += 1
        startThread(named: "cut") { [self] in
            let place = gate.close(before: frame, isJump: isJump) { false } ?? -1
            cutPlace = place
            meanwhile()
            producer.resume()
            producer.truncate(to: max(place, frame))
            append(Self.otherFrames[...])
            producer.finish()
            gate.reopen()
            cutIsDone.post()
        }
        let clock = PollClock(host: SystemClock())
        while gate.closing == nil { signals.output.wait(by: clock) { gate.closing != nil } }
        // The gate closes a moment before it wakes the loop.
        signals.output.wake()
    }

    /// Makes the next call of a kind fail.
    func fail(_ call: ScriptedDevice.Call) { device.faults.insert(call) }
}

extension OutputReport {
    fileprivate var isFinished: Bool { if case .finished = self { true } else { false } }

    fileprivate var frame: Int? { if case .finished(let frame) = self { frame } else { nil } }
}
