import Glibc

/// The description of an `errno`.
func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

/// Closes descriptors.
func closeAll(_ descriptors: some Sequence<Int32>) { for one in descriptors { close(one) } }
