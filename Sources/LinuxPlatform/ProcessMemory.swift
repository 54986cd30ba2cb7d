import CLinux

/// The memory of this process.
package enum ProcessMemory {
    /// Gives back free pages of the heap, and the pages of the program and its libraries, which come
    /// from their files again when they are used. What a start or a handshake has used of them once
    /// is most of the memory of a process that then does little. Takes about a millisecond; any
    /// thread may call it.
    package static func release() {
        malloc_trim(0)
        clinux_drop_code()
    }
}
