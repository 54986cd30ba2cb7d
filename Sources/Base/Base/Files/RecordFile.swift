import FoundationEssentials
import Glibc

/// A small file that is replaced as a whole, and of which half is noticed.
package enum RecordFile {
    /// The record in `file`; nil if it is not there or damaged.
    package static func read<Record: Decodable>(_ type: Record.Type, from file: String) -> Record? {
        guard let data = FileManager.default.contents(atPath: file),
            let end = data.firstIndex(of: 0x0a)
        else { return nil }
        let json = data[..<end]
        let sum = String(decoding: data[data.index(after: end)...].prefix(16), as: UTF8.self)
        guard sum == checksum(Array(json)) else { return nil }
        return try? JSONDecoder().decode(Record.self, from: Data(json))
    }

    /// Writes a record, durably but for its name. Returns 0 or the `errno` of a failure.
    package static func write(_ record: some Encodable, to file: String) -> Int32 {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(record) else { return EINVAL }
        let sum = Array(checksum(Array(json)).utf8)
        return replace(file, with: Array(json) + [0x0a] + sum + [0x0a])
    }

    /// Replaces a file, durably but for its name. Returns 0 or the `errno` of a failure.
    package static func replace(_ file: String, with bytes: [UInt8]) -> Int32 {
        let new = file + ".new"
        let descriptor = unsafe open(new, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        let written = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
        }
        guard written == bytes.count else { return written < 0 ? errno : ENOSPC }
        guard fdatasync(descriptor) == 0, unsafe rename(new, file) == 0 else { return errno }
        return 0
    }

    /// Waits until the names in a folder have reached the disk. Returns 0 or the `errno`.
    package static func sync(folder: String) -> Int32 {
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        // Some file systems cannot, and need not.
        return fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno
    }

    /// FNV-1a in 16 digits: distinguishes a whole record from half of one.
    private static func checksum(_ bytes: [UInt8]) -> String {
        let sum = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        let digits = String(sum, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
