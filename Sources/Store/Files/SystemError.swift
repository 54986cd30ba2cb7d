import CLinux
import Glibc

/// Why a call of the system has failed.
struct SystemError: Error, Equatable {
    let code: Int32

    /// The system's words for it: `No space left on device`.
    var reason: String { unsafe String(cString: strerror(code)) }

    /// What the last call of this thread has left.
    static var last: SystemError { SystemError(code: errno) }
}
