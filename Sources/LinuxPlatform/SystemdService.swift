import CSystemd
import Dispatch

/// What systemd is told of this service, and given by it. All of it does nothing where systemd has
/// not started this process. Any thread may call it.
package enum SystemdService {
    /// The service answers its clients.
    package static func ready() { notify("READY=1") }

    /// The service is about to end.
    package static func stopping() { notify("STOPPING=1") }

    /// One line for `systemctl status`.
    package static func status(_ text: String) {
        // Each line is a fact of its own.
        notify("STATUS=" + String(text.map { $0.isNewline ? " " : $0 }))
    }

    /// The sockets that systemd listens on for this process, in the order of the unit. To be asked
    /// for once, before anything else opens a descriptor.
    package static func listenDescriptors() -> [Int32] {
        let count = sd_listen_fds(0)
        return count > 0 ? Array(SD_LISTEN_FDS_START..<SD_LISTEN_FDS_START + count) : []
    }

    fileprivate static func notify(_ facts: String) { unsafe sd_notify(0, facts) }
}

/// Tells systemd at regular times that the service is alive, where the unit has `WatchdogSec`;
/// else there is no timer. Any thread may call it.
package final class SystemdWatchdog: @unchecked Sendable {
    /// Asks the service whether it is alive: it has to call what it is given, on any thread, and
    /// systemd ends a service that does not.
    package typealias Check = @Sendable (_ isAlive: @escaping @Sendable () -> Void) -> Void

    // Unchecked: Dispatch's objects are made for many threads, and only `deinit` uses it again.
    private let timer: any DispatchSourceTimer

    /// Begins to ask twice in the time that the unit sets; nil where it sets none.
    package init?(_ check: @escaping Check) {
        var limit: UInt64 = 0
        guard unsafe sd_watchdog_enabled(0, &limit) > 0, let interval = Int(exactly: limit / 2)
        else {
            return nil
        }
        let queue = DispatchQueue(label: "undersong.watchdog")
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(
            deadline: .now() + .microseconds(interval), repeating: .microseconds(interval),
            leeway: .microseconds(interval / 2))
        timer.setEventHandler { check { SystemdService.notify("WATCHDOG=1") } }
        timer.activate()
    }

    deinit { timer.cancel() }
}
