import CLinux
import CommandOptions
import Glibc

/// Opens those of the standard descriptors that are closed: otherwise the first file or socket to
/// be opened would take their place.
func openStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
        _ = unsafe open("/dev/null", O_RDWR)
    }
}

/// Whether terminals are spared characters outside ASCII.
private let terminalsAreASCII = PlainCharacters.areNeeded { Environment[$0] }

/// Writes all of `text`, however long that takes; returns 0 or the `errno` of a failure. A terminal
/// that cannot show it as it is gets the nearest ASCII.
@discardableResult
func writeAll(_ text: String, to descriptor: Int32) -> Int32 {
    let isPlain = terminalsAreASCII && isatty(descriptor) == 1
    return writeAll(
        Array((isPlain ? PlainCharacters.only(text) : text).utf8), to: descriptor)
}

/// Writes all of `bytes`, however long that takes; returns 0 or the `errno` of a failure.
@discardableResult
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    unsafe bytes.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return 0 }
        var written = 0
        while written < bytes.count {
            let count = unsafe write(descriptor, start + written, bytes.count - written)
            if count < 0 && errno == EAGAIN {
                waitForRoom(in: descriptor)
            } else if count < 0 && errno != EINTR {
                return errno
            }
            written += max(count, 0)
        }
        return 0
    }
}

/// Reports a problem on the standard error, in the form of both programs.
func complain(_ text: String) { writeAll(complaint(text) + "\n", to: STDERR_FILENO) }

/// Waits until a descriptor that another program has made non-blocking can be written.
private func waitForRoom(in descriptor: Int32) {
    var awaited = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&awaited, 1, -1)
}

/// Ends the program by SIGPIPE, so that the shell sees why.
func endByBrokenPipe() -> Never {
    signal(SIGPIPE, SIG_DFL)
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGPIPE)
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(SIGPIPE)
    _exit(128 + SIGPIPE)
}
