import Synchronization
import UndersongBase
package import UndersongPlayback

/// Reads what files say of themselves before they play, on a thread that runs only when nothing else
/// wants the processor or the disk. Any thread may call it.
package final class TagReader: Sendable {
    /// An item and what its file says.
    package typealias Finding = (id: ItemID, facts: ItemFacts)

    private let isHeld = Atomic(false)

    package init() {}

    /// Makes reading end after the file that is being read, and not begin before `release`.
    package func hold() { isHeld.store(true, ordering: .relaxed) }

    /// Permits reading.
    package func release() { isHeld.store(false, ordering: .relaxed) }

    /// Reads the files, in order, until the last one or `hold`. What cannot be read says nothing. A
    /// file that is not an ordinary one is not opened, since that might wait, or take bytes away
    /// from others.
    package func read(_ files: [(id: ItemID, path: FilePath)]) async -> [Finding] {
        await withCheckedContinuation { continuation in
            startThread(named: "tags") { [self] in
                becomeIdle()
                var findings: [Finding] = []
                for (id, path) in files where !isHeld.load(ordering: .relaxed) {
                    findings.append((id, Self.facts(of: path)))
                }
                continuation.resume(returning: findings)
            }
        }
    }

    private static func facts(of path: FilePath) -> ItemFacts {
        guard FileStatus.isFile(path),
            let description = try? MediaLoader.description(of: .file(path: path))
        else { return ItemFacts() }
        return ItemFacts(description)
    }
}
