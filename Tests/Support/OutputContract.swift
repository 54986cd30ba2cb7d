import Glibc
internal import Synchronization
package import Testing
internal import UndersongBase
package import UndersongPlayback

/// Checks that an output fulfils the contract of its port, whatever it plays on.
/// - Parameters:
///   - format: The format of the outputs.
///   - deviceShare: The largest amount of sound in the device, in nanoseconds.
///   - isExact: Whether a pause keeps exactly what it reports; otherwise the device may take some
///     of it.
///   - now: The outputs' clock.
///   - soon: Runs its argument a moment later, while the output waits.
package func expectOutputContract<Output: AudioOutput & ~Copyable & SendableMetatype>(
    of format: StreamFormat, deviceShare: Int64 = 0, isExact: Bool = true,
    now: @escaping @Sendable () -> Int64 = { SystemClock().now },
    soon: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = {
        startThread(named: "soon", $0)
    },
    sourceLocation: SourceLocation = #_sourceLocation,
    _ make: @escaping @Sendable () throws(OutputError) -> Output
) throws {
    let ended = Semaphore()
    let breaches = Breaches()
    // On its own thread, which never returns if the output hangs.
    startThread(named: "contract") {
        let contract = OutputContract(
            format: format, deviceShare: deviceShare, isExact: isExact, now: now, soon: soon,
            breaches: breaches, make: make)
        do throws(OutputError) { try contract.check() } catch { breaches.add("\(error)") }
        ended.post()
    }
    try ended.waitPatiently(orSay: "an output hangs")
    for breach in breaches.all {
        Issue.record(Comment(rawValue: breach), sourceLocation: sourceLocation)
    }
}

/// Violations of the contract, in words.
private final class Breaches: Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func add(_ text: String) { texts.withLock { $0.append(text) } }
}

/// The processor time of the calling thread, in nanoseconds.
package func threadTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

private struct OutputContract<Output: AudioOutput & ~Copyable> {
    let format: StreamFormat
    let deviceShare: Int64
    let isExact: Bool
    let now: () -> Int64
    let soon: (@escaping @Sendable () -> Void) -> Void
    let breaches: Breaches
    let make: () throws(OutputError) -> Output

    func check() throws(OutputError) {
        try checkRoom()
        try checkWaiting()
        try checkReading()
        try checkPause()
        for isContinuing in [false, true] { try checkFlush(continuing: isContinuing) }
        try checkClosing()
    }

    /// Checks that an empty output has room, that writing takes it up, and that `wait` waits for
    /// more.
    func checkRoom() throws(OutputError) {
        var output = try make()
        let start = now()
        let first = output.room
        expect(first > 0, "an empty output has no room")
        guard output.isRealTime else { return try output.close() }
        var written = try write(milliseconds: 100, to: &output)
        // A frame may be lost to rounding at both ends.
        var most: Int { first + 2 + format.frames(nanoseconds: now() - start + deviceShare) }
        expect(written + output.room <= most, "there is room for what was written")
        while output.room > 0 && written <= most {
            written += try write(milliseconds: 10_000, to: &output)
        }
        expect(written <= most, "\(written) frames were wanted, where there is room for \(first)")
        let quiet = Wakeup()
        while output.room == 0 { try output.wait(until: nil, or: quiet.descriptor) }
        try output.close()
    }

    /// Checks that `wait` returns when the descriptor is readable, even without a deadline, and at
    /// the deadline, and that it does not spin.
    func checkWaiting() throws(OutputError) {
        var output = try make()
        try checkWakeup(of: &output)
        try checkDeadline(of: &output)
        try write(milliseconds: 100, to: &output)
        try checkWakeup(of: &output)
        try checkDeadline(of: &output)
        _ = try output.pause()
        try checkWakeup(of: &output)
        try checkDeadline(of: &output)
        try output.close()
    }

    private func checkWakeup(of output: inout Output) throws(OutputError) {
        let wakeup = Wakeup()
        soon { wakeup.post() }
        while !isReadable(wakeup) { try output.wait(until: nil, or: wakeup.descriptor) }
        try output.wait(until: nil, or: wakeup.descriptor)
    }

    private func checkDeadline(of output: inout Output) throws(OutputError) {
        let quiet = Wakeup()
        let deadline = now() + 50_000_000
        var waits = 0
        while now() < deadline {
            try output.wait(until: deadline, or: quiet.descriptor)
            waits += 1
        }
        expect(waits < 100, "it was woken \(waits) times for nothing")
    }

