import ArgumentParser
import FoundationEssentials
import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// Completes the names of saved queues.
private let savedNames = CompletionKind.custom { _, _, _ in
    (try? SavedQueues(to: "complete"))?.names ?? []
}

extension QueueVerb {
    /// `undersong queue save`: saves the queue under a name.
    struct Save: Verb {
        static let configuration = described(
            "save", "Save the queue under a name.",
            discussion: "A queue already saved under this name is replaced.")
        @Argument(help: "The name.", completion: savedNames) var name: String
        @OptionGroup var options: SessionOptions

        /// The result, as JSON.
        private struct Answer: Encodable {
            var name: String
            var count: Int
        }

        func perform() throws {
            let saved = try Self.checked(name)
            let purpose = "save the queue"
            let queues = try SavedQueues(to: purpose)
            let service = try options.service(to: purpose)
            try queues.makeFolder(to: purpose)
            let count = try QueueWriter(service: service, format: .xspf)
                .write(to: FilePath(queues.path(of: saved)), mode: 0o600)
            options.show(Answer(name: name, count: count)) { _ in
                "saved \(QueueText.count(count)) as \(Columns.printable(name))"
            }
        }

        /// Rejects what looks like a path.
        private static func checked(_ name: String) throws -> SavedQueueName {
            let isFile = WrittenPlaylist.allCases.contains {
                name.lowercased().hasSuffix("." + $0.rawValue)
            }
            guard !isFile, !name.contains("/"), name != "-" else {
                throw Failure(
                    "cannot save the queue as \(Columns.printable(name)): That is a file, not a name; "
                        + "'undersong queue export' writes files", status: 64)
            }
            guard let saved = SavedQueueName(name) else {
                throw Failure(
                    "cannot save the queue as \(Columns.printable(name)): A name has 1 to 64 "
                        + "letters, digits, spaces, '.', '_' and '-', and begins with one of the "
                        + "first two or '_'", status: 64)
            }
            return saved
        }
    }

    /// `undersong queue load`: loads a saved queue.
    struct Load: Verb {
        static let configuration = described(
            "load", "Replace the queue with a saved one.",
            discussion: "This does not start playback; 'undersong play' without a FILE does.")
        @Argument(help: "The name it was saved under.", completion: savedNames) var name: String
        @Flag(help: "Append it to the queue instead.") var append = false
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let purpose = "load a queue"
            let files = Files([try SavedQueues(to: purpose).existing(name, to: purpose)])
            let service = try options.service(to: purpose)
            let reply =
                try append
                ? service.call(AddToQueue(files)) : service.call(ReplaceQueue(files))
            for problem in reply.problems { complain(problem) }
            options.show(reply) { reply in
                append
                    ? "added \(QueueText.count(reply.added.count))"
                    : "loaded \(QueueText.count(reply.queue.count))"
            }
            if !reply.problems.isEmpty { throw ExitCode(1) }
        }
    }

    /// `undersong queue saved`: lists the names.
    struct Saved: Verb {
        static let configuration = described("saved", "List the saved queues.")
        @Flag(help: "Print the answer as JSON.") var json = false

        func perform() throws {
            let names = try SavedQueues(to: "list the saved queues").names
            SessionOptions(json: json).show(names) { names in
                names.isEmpty ? "no queue is saved" : names.joined(separator: "\n")
            }
        }
    }

    /// `undersong queue forget`: removes a saved queue.
    struct Forget: Verb {
        static let configuration = described("forget", "Remove a saved queue.")
        @Argument(help: "The name it was saved under.", completion: savedNames) var name: String
        @OptionGroup var options: SessionOptions

        /// The result, as JSON.
        private struct Answer: Encodable {
            var name: String
        }

        func perform() throws {
            let purpose = "forget a queue"
            let path = try SavedQueues(to: purpose).existing(name, to: purpose)
            guard unsafe unlink(path) == 0 else {
                throw Failure("cannot \(purpose): " + SystemError.last.reason)
            }
            options.show(Answer(name: name)) { _ in "" }
        }
    }
}

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
