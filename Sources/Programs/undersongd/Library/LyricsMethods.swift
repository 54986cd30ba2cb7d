import Dispatch
import UndersongAudioSession
import UndersongBase
package import UndersongLibrary
import UndersongPlayback

extension PlayerService {
    /// Finds the words of an item of the queue, of the current one for nil. The disk is accessed
    /// elsewhere.
    ///
    /// - Throws: The queue does not have the item, or none is current.
    package func lyrics(of number: Int?) async throws(ServiceError) -> ItemLyrics {
        let item = try await item(number)
        guard case .file(let path) = item.source else {
            return ItemLyrics(item: item.id.number, lyrics: nil)
        }
        let (reader, start, end) = (lyricsReader, item.start.seconds, item.end?.seconds)
        return await withCheckedContinuation { continuation in
            Self.filesQueue.async {
                let lyrics = reader.lyrics(of: path)?.part(from: start, to: end)
                continuation.resume(returning: ItemLyrics(item: item.id.number, lyrics: lyrics))
            }
        }
    }

    private func item(_ number: Int?) async throws(ServiceError) -> QueueItem {
        guard let number else {
            guard let item = await session.report.current else {
                throw ServiceError(.notFound, "find lyrics", "there is no current item")
            }
            return item
        }
        guard let id = ItemID(exactly: number), let item = store.items([id]).first else {
            throw ServiceError(
                .notFound, "find the lyrics of item \(number)", "the queue has no such item")
        }
        return item
    }
}
