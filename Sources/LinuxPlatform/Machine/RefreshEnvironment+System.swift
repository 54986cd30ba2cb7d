package import Background
import Glibc
package import Playback

extension RefreshEnvironment {
    /// This machine. `busAddress` is that of the system bus if it is not the usual one. With
    /// `followsLogin` the login session is watched, too; else the caller does that.
    package static func system(
        clock: any HostClock, busAddress: String? = nil, followsLogin: Bool = false
    ) -> RefreshEnvironment {
        var environment = RefreshEnvironment(
            now: { ScheduleTime(clock, in: offset) }, alarm: { TimerAlarm($0) }, load: load,
            bootID: String(line(of: "/proc/sys/kernel/random/boot_id").prefix { $0 != "\n" }),
            seed: .random(in: 0...UInt64.max))
        environment.watchMachine = { take in
            let watch = MachineWatch(
                MachineWatch.Configuration([.network, .power], address: busAddress),
                handler: take)
            return { watch.stop() }
        }
        guard followsLogin else { return environment }
        environment.watchLogin = { take in
            var configuration = LoginMonitor.Configuration(
                address: busAddress, delaysSleep: false)
            configuration.reportsUnknown = true
            let monitor = LoginMonitor(configuration, handler: take)
            return { monitor.stop() }
        }
        return environment
    }

    /// The zone may have changed since the last call.
    private static func offset(at wall: Double) -> Double {
        tzset()
        var seconds = time_t(max(-1e15, min(wall, 1e15)))
        var local = unsafe tm()
        unsafe localtime_r(&seconds, &local)
        return unsafe Double(local.tm_gmtoff)
    }

    private static func load() -> Double? {
        guard
            let load = line(of: "/proc/loadavg").split(separator: " ").first.flatMap({ Double($0) })
        else { return nil }
        return load / Double(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }

    private static func line(of path: String) -> String {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = unsafe read(file, &bytes, bytes.count)
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    }
}
