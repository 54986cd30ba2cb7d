import Dispatch
import FoundationEssentials
import Glibc
import UndersongAudioSession
import UndersongBase
package import UndersongPlayback

/// The queues that the user keeps by name.
extension PlayerService {
    /// The folder of the saved queues; nil if there is none.
    package nonisolated var savedQueueFolder: String? { configuration.savedQueueFolder }

    /// All of them, in order of their names. The disk is looked at elsewhere.
    package var savedQueues: [SavedQueue] {
        get async {
            guard let folder = savedQueueFolder else { return [] }
            return await withCheckedContinuation { continuation in
                Self.filesQueue.async {
                    continuation.resume(returning: Self.savedQueues(in: folder))
                }
            }
        }
    }

    /// True if a queue has this name.
    func hasSavedQueue(_ name: String) async -> Bool {
        guard let name = SavedQueueName(name) else { return false }
        return await savedQueues.contains { $0.name == name }
    }

    /// Plays one in place of the queue, from its start, and lets `client` follow that run. Returns the
    /// run's number.
    ///
    /// - Throws: No queue has that name, or it names nothing that can be played.
    package func play(
        _ name: SavedQueueName, for client: ClientID
    ) async throws(ServiceError) -> Int {
        let purpose = "play \(name.text)"
        guard let folder = savedQueueFolder, await savedQueues.contains(where: { $0.name == name })
        else { throw ServiceError(.notFound, purpose, "no queue is saved by that name") }
        let run = try await play(
            Play(files: Files([FilePath("\(folder)/\(name.file)")])), for: client)
        guard run > 0 else {
            throw ServiceError(.notPossible, purpose, "nothing in it can be played")
        }
        return run
    }

    /// Plays the queue with this name, as above, for no client.
    ///
    /// - Throws: No queue has that name, or it names nothing that can be played.
    func playSaved(_ name: String) async throws(ServiceError) {
        guard let saved = SavedQueueName(name) else {
            throw ServiceError(.notFound, "play \(name)", "no queue is saved by that name")
        }
        _ = try await play(saved, for: ClientID())
    }

    private static func savedQueues(in folder: String) -> [SavedQueue] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.compactMap { SavedQueueName(file: $0) }.sorted().compactMap { name in
            var status = stat()
            guard unsafe stat("\(folder)/\(name.file)", &status) == 0 else { return nil }
            let modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000
            return SavedQueue(name: name, modified: modified &+ Int64(status.st_mtim.tv_nsec))
        }
    }
}
