import AudioIO
import Dispatch
import Playback

/// What the player does when its output goes, and when it comes back. The sound path has kept the
/// place to the sample by then and waits to be told to try again.
extension PlayerEngine {
    /// How long the output may keep its thread waiting before that counts as standing still.
    private static let stallNanoseconds: Int64 = 800_000_000

    /// The output is gone, or cannot be opened.
    func outputLost(_ error: OutputError) {
        listen()
        guard hasPlayed || error.code != .noSuchDevice || isDeviceRemembered else {
            failure = error
            publish(.error(SessionFailure(error)))
            pipeline?.stop()
            return
        }
        if !error.isOfServer && error != lastLoss { publish(.error(SessionFailure(error))) }
        lastLoss = error
        perform(machine.outputLost())
        tellPendingSeek()
        if error.code == .noSuchDevice { pipeline?.output.setDevice(nil) }
        // Its thread may have told that it stands still before it knew that it should.
        if status != .waiting(.noOutput) {
            let status = status
            publish(.state) { $0.status = status }
        }
        retryLater()
    }

    private func retryLater() {
        retries.begin { [weak self] in
            self?.assumeIsolated { $0.retryOutput(isDue: true) }
        }
    }

    /// The output is there again, and runs when it is to.
    func outputWorks() {
        retries.end()
        (hasPlayed, lastLoss) = (true, nil)
        perform(machine.outputWorks())
    }

    /// Tries to open a lost output, unless it is known that there is no server. One that has just
    /// come may have no device yet: PipeWire's session manager is not ready then, and streams that
    /// come too early may stay silent for ever. So that counts only when a retry `isDue`.
    func retryOutput(isDue: Bool = false) {
        guard machine.isWithoutOutput else { return }
        // Who listens tells when the server is back, unless it was never let in.
        guard serverTrouble == nil || isDue && !hasConnected else { return }
        guard isDue || serverState?.hasDefaultDevice ?? true else { return retryLater() }
        chooseDevice()
        pipeline?.output.retry()
    }

    /// Says of a seek that it is where it should be, though it is not heard yet.
    func tellPendingSeek() { pendingSeek?.completion.take()?(true) }

    /// Looks, once a second while sound runs, whether the device takes any.
    func watchOutput() {
        guard let since = pipeline?.output.waitsSince,
            HostTime.now() - since > Self.stallNanoseconds, status == .playing
        else { return }
        perform(machine.outputStalled())
        tellPendingSeek()
        guard let soundServer else { return }
        let reporter = reporter
        Task(executorPreference: executor) {
            guard await !soundServer.ping() else { return }
            reporter.lostServer("It does not answer")
        }
    }
}

extension OutputError {
    /// Whether it says that the sound server is gone, and not only a stream or a device of it.
    var isOfServer: Bool { code == .serverLost || code == .serverUnavailable }
}

/// Calls again and again, ever more seldom, until it is ended.
final class Retries {
    private static let first = 0.25
    private static let longest = 2.0
    private let queue: DispatchQueue
    private var timer: (any DispatchSourceTimer)?
    private var delay = Retries.first

    init(queue: DispatchQueue) { self.queue = queue }

    /// Calls `handler` once, later each time until `end`. One that is on its way stays.
    func begin(_ handler: @escaping @Sendable () -> Void) {
        guard timer == nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + delay, leeway: .milliseconds(20))
        timer.setEventHandler { [weak self] in
            self?.timer = nil
            handler()
        }
        delay = min(2 * delay, Self.longest)
        timer.resume()
        self.timer = timer
    }

    /// What comes next is a first time.
    func end() {
        timer?.cancel()
        timer = nil
        delay = Self.first
    }
}
