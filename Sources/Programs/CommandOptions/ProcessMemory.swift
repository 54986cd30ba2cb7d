import CUndersongLinux
import Glibc

/// The memory of this process.
package enum ProcessMemory {
    /// Makes large blocks, such as the order of a million items, be returned to the system when
    /// they are freed. By default glibc keeps them from the second time on.
    package static func keepsNoLargePieces() { mallopt(M_MMAP_THRESHOLD, 1 << 18) }

    /// Gives back free pages of the heap, and the pages of the program and its libraries, which
    /// come from their files again when they are used. What a start or a handshake has used of them
    /// once is most of the memory of a process that then does little. Takes about a millisecond;
    /// any thread may call it.
    package static func release() {
        malloc_trim(0)
        clinux_drop_code()
    }
}
