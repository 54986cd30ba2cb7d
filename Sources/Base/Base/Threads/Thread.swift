import CUndersongLinux
import Glibc

/// Runs `body` on a new thread, named for debuggers with at most 15 bytes, with all signals
/// blocked: they are handled by the program. An urgent thread has priority over all others if the
/// system permits that, and is an ordinary one otherwise. The thread ends when `body` returns.
package func startThread(
    named name: String, isUrgent: Bool = false, _ body: @escaping @Sendable () -> Void
) {
    let box = unsafe Unmanaged.passRetained(
        ThreadBody(name: name, isUrgent: isUrgent, body: body))
    var all = sigset_t()
    var previous = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }
    var thread = pthread_t()
    let code = unsafe pthread_create(
        &thread, nil,
        { argument in
            guard let argument = unsafe argument else { return nil }
            let box = unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
            unsafe pthread_setname_np(pthread_self(), box.name)
            if box.isUrgent { becomeUrgent() }
            box.body()
            return nil
        }, unsafe box.toOpaque())
    precondition(code == 0, "cannot start a thread: \(SystemError(code).reason)")
    pthread_detach(thread)
}

/// Requests the lowest real-time priority for the calling thread. Threads that it starts do not
/// inherit it.
package func becomeUrgent() {
    var parameter = sched_param()
    parameter.sched_priority = sched_get_priority_min(SCHED_FIFO)
    unsafe sched_setscheduler(0, SCHED_FIFO | Int32(SCHED_RESET_ON_FORK), &parameter)
}

/// Lets the calling thread run, and read from disks, only when nothing else wants to. It must not
/// take locks for which others wait.
package func becomeIdle() {
    var parameter = sched_param()
    unsafe sched_setscheduler(0, Int32(SCHED_IDLE), &parameter)
}

private final class ThreadBody: Sendable {
    let name: String
    let isUrgent: Bool
    let body: @Sendable () -> Void

    init(name: String, isUrgent: Bool, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.isUrgent = isUrgent
        self.body = body
    }
}
