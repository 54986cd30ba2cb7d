import Foundation
import TestSupport
import Testing
import UndersongLinuxPlatform

/// Notifications to systemd. Each test runs in a process of its own because of the environment.
@Suite(.blockingThreads) struct `The systemd service` {
    @Test func `The systemd service reports when it is ready, what it does, and when it ends`()
        async
    {
        await #expect(processExitsWith: .success) {
            let systemd = try NotifySocket()

            SystemdService.ready()
            SystemdService.status("playing\nSlack Water")
            SystemdService.stopping()

            #expect(systemd.next() == "READY=1")
            #expect(systemd.next() == "STATUS=playing Slack Water")
            #expect(systemd.next() == "STOPPING=1")
            #expect(systemd.poll() == nil)
        }
    }

    @Test func `The systemd service does nothing if it was not started by systemd`() async {
        await #expect(processExitsWith: .success) {
            for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "LISTEN_FDS"] { unsetenv(name) }

            SystemdService.ready()
            SystemdService.stopping()

            #expect(SystemdService.listenDescriptors() == [])
            #expect(SystemdWatchdog { $0() } == nil)
        }
    }

    @Test func `The systemd service has the sockets that systemd opened for it, and no others`()
        async
    {
        await #expect(processExitsWith: .success) {
            // Whatever 3 and 4 are in this process: only their numbers matter here.
            dup2(open("/dev/null", O_RDONLY), 3)
            dup2(open("/dev/null", O_RDONLY), 4)
            setenv("LISTEN_FDS", "2", 1)

            setenv("LISTEN_PID", "1", 1)
            let others = SystemdService.listenDescriptors()
            setenv("LISTEN_PID", "\(getpid())", 1)
            let own = SystemdService.listenDescriptors()

            #expect(others == [])
            #expect(own == [3, 4])
            #expect(fcntl(3, F_GETFD) == FD_CLOEXEC)
        }
    }

    @Test func `The systemd service reports as often as systemd requires that it is alive`() async {
        await #expect(processExitsWith: .success) {
            let systemd = try NotifySocket()
            setenv("WATCHDOG_USEC", "100000", 1)
            setenv("WATCHDOG_PID", "\(getpid())", 1)
            let clock = ContinuousClock()
            let start = clock.now

            let watchdog = SystemdWatchdog { isAlive in isAlive() }
            let facts = (0..<4).map { _ in systemd.next() }

            #expect(watchdog != nil)
            #expect(facts == Array(repeating: "WATCHDOG=1", count: 4))
            #expect(clock.now - start >= .milliseconds(150))
        }
    }

    @Test func `The systemd service reports nothing while the health check does not answer`() async
    {
        await #expect(processExitsWith: .success) {
            let systemd = try NotifySocket()
            setenv("WATCHDOG_USEC", "20000", 1)
            setenv("WATCHDOG_PID", "\(getpid())", 1)
            let questions = Inbox<@Sendable () -> Void>()

            let watchdog = SystemdWatchdog { questions.put($0) }
            _ = try questions.next()
            let second = try questions.next()
            let before = systemd.poll()
            second()

            #expect(watchdog != nil)
            #expect(before == nil)
            #expect(systemd.next() == "WATCHDOG=1")
        }
    }

    @Test func `The systemd service has no timer if the watchdog is for another process`() async {
        await #expect(processExitsWith: .success) {
            setenv("WATCHDOG_USEC", "100000", 1)
            setenv("WATCHDOG_PID", "1", 1)

            #expect(SystemdWatchdog { $0() } == nil)
        }
    }
}
