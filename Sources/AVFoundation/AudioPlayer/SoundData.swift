import Foundation

/// Sound in memory, made accessible to the decoder as an unnamed file, which vanishes with its last
/// descriptor, even if the process is killed.
struct SoundData: Sendable {
    /// The sound.
    let data: Data
    /// The path for the decoder, valid during this object's lifetime.
    let path: String
    private let file: FileHandle

    /// Writes `data` to the folder for temporary files. Errors: Foundation's.
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
