import CPulse
import Glibc

/// Calls back once on libpulse's thread, some time after it was started. Of the main loop: to be
/// touched under its lock only, and to be ended before the loop is.
@safe
final class LoopTimer {
    private let api: UnsafeMutablePointer<pa_mainloop_api>
    private let body: () -> Void
    private var event: OpaquePointer?

    init(_ api: UnsafeMutablePointer<pa_mainloop_api>, _ body: @escaping () -> Void) {
        unsafe self.api = api
        self.body = body
    }

    deinit { stop() }

    /// Whether it is going to call.
    var isRunning: Bool { unsafe event != nil }

    /// Calls in so many nanoseconds, and not when it would have otherwise.
    func start(after nanoseconds: Int64) {
        stop()
        // The loop takes the wall clock's time, and turns it into its own at once.
        var time = timeval()
        unsafe pa_gettimeofday(&time)
        unsafe pa_timeval_add(&time, pa_usec_t(max(0, nanoseconds) / 1000))
        unsafe event = api.pointee.time_new?(
            api, &time, timeHasCome, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Does not call any more.
    func stop() {
        if let event = unsafe event { unsafe api.pointee.time_free?(event) }
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
