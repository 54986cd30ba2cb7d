import CommandOptions
import FoundationEssentials
import Glibc
import Playback

/// The queues that the user keeps by name: playlists in a folder of their own.
struct SavedQueues {
    /// Where they are.
    let folder: String

    /// Finds the folder, which need not be there. `purpose` says what for where there can be none.
    init(to purpose: String) throws {
        let declared = Environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard let data = declared ?? Environment["HOME"].map({ $0 + "/.local/share" }) else {
            throw Failure("cannot \(purpose): Neither HOME nor XDG_DATA_HOME is set")
        }
        folder = data + "/undersong/queues"
    }

    /// The names, sorted.
    var names: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.compactMap { SavedQueueName(file: $0) }.sorted().map(\.text)
    }

    /// The path of the queue `name`, which need not be there.
    func path(of name: SavedQueueName) -> String { "\(folder)/\(name.file)" }

    /// The path of the queue `name`, which is there. `purpose` says what for where it is not.
    func existing(_ name: String, to purpose: String) throws -> String {
        if let name = SavedQueueName(name), unsafe access(path(of: name), F_OK) == 0 {
            return path(of: name)
        }
        throw Failure(
            "cannot \(purpose): No queue is saved as \(Columns.printable(name))"
                + Suggestion.text(for: name, among: names))
    }

    /// Makes the folder, which nobody else may look into. `purpose` says what for where that fails.
    func makeFolder(to purpose: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure("cannot \(purpose): There can be no folder \(folder)")
        }
    }
}
