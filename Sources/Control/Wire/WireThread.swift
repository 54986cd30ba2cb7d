import CLinux
import Glibc

/// Runs `body` on a new thread named `name`, of at most 15 bytes.
func startThread(named name: String, _ body: @escaping @Sendable () -> Void) {
    let box = unsafe Unmanaged.passRetained(ThreadBody(name: name, body: body))
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
    precondition(code == 0, "cannot start a thread: \(reason(code))")
    pthread_detach(thread)
}

/// What an `errno` means.
func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

/// Closes descriptors.
func closeAll(_ descriptors: some Sequence<Int32>) { for one in descriptors { close(one) } }

private final class ThreadBody: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

/// Lets a thread wait for what another one brings.
@safe
final class Semaphore: @unchecked Sendable {
    // Unchecked: the pointee lives as long as this object, and sem_t is made for many threads.
    private let raw: UnsafeMutablePointer<sem_t>

    init() {
        unsafe raw = .allocate(capacity: 1)
        unsafe sem_init(raw, 0, 0)
    }

    deinit {
        unsafe sem_destroy(raw)
        unsafe raw.deallocate()
    }

    func post() { unsafe sem_post(raw) }

    func wait() { while unsafe sem_wait(raw) != 0 && errno == EINTR {} }
}

/// Interrupts a thread that waits for descriptors.
final class Wakeup: Sendable {
    /// Becomes readable by `post`.
    let descriptor: Int32

    init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(descriptor >= 0, "cannot make an eventfd: \(reason(errno))")
    }

    deinit { close(descriptor) }

    func post() { eventfd_write(descriptor, 1) }

    func clear() {
        var count: eventfd_t = 0
        unsafe eventfd_read(descriptor, &count)
    }
}
