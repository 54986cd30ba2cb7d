import Foundation
import Synchronization

/// A file in the temporary folder, which is deleted with this object unless it is kept.
final class DownloadedFile: Sendable {
    let url: URL
    private let handle: FileHandle
    private let isKept = Mutex(false)

    /// Nil if there can be none.
    init?() {
        url = FileManager.default.temporaryDirectory
            .appending(path: "undersong-\(UUID().uuidString).download")
        let path = url.path(percentEncoded: false)
        guard
            FileManager.default.createFile(
                atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = FileHandle(forWritingAtPath: path)
        else { return nil }
        self.handle = handle
    }

    deinit {
        try? handle.close()
        if !isKept.withLock(\.self) { try? FileManager.default.removeItem(at: url) }
    }

    /// Returns false if that fails.
    func append(_ bytes: [UInt8]) -> Bool { (try? handle.write(contentsOf: bytes)) != nil }

    /// The file belongs to somebody else now.
    func keep() { isKept.withLock { $0 = true } }
}
