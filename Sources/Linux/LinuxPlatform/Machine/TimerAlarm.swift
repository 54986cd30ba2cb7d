import CUndersongLinux
import Glibc
import Synchronization
import UndersongBackground
import UndersongBase

/// An alarm by two timers of the kernel, on a thread that is started with the first one. It sleeps
/// while nothing is set, and also rings when the user or the network sets the clock.
package final class TimerAlarm: Alarm {
    private struct State {
        var isStarted = false
        var isStopping = false
    }

    private let ring: @Sendable () -> Void
    private let boot = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
    private let wall = timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
    private let wakeup = Wakeup()
    private let state = Mutex(State())
    private let ended = Semaphore()

    /// Calls `ring` on a thread of its own; it must not block.
    package init(_ ring: @escaping @Sendable () -> Void) {
        precondition(boot >= 0 && wall >= 0, "cannot create a timer")
        self.ring = ring
    }

    deinit {
        close(boot)
        close(wall)
    }

    package func set(boot: Double?, wall: Double?) {
        arm(self.boot, at: boot, flags: Self.absolute)
        arm(self.wall, at: wall, flags: Self.absolute | Self.cancelOnSet)
        guard boot != nil || wall != nil else { return }
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted && !state.isStopping
        }
        if isFirst { startThread(named: "alarm") { [self] in run() } }
    }

    package func stop() {
        let isStarted = state.withLock { state in
            state.isStopping = true
            return state.isStarted
        }
        guard isStarted else { return }
        wakeup.post()
        ended.wait()
    }

    private static var absolute: Int32 { 1 }
    private static var cancelOnSet: Int32 { 2 }

    private func arm(_ timer: Int32, at time: Double?, flags: Int32) {
        var value = itimerspec()
        if let time {
            // A time of zero would disarm it.
            let time = max(1e-9, min(time, 1e12))
            value.it_value.tv_sec = Int(time.rounded(.down))
            value.it_value.tv_nsec = max(1, Int((time - time.rounded(.down)) * 1e9))
        }
        unsafe timerfd_settime(timer, flags, &value, nil)
    }

    private func run() {
        while !state.withLock(\.isStopping) {
            wait()
            let hasRung = [boot, wall].map(hasRung)
            if hasRung.contains(true), !state.withLock(\.isStopping) { ring() }
        }
        ended.post()
    }

    private func wait() {
        var entries = [boot, wall, wakeup.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        while unsafe poll(&entries, nfds_t(entries.count), -1) < 0, errno == EINTR {}
    }

    /// Returns true if the timer has expired, or the clock was set, which is an error to `read`.
    private func hasRung(_ timer: Int32) -> Bool {
        var count: UInt64 = 0
        let length = unsafe read(timer, &count, 8)
        return length == 8 || (length < 0 && errno == ECANCELED)
    }
}
