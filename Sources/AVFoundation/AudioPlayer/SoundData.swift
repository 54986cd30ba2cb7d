import Foundation

/// Sound in memory, where the decoder finds it: a file without a name, which is gone with its last
/// descriptor, also when the process is killed.
struct SoundData: Sendable {
    /// The sound.
    let data: Data
    /// Where the decoder finds it, as long as this lives.
    let path: String
    private let file: FileHandle

    /// Writes `data` into the folder for temporary files. Errors: Foundation's.
    init(_ data: Data) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "undersong-\(UUID())")
        let isMade = FileManager.default.createFile(
            atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
        guard isMade else { throw CocoaError(.fileWriteUnknown, userInfo: [NSURLErrorKey: url]) }
        defer { try? FileManager.default.removeItem(at: url) }
        file = try FileHandle(forUpdating: url)
        try file.write(contentsOf: data)
        self.data = data
        path = "/proc/self/fd/\(file.fileDescriptor)"
    }
}
