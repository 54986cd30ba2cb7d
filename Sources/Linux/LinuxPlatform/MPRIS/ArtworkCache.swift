import FoundationEssentials
import Glibc
import UndersongBase

/// Stores pictures from music files as files of their own, which desktops can show. Identical
/// pictures are stored once. Any thread may use it; it blocks on the disk.
package struct ArtworkCache: Sendable {
    /// The most pictures kept: those shown most recently.
    static let limit = 200

    private let folder: String

    /// Stores pictures in `folder`, which is created if missing.
    package init(folder: String) { self.folder = folder }

    /// Stores a picture and returns its URL, or nil if that fails. `mediaType` matters only for
    /// pictures that are neither JPEG nor PNG.
    package func keep(_ bytes: [UInt8], mediaType: String) -> String? {
        path(of: bytes, mediaType)?.fileURL
    }

    private func path(of bytes: [UInt8], _ mediaType: String) -> FilePath? {
        let name = Self.digest(bytes) + Self.suffix(bytes, mediaType)
        let path = "\(folder)/\(name)"
        // Pictures shown most recently are kept longest.
        if unsafe utimes(path, nil) == 0 { return FilePath(path) }
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try Data(bytes).write(to: URL(filePath: path), options: .atomic)
        } catch {
            return nil
        }
        removeOldest()
        return FilePath(path)
    }

    private func removeOldest() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        guard names.count > Self.limit else { return }
        let dated = names.map { name in
            var status = stat()
            unsafe stat("\(folder)/\(name)", &status)
            return (name: name, date: status.st_mtim.tv_sec)
        }
        for old in dated.sorted(by: { $0.date < $1.date }).prefix(names.count - Self.limit) {
            unsafe unlink("\(folder)/\(old.name)")
        }
    }

    /// A name from the contents: a checksum, and the length.
    private static func digest(_ bytes: [UInt8]) -> String {
        String(fnv1a(bytes), radix: 16) + "-" + String(bytes.count)
    }

    private static func suffix(_ bytes: [UInt8], _ mediaType: String) -> String {
        if bytes.starts(with: [0xFF, 0xD8]) { return ".jpg" }
        if bytes.starts(with: [0x89] + Array("PNG".utf8)) { return ".png" }
        return switch mediaType {
        case "image/webp": ".webp"
        case "image/gif": ".gif"
        default: ""
        }
    }
}