    /// Checks that a latency is that of the frames written and of the device.
    func checkReading() throws(OutputError) {
        var output = try make()
        var written = try write(milliseconds: 100, to: &output)
        for _ in 0..<3 {
            let reading = try awaitReading(of: &output, &written)
            let most = format.nanoseconds(frames: written) + deviceShare
            expect(0...most ~= reading.latency, "a latency is \(reading.latency) ns of \(most)")
            expect(reading.hostTime <= now(), "a reading is of a time to come")
            written += try write(milliseconds: 20, to: &output)
        }
        try output.close()
    }

    /// Checks that a pause keeps what was not heard, a second pause keeps the same, and all of it
    /// is heard afterwards; or that the first one discards it all.
    func checkPause() throws(OutputError) {
        var output = try make()
        var written = try write(milliseconds: 200, to: &output)
        _ = try awaitReading(of: &output, &written)
        for _ in 0..<2 {
            let kept = try output.pause()
            expect(0...written ~= kept, "a pause keeps \(kept) of \(written) frames")
            let keptStill = try output.pause()
            guard output.keepsPausedFrames else {
                expect(keptStill == 0, "a pause discarded \(kept) frames and then \(keptStill)")
                written = try write(milliseconds: 100, to: &output)
                continue
            }
            expect(isSame(keptStill, kept), "a pause kept \(kept) frames and then \(keptStill)")
            try output.resume()
        }
        try output.drain()
        let rest = try output.pause()
        expect(rest == 0, "\(rest) frames are left when all has been heard")
        if output.keepsPausedFrames { try output.resume() }
        try write(milliseconds: 20, to: &output)
        try output.drain()
        try output.close()
    }

    /// Checks that a flush discards what was not heard, a second one nothing more, and what follows
    /// is heard.
    func checkFlush(continuing: Bool) throws(OutputError) {
        var output = try make()
        var written = try write(milliseconds: 200, to: &output)
        _ = try awaitReading(of: &output, &written)
        let dropped = try output.flush(continuing: continuing)
        expect(0...written ~= dropped, "a flush drops \(dropped) of \(written) frames")
        let more = try output.flush(continuing: continuing)
        expect(more == 0, "a flush drops \(more) frames of none")
        expect(output.room > 0, "an output that was emptied has no room")
        written = try write(milliseconds: 100, to: &output)
        let kept = try output.pause()
        let flushed = try output.flush(continuing: continuing)
        let left = output.keepsPausedFrames ? kept : 0
        expect(isSame(flushed, left), "a flush drops \(flushed) frames after a pause kept \(kept)")
        try write(milliseconds: 100, to: &output)
        try output.drain()
        let rest = try output.flush(continuing: continuing)
        expect(rest == 0, "\(rest) frames are left when all has been heard")
        try output.close()
    }

    /// Checks that an output can be closed in any state.
    func checkClosing() throws(OutputError) {
        try make().close()
        var playing = try make()
        try write(milliseconds: 100, to: &playing)
        try playing.close()
        var paused = try make()
        try write(milliseconds: 100, to: &paused)
        _ = try paused.pause()
        try paused.close()
    }

    private func isSame(_ now: Int, _ before: Int) -> Bool {
        isExact ? now == before : 0...before ~= now
    }

    /// Writes until the device knows when that will be heard.
    private func awaitReading(
        of output: inout Output, _ written: inout Int
    ) throws(OutputError) -> OutputReading {
        let quiet = Wakeup()
        while true {
            if let reading = try output.reading() { return reading }
            try output.wait(until: now() + 5_000_000, or: quiet.descriptor)
            written += try write(milliseconds: 20, to: &output)
        }
    }

    /// Writes this many frames, or as many as there is room for, and returns the number.
    @discardableResult
    private func write(
        milliseconds: Int, to output: inout Output
    ) throws(OutputError) -> Int {
        let count = min(output.room, format.frames(milliseconds: milliseconds))
        let bytes = [UInt8](repeating: 1, count: count * format.bytesPerFrame)
        try bytes.span.withUnsafeBytes { bytes throws(OutputError) in
            try output.write(bytes)
        }
        return count
    }

    private func isReadable(_ wakeup: Wakeup) -> Bool {
        var entry = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    private func expect(_ isKept: Bool, _ breach: @autoclosure () -> String) {
        if !isKept { breaches.add(breach()) }
    }
}
