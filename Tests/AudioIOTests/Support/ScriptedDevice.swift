import Glibc
import UndersongBase
import UndersongPlayback

@testable import UndersongAudioIO

/// A device whose time is moved by hand, with scheduled events.
///
/// It takes a block of frames at a time from the buffer before it, as sound cards and the sound
/// server's sinks do, and records everything that was heard. Time passes only while the output
/// thread's loop waits. Unchecked because only the thread that runs the loop touches it.
final class ScriptedDevice: OutputClock, @unchecked Sendable {
    /// The calls of the port, each of which can fail.
    enum Call: String, CaseIterable {
        case open, write, reading, pause, resume, flush, wait, expectEnd, drain, setVolume
    }

    static let format = StreamFormat(sampleRate: 8000, channelCount: 1)
    /// Frames of the buffer, and how many of them must be free before more is wanted.
    static let capacity = 24_000
    static let request = 11_200

    /// Frames that the device takes at once.
    var block = 40
    /// True if it returns what it has taken and not played.
    var rewinds = false
    /// True if a pause keeps what was not heard, rather than discarding it.
    var keepsPausedFrames = true
    /// True if its latency is an estimate.
    var isVague = false
    /// True if sound plays at the listener's pace, unlike into a file.
    var isRealTime = true
    /// True if it takes less than a block only when it knows that no more follows.
    var takesWholeBlocks = false
    /// Called when the loop would wait for ever.
    var onHang: () -> Void = {}
    /// The kinds of calls whose next one fails because the device is gone.
    var faults: Set<Call> = []
    /// The duration of each call, in nanoseconds, during which the device does not play.
    var stalls: [Call: Int64] = [:]

    private(set) var now: Int64 = 1_000_000_000
    /// Everything that was heard; 0 is silence.
    private(set) var heard: [Int16] = []
    /// The number of times that each call was made.
    private(set) var calls: [Call: Int] = [:]
    /// When each reading was taken.
    private(set) var readingTimes: [Int64] = []
    private(set) var volumes: [StreamVolume.Change] = []
    /// For each flush, whether something was to follow without a gap.
    private(set) var flushes: [Bool] = []
    private var script: [(time: Int64, body: () -> Void)] = []
    private var queue: [Int16] = []
    /// The frames that the device has taken, and when it takes the next block.
    private var taken: ArraySlice<Int16> = []
    private var blockTime: Int64 = 1_000_000_000
    private var wishes = false
    private var isCorked = false
    private var isEnding = false
    private var isSuspended = false
    private var hasNews = false
    private(set) var deviceChanges = 0
    private(set) var isOpen = false

    /// Everything heard except silence.
    var music: [Int16] { heard.filter { $0 != 0 } }

    /// Calls `body` `seconds` after the start, while the loop waits.
    func at(_ seconds: Double, do body: @escaping () -> Void) {
        after(Int64(seconds * 1e9) + 1_000_000_000 - now, do: body)
    }

    /// Calls `body` in `nanoseconds`.
    func after(_ nanoseconds: Int64, do body: @escaping () -> Void) {
        let time = now + nanoseconds
        let place = script.firstIndex { $0.time > time } ?? script.endIndex
        script.insert((time, body), at: place)
    }

    /// Stops playing, or continues.
    func suspend(_ isSuspended: Bool) {
        self.isSuspended = isSuspended
        deviceChanges += 1
        hasNews = true
    }

    /// Takes blocks of another length from now on, as another device does.
    func move(toBlocksOf block: Int) {
        self.block = block
        deviceChanges += 1
        hasNews = true
    }

    /// Ends the current wait.
    func giveNews() { hasNews = true }

    /// Lets time pass unnoticed by the thread, as if it was not scheduled.
    func pass(_ seconds: Double) { play(until: now + Int64(seconds * 1e9)) }

    // MARK: OutputClock

    func wait(for descriptor: Int32, until deadline: Int64) {
        wait(until: deadline, or: descriptor)
    }

    func wait(for descriptor: Int32) { Wakeup.wait(for: descriptor) }

    // MARK: The port

    func open() throws(OutputError) {
        try begin(.open)
        isOpen = true
        isCorked = false
    }

    func close() {
        // Frames not heard before now are lost with the stream if the device returns them.
        giveBack()
        isOpen = false
        queue = []
    }

    /// A request lasts until it is fulfilled, to within 20 ms.
    var room: Int {
        let room = Self.capacity - queue.count
        wishes = room >= Self.request || (wishes && room >= 160)
        return wishes ? room : 0
    }

    func write(_ frames: UnsafeRawBufferPointer) throws(OutputError) {
        try begin(.write)
        unsafe queue += frames.bindMemory(to: Int16.self)
        (isCorked, isEnding) = (false, false)
    }

    func reading() throws(OutputError) -> OutputReading? {
        try begin(.reading)
        readingTimes.append(now)
        return isCorked || queue.isEmpty
            ? nil
            : OutputReading(
                latency: time(of: queue.count) + rest, hostTime: now, isPlaying: !isSuspended)
    }

