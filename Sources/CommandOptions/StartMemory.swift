import CLinux
import Glibc

/// Memory use of a long-running process.
package enum StartMemory {
    /// Makes large blocks, such as the order of a million items, be returned to the system when
    /// they are freed. By default glibc keeps them from the second time on.
    package static func keepsNoLargePieces() { mallopt(M_MMAP_THRESHOLD, 1 << 18) }

    /// Returns the pages of the program's and its libraries' code to the system, which reloads from
    /// its cache those still needed: by far the smaller part.
    package static func giveBack() {
        guard let file = unsafe fopen("/proc/self/maps", "re") else { return }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 4096)
        while unsafe fgets(&line, Int32(line.count), file) != nil {
            // 55e0c1a00000-55e0c26da000 r-xp 00000000 08:01 1234 /usr/bin/undersong
            let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            let fields = bytes.split(separator: UInt8(ascii: " "))
            guard fields.count >= 6, fields[1].elementsEqual("r-xp".utf8),
                fields[5].first == UInt8(ascii: "/")
            else { continue }
            let ends = fields[0].split(separator: UInt8(ascii: "-"))
                .map { UInt(String(decoding: $0, as: UTF8.self), radix: 16) }
            guard ends.count == 2, let start = ends[0], let end = ends[1],
                let address = unsafe UnsafeMutableRawPointer(bitPattern: start)
            else { continue }
            unsafe madvise(address, Int(end - start), MADV_DONTNEED)
        }
    }
}
