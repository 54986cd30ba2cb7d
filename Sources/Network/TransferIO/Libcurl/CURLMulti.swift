import CUndersongCurl

/// The requests of an engine: libcurl's multi interface. Used on the engine's thread, except for
/// `wakeUp`.
@safe
final class CURLMulti: @unchecked Sendable {
    // Unchecked: the only call on other threads is `curl_multi_wakeup`, which is made for that.
    private let raw: UnsafeMutableRawPointer
    private var endings: [CURLEasy.ID: (CURLcode) -> Void] = [:]
    private var isPerforming = false
    private var deferred: [() -> Void] = []

    /// Nil if there is no memory.
    init?() {
        _ = ccurl_global_init()
        guard let raw = unsafe curl_multi_init() else { return nil }
        unsafe self.raw = raw
    }

    deinit { unsafe curl_multi_cleanup(raw) }

    /// Begins a request. `perform` calls `whenEnded` when it has ended by itself.
    func add(_ request: CURLEasy, whenEnded: @escaping (CURLcode) -> Void) {
        endings[request.id] = whenEnded
        unsafe curl_multi_add_handle(raw, request.raw)
    }

    /// Ends a request, or forgets one that has ended.
    func remove(_ request: CURLEasy) {
        endings[request.id] = nil
        unsafe curl_multi_remove_handle(raw, request.raw)
    }

    /// Calls `work` at once, or, within libcurl's calls, when they have returned: requests may not be
    /// added or removed there.
    func outsideCallbacks(_ work: @escaping () -> Void) {
        if isPerforming { deferred.append(work) } else { work() }
    }

    /// Sends and receives what is possible without waiting, and reports the requests that have ended.
    func perform() {
        var running: Int32 = 0
        isPerforming = true
        unsafe curl_multi_perform(raw, &running)
        isPerforming = false
        let works = deferred
        deferred = []
        for work in works { work() }
        while let (id, result) = nextEnded() { endings.removeValue(forKey: id)?(result) }
    }

    /// A request that has ended by itself, with its result; nil if there is no further one.
    private func nextEnded() -> (request: CURLEasy.ID, result: CURLcode)? {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(raw, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE,
                let request = unsafe message.pointee.easy_handle
            else { continue }
            return unsafe (CURLEasy.ID(bitPattern: request), ccurl_result(message))
        }
        return nil
    }

    /// Waits until something can be sent or received, until one of `pipes` can be written, until
    /// `wakeUp`, or for so many seconds, a day at most.
    func wait(seconds: Double, pipes: [Int32] = []) {
        let milliseconds = min(max(0, (seconds * 1000).rounded(.up)), 86_400_000)
        var waits = pipes.map { curl_waitfd(fd: $0, events: Int16(CURL_WAIT_POLLOUT), revents: 0) }
        unsafe curl_multi_poll(raw, &waits, UInt32(waits.count), Int32(milliseconds), nil)
    }

    /// Ends the present wait, or the next one. Any thread may call it.
    func wakeUp() { unsafe curl_multi_wakeup(raw) }
}
