import Foundation

/// A folder of episodes, with a log of what has happened.
final class EpisodeLibrary: Sendable {
    private let folder: URL

    init(folder: URL) { self.folder = folder }

    /// Moves a file into the folder. A file of that name is an older copy of the same.
    func keep(_ file: URL, as name: String) throws {
        let destination = folder.appending(path: name)
        try? FileManager.default.removeItem(at: destination)
        try FileManager.default.moveItem(at: file, to: destination)
    }

    /// Prints a line, and adds it to the log: an application in the background has no output.
    func log(_ line: String) {
        print(line)
        let file = folder.appending(path: "log.txt")
        let handle: FileHandle
        do {
            if !FileManager.default.fileExists(atPath: file.path) {
                try Data().write(to: file)
            }
            handle = try FileHandle(forWritingTo: file)
            try handle.seekToEnd()
            try handle.write(contentsOf: Data((line + "\n").utf8))
            try handle.close()
        } catch {
            print("Cannot write the log: \(error)")
        }
    }
}
