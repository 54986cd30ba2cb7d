import AudioIO
package import Playback

/// Looks into sources without playing them.
package enum MediaLoader {
    /// What the head and the tags of `source` tell. Blocks on the disk for some milliseconds.
    /// Errors: it cannot be opened, or holds no music.
    package static func description(
        of source: MediaSource
    ) throws(MediaError) -> MediaDescription {
        let decoder = try Mpg123Decoder(source)
        try decoder.prime()
        return decoder.description
    }

    /// The exact length of `source` in frames of its own rate; nil when it cannot be read through.
    /// Reads all of it, on a thread of the lowest priority.
    package static func frameCount(of source: MediaSource) async -> Int? {
        guard case .file = source else { return nil }
        return await withCheckedContinuation { continuation in
            MediaIndexer(folder: nil).make(for: source) { index in
                continuation.resume(returning: index?.frameCount)
            }
        }
    }
}
