import FoundationEssentials
import Glibc
import UndersongCommandOptions
import UndersongPlayback

/// The queues that the user has saved by name: playlists in a folder of their own.
struct SavedQueues {
    /// The folder's path.
    let folder: String

    /// Finds the folder, which need not exist. `purpose` names the operation in the error if there
    /// can be none.
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

    /// The path of the queue `name`, which need not exist.
    func path(of name: SavedQueueName) -> String { "\(folder)/\(name.file)" }

    /// The path of the queue `name`, which must exist. `purpose` names the operation in the error
    /// if it does not.
    func existing(_ name: String, to purpose: String) throws -> String {
        if let name = SavedQueueName(name), unsafe access(path(of: name), F_OK) == 0 {
            return path(of: name)
        }
        throw Failure(
            "cannot \(purpose): No queue is saved as \(Columns.printable(name))"
                + Suggestion.text(for: name, among: names))
    }

    /// Creates the folder, accessible only to the user. `purpose` names the operation in errors.
    func makeFolder(to purpose: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure("cannot \(purpose): The folder \(folder) cannot be created")
        }
    }
}
