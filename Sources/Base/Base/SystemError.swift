import Glibc

/// The reason a system call failed.
package struct SystemError: Error, Equatable {
    /// The value of `errno`.
    package let code: Int32

    package init(_ code: Int32) { self.code = code }

    /// The system's text: `No space left on device`.
    package var reason: String { unsafe String(cString: strerror(code)) }

    /// The error of this thread's last system call.
    package static var last: SystemError { SystemError(errno) }
}
