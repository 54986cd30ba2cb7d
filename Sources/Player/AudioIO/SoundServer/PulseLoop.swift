import CUndersongPulse
import UndersongBase
import UndersongPlayback

/// libpulse's main loop, run by the thread that it belongs to. libpulse calls back while that
/// thread waits here; libpulse has no thread of its own that anything could wait for.
@safe
final class PulseLoop {
    let api: UnsafeMutablePointer<pa_mainloop_api>
    private let loop: OpaquePointer
    private var wakeEvent: (event: OpaquePointer, descriptor: Int32)?
    private var workEvent: OpaquePointer?
    private let work: WorkList
    private let clock: any HostClock
    /// True if the watched descriptor is readable.
    private(set) var isWoken = false

    /// Creates a loop that performs the `work` that other threads post for its thread.
    init(doing work: WorkList, clock: any HostClock) {
        guard let loop = unsafe pa_mainloop_new(), let api = unsafe pa_mainloop_get_api(loop) else {
            preconditionFailure("cannot create a main loop: no descriptors are left")
        }
        unsafe self.loop = loop
        unsafe self.api = api
        self.work = work
        self.clock = clock
        unsafe workEvent = api.pointee.io_new(
            api, work.descriptor, PA_IO_EVENT_INPUT, hasWork,
            Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        if let wakeEvent = unsafe wakeEvent { unsafe api.pointee.io_free(wakeEvent.event) }
        if let workEvent = unsafe workEvent { unsafe api.pointee.io_free(workEvent) }
        unsafe pa_mainloop_free(loop)
    }

    /// Starts to watch `descriptor` too, until `isWoken`. While waiting for an answer of the server
    /// nobody reads it, so it must be ignored then, or every wait would end at once.
    func watch(_ descriptor: Int32) {
        isWoken = false
        if let wakeEvent = unsafe wakeEvent {
            if unsafe wakeEvent.descriptor == descriptor {
                return unsafe api.pointee.io_enable(wakeEvent.event, PA_IO_EVENT_INPUT)
            }
            unsafe api.pointee.io_free(wakeEvent.event)
        }
        let event = unsafe api.pointee.io_new(
            api, descriptor, PA_IO_EVENT_INPUT, isReadable,
            Unmanaged.passUnretained(self).toOpaque())
        unsafe wakeEvent = unsafe event.map { unsafe ($0, descriptor) }
    }

    /// Waits until `descriptor` is readable, or until `deadline`.
    func wait(for descriptor: Int32, until deadline: Int64?) {
        watch(descriptor)
        defer { stopWatching() }
        while !isWoken && iterate(until: deadline) {}
    }

    /// Ignores the descriptor until it is watched again.
    func stopWatching() {
        if let wakeEvent = unsafe wakeEvent {
            unsafe api.pointee.io_enable(wakeEvent.event, PA_IO_EVENT_NULL)
        }
    }

    /// Forgets the descriptor because its owner is about to close it.
    func forgetWatched() {
        guard let wakeEvent = unsafe wakeEvent else { return }
        unsafe api.pointee.io_free(wakeEvent.event)
        unsafe self.wakeEvent = nil
    }

    /// Lets libpulse run one iteration; returns false if the deadline came first.
    @discardableResult
    func iterate(until deadline: Int64?) -> Bool {
        var timeout: Int32 = -1
        if let deadline {
            let left = deadline - clock.now
            guard left > 0 else { return false }
            timeout = Int32(clamping: (left + 999) / 1000)
        }
        guard unsafe pa_mainloop_prepare(loop, timeout) >= 0, unsafe pa_mainloop_poll(loop) >= 0
        else {
            return false
        }
        unsafe pa_mainloop_dispatch(loop)
        return true
    }

    /// A timer of this loop, which calls back on its thread.
    func timer(_ body: @escaping () -> Void) -> LoopTimer { LoopTimer(self, body) }

    fileprivate func wake() { isWoken = true }

    fileprivate func doWork() { work.perform() }
}

private func owner(_ userData: UnsafeMutableRawPointer?) -> PulseLoop? {
    unsafe userData.map { unsafe Unmanaged<PulseLoop>.fromOpaque($0).takeUnretainedValue() }
}

private let isReadable: pa_io_event_cb_t = { _, _, _, _, userData in
    unsafe owner(userData)?.wake()
}

private let hasWork: pa_io_event_cb_t = { _, _, _, _, userData in
    unsafe owner(userData)?.doWork()
}
