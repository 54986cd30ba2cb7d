import Glibc
import UndersongBase

/// Opens those of the standard descriptors that are closed: otherwise the first file or socket to
/// be opened would take their place. Writing to a standard output that was closed still fails.
package func openStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
        _ = unsafe open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR)
    }
}

/// Writes all of `bytes` to the standard output. If that fails, calls `cleanUp` and ends the
/// program: by SIGPIPE if the reader has gone, otherwise with status 1 and the reason.
package func writeOutput(_ bytes: [UInt8], orAfter cleanUp: () -> Void = {}) {
    let code = writeAll(bytes, to: STDOUT_FILENO)
    guard code != 0 else { return }
    cleanUp()
    endByOutputFailure(code)
}

/// Ends the program, whose standard output cannot be written because of `code`, a value of errno.
package func endByOutputFailure(_ code: Int32) -> Never {
    if code == EPIPE { endByBrokenPipe() }
    let line = complaint(outputComplaint(outputFailure(code))) + "\n"
    _ = writeAll(Array(line.utf8), to: STDERR_FILENO)
    // Other threads may still be running, and the clean-up of `exit` would interfere with them.
    _exit(1)
}

/// The reason why the standard output cannot be written, by the value of errno.
package func outputFailure(_ code: Int32) -> String {
    if code == EBADF { return "it is closed" }
    let reason = SystemError(code).reason
    return reason.prefix(1).lowercased() + reason.dropFirst()
}

/// The error for a standard output that cannot be written for `reason`.
package func outputComplaint(_ reason: String) -> String {
    "cannot write to standard output: \(reason)"
}

/// Ends the program by SIGPIPE, so that the shell sees why.
package func endByBrokenPipe() -> Never {
    signal(SIGPIPE, SIG_DFL)
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGPIPE)
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(SIGPIPE)
    _exit(128 + SIGPIPE)
}

/// The line that reports a problem on the standard error. The text may contain names from
/// elsewhere; the result is a single line without control characters.
package func complaint(_ text: String) -> String { "undersong: " + Columns.printable(text) }
