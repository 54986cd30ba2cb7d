import Dispatch
import UndersongLinuxPlatform
import UndersongPlayback

extension Artwork {
    /// Its URL; nil if it cannot be stored in `cache`. Writes to the disk on another thread.
    func url(in cache: ArtworkCache?) async -> String? {
        switch self {
        case .file(let path): return path.fileURL
        case .embedded(let bytes, let mediaType):
            guard let cache else { return nil }
            return await withCheckedContinuation { continuation in
                DispatchQueue(label: "undersong.artwork").async {
                    continuation.resume(returning: cache.keep(bytes, mediaType: mediaType))
                }
            }
        }
    }
}
