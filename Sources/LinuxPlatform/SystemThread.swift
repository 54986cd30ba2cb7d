import CLinux
import Glibc

/// Starts a thread that takes no signals: those are the program's business. Its name shows in
/// `ps -T` and is at most 15 bytes long. It ends when `body` does.
func startThread(named name: String, _ body: @escaping @Sendable () -> Void) {
    let box = unsafe Unmanaged.passRetained(ThreadBody(name: name, body: body))
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
            box.body()
            return nil
        }, unsafe box.toOpaque())
    precondition(code == 0, "cannot start a thread: \(unsafe String(cString: strerror(code)))")
    pthread_detach(thread)
}

private final class ThreadBody: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}