    func pause() throws(OutputError) -> Int {
        try begin(.pause)
        guard keepsPausedFrames else {
            defer { queue = [] }
            return queue.count
        }
        isCorked = true
        giveBack()
        return queue.count
    }

    func resume() throws(OutputError) {
        try begin(.resume)
        // What the device has taken since is silence.
        giveBack()
        isCorked = false
    }

    func flush(continuing: Bool) throws(OutputError) -> Int {
        try begin(.flush)
        flushes.append(continuing)
        giveBack()
        defer { queue = [] }
        return queue.count
    }

    func expectEnd() throws(OutputError) {
        try begin(.expectEnd)
        isEnding = true
    }

    func drain() throws(OutputError) {
        try begin(.drain)
        isEnding = true
        play(until: now + time(of: (queue.count + block - 1) / block * block))
    }

    func set(_ change: StreamVolume.Change) throws(OutputError) {
        try begin(.setVolume)
        volumes.append(change)
    }

    func waitAsOutput(until deadline: Int64, or descriptor: Int32) throws(OutputError) {
        try begin(.wait)
        wait(until: deadline, or: descriptor)
    }

    // MARK: Time

    private func begin(_ call: Call) throws(OutputError) {
        calls[call, default: 0] += 1
        now += stalls.removeValue(forKey: call) ?? 0
        guard faults.remove(call) != nil else { return }
        // What the device had taken is not heard any further.
        hear(max(0, block - Self.format.frames(nanoseconds: rest)))
        taken = []
        close()
        throw OutputError(.serverLost, operation: "play", reason: "It has gone")
    }

    private func wait(until deadline: Int64, or descriptor: Int32) {
        hasNews = false
        while !isReadable(descriptor) && !hasNews {
            let wish = isOpen && room == 0 && !isCorked && !isSuspended ? wishTime : .max
            let event = script.first?.time ?? .max
            let next = max(now, min(deadline, wish, event))
            guard next < .max else { return onHang() }
            play(until: next)
            if event > next { return }
            script.removeFirst().body()
        }
    }

    private func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) > 0
    }

    /// When the buffer is empty enough for the device to want more.
    private var wishTime: Int64 {
        let excess = queue.count - (Self.capacity - Self.request)
        return blockTime + time(of: max(0, (excess - 1) / block * block))
    }

    private func play(until end: Int64) {
        if isSuspended { blockTime += end - now }
        while blockTime <= end {
            hear(block)
            if !isCorked && (queue.count >= block || isEnding || !takesWholeBlocks) {
                taken = queue.prefix(block)
                queue.removeFirst(taken.count)
            }
            blockTime += time(of: block)
        }
        now = end
    }

    /// Plays the first `count` frames of those taken; silence if there are no more.
    private func hear(_ count: Int) {
        heard += taken.prefix(count)
        heard += Array(repeating: 0, count: max(0, count - taken.count))
        taken = taken.dropFirst(count)
    }

    /// The nanoseconds for which the current block still plays.
    private var rest: Int64 { max(0, blockTime - now) }

    /// Takes back the part of the block not heard yet, if the device returns that.
    private func giveBack() {
        guard rewinds else { return }
        hear(max(0, block - Self.format.frames(nanoseconds: rest)))
        queue = taken + queue
        taken = []
        blockTime = now
    }

    private func time(of frames: Int) -> Int64 { Self.format.nanoseconds(frames: frames) }
}

/// The port to a scripted device.
struct ScriptedOutput: AudioOutput, ~Copyable {
    private let device: ScriptedDevice

    init(_ device: ScriptedDevice) throws(OutputError) {
        self.device = device
        try device.open()
    }

    var isRealTime: Bool { device.isRealTime }
    var isVague: Bool { device.isVague }
    var keepsPausedFrames: Bool { device.keepsPausedFrames }
    var room: Int { device.room }
    var deviceChanges: Int { device.deviceChanges }

    mutating func write(_ frames: UnsafeRawBufferPointer) throws(OutputError) {
        try unsafe device.write(frames)
    }

    mutating func reading() throws(OutputError) -> OutputReading? { try device.reading() }

    mutating func pause() throws(OutputError) -> Int { try device.pause() }

    mutating func resume() throws(OutputError) { try device.resume() }

    mutating func flush(continuing: Bool) throws(OutputError) -> Int {
        try device.flush(continuing: continuing)
    }

    mutating func wait(until deadline: Int64?, or descriptor: Int32) throws(OutputError) {
        try device.waitAsOutput(until: deadline ?? .max, or: descriptor)
    }

    mutating func streamVolume(isAsked: Bool) -> StreamVolume? {
        StreamVolume(factor: 1, isMuted: false, isSettable: true)
    }

    mutating func setStreamVolume(_ change: StreamVolume.Change) throws(OutputError) -> Bool {
        try device.set(change)
        return true
    }

    mutating func expectEnd() throws(OutputError) { try device.expectEnd() }

    mutating func drain() throws(OutputError) { try device.drain() }

    consuming func close() { device.close() }
}
