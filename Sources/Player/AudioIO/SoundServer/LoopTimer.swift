import CUndersongPulse
import Glibc

/// Calls a closure once, some time after it was started, on the thread of its main loop. It belongs
/// to that thread.
@safe
final class LoopTimer {
    private let loop: PulseLoop
    private let body: () -> Void
    private var event: OpaquePointer?

    init(_ loop: PulseLoop, _ body: @escaping () -> Void) {
        self.loop = loop
        self.body = body
    }

    deinit { stop() }

    /// True if a call is pending.
    var isRunning: Bool { unsafe event != nil }

    /// Schedules a call after `nanoseconds`, replacing any pending one.
    func start(after nanoseconds: Int64) {
        stop()
        // The loop expects wall-clock time, and converts it to its own clock at once.
        var time = timeval()
        unsafe pa_gettimeofday(&time)
        unsafe pa_timeval_add(&time, pa_usec_t(max(0, nanoseconds) / 1000))
        unsafe event = loop.api.pointee.time_new?(
            loop.api, &time, timeHasCome, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Cancels the pending call.
    func stop() {
        if let event = unsafe event { unsafe loop.api.pointee.time_free?(event) }
        unsafe event = nil
    }

    fileprivate func fire() {
        stop()
        body()
    }
}

private let timeHasCome: pa_time_event_cb_t = { _, _, _, userData in
    guard let userData = unsafe userData else { return }
    unsafe Unmanaged<LoopTimer>.fromOpaque(userData).takeUnretainedValue().fire()
}
