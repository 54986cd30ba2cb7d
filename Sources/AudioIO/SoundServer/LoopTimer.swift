import CPulse
import Glibc

/// Calls back once on its main loop's thread, to which it belongs, some time after it was started.
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

    /// Whether it is going to call.
    var isRunning: Bool { unsafe event != nil }

    /// Calls after `nanoseconds`, and not when it would have otherwise.
    func start(after nanoseconds: Int64) {
        stop()
        // The loop takes the wall clock's time, and turns it into its own at once.
        var time = timeval()
        unsafe pa_gettimeofday(&time)
        unsafe pa_timeval_add(&time, pa_usec_t(max(0, nanoseconds) / 1000))
        unsafe event = loop.api.pointee.time_new?(
            loop.api, &time, timeHasCome, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Does not call any more.
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
