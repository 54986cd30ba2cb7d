import Glibc
package import UndersongBackground
package import UndersongBase

extension RefreshEnvironment {
    /// This machine. `busAddress` is that of the system bus if it is not the usual one. With
    /// `followsLogin` the login session is watched, too; else the caller does that.
    package static func system(
        clock: any HostClock, busAddress: String? = nil, followsLogin: Bool = false
    ) -> RefreshEnvironment {
        var environment = RefreshEnvironment(
            now: { ScheduleTime(clock, in: offset) }, alarm: { TimerAlarm($0) }, load: load,
            bootID: String(
                KernelFile.line(of: "/proc/sys/kernel/random/boot_id")),
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
            let load = KernelFile.text(of: "/proc/loadavg").split(separator: " ").first.flatMap({
                Double($0)
            })
        else { return nil }
        return load / Double(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }
}
