import CUndersongLinux
import Glibc

/// Why a system call failed.
struct SystemError: Error, Equatable {
    let code: Int32

    /// The system's text: `No space left on device`.
    var reason: String { unsafe String(cString: strerror(code)) }

    /// The error of this thread's last system call.
    static var last: SystemError { SystemError(code: errno) }
}
