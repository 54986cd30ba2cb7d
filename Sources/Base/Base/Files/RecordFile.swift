import FoundationEssentials
import Glibc

/// A small file with one value, which is replaced as a whole, and of which half is noticed: a line of
/// JSON, and a line with its checksum. One process at a time writes it.
package struct RecordFile<Record: Codable & Sendable>: Sendable {
    /// The end of the path of a file that is set aside.
    private static var suffix: String { ".damaged" }

    package let path: String

    package init(_ path: String) { self.path = path }

    /// The record; nil if it is not there or damaged.
    package var record: Record? {
        guard let data = FileManager.default.contents(atPath: path),
            let end = data.firstIndex(of: 0x0a)
        else { return nil }
        let json = data[..<end]
        let sum = String(decoding: data[data.index(after: end)...].prefix(16), as: UTF8.self)
        guard sum == Self.checksum(Array(json)) else { return nil }
        return try? JSONDecoder().decode(Record.self, from: Data(json))
    }

    /// True if there is a file, damaged or not.
    package var exists: Bool { unsafe access(path, F_OK) == 0 }

    /// The record; nil if there is none. A file that is damaged is set aside, and reported.
    package func load() -> (record: Record?, damage: String?) {
        if let record { return (record, nil) }
        guard exists else { return (nil, nil) }
        return (nil, "\(path) is damaged and begins empty; what it had is in \(setAside())")
    }

    /// Renames a file that is damaged, so that a person can look at it. Returns its path.
    @discardableResult
    package func setAside() -> String {
        let aside = path + Self.suffix
        unsafe rename(path, aside)
        return aside
    }

    /// Removes the file, and the one that was set aside.
    package func remove() {
        for path in [path, path + Self.suffix] { _ = unsafe unlink(path) }
    }

    /// Writes a record, durably; unless `syncsName`, it may be the one before after a power failure.
    /// Returns 0 or the `errno` of a failure.
    package func save(_ record: Record, syncsName: Bool = true) -> Int32 {
        guard let json = try? JSONLine.bytes(of: record) else { return EINVAL }
        let sum = Array(Self.checksum(json).utf8)
        let code = NewFile.replace(own: path, with: json + [0x0a] + sum + [0x0a])
        return code == 0 && syncsName ? Folder.sync(FilePath(Folder.path(of: path))) : code
    }

    /// 16 digits: distinguishes a whole record from half of one.
    private static func checksum(_ bytes: [UInt8]) -> String {
        let digits = String(fnv1a(bytes), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
