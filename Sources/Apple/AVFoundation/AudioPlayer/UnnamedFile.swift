import Foundation

/// A file without a name in the folder for temporary files, which vanishes with its last descriptor,
/// even if the process is killed.
struct UnnamedFile: Sendable {
    /// The path for a decoder, valid during this object's lifetime.
    let path: String
    private let file: FileHandle

    /// Makes the file, with what `write` writes to it.
    /// - Throws: Foundation's error.
    init(_ write: (FileHandle) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "undersong-\(UUID())")
        let isMade = FileManager.default.createFile(
            atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
        guard isMade else { throw CocoaError(.fileWriteUnknown, userInfo: [NSURLErrorKey: url]) }
        defer { try? FileManager.default.removeItem(at: url) }
        file = try FileHandle(forUpdating: url)
        try write(file)
        path = "/proc/self/fd/\(file.fileDescriptor)"
    }
}
