import Dispatch
import Glibc
import UndersongAudioSession
package import UndersongBase
package import UndersongPlayback

/// Facts about the file of an item, whether it is played or not.
extension PlayerService {
    /// Returns the facts in the file of a source, as far as it can be read. The disk is accessed
    /// elsewhere.
    package func details(of source: MediaSource) async -> MediaDetails {
        guard case .file(let path) = source else { return MediaDetails() }
        return await withCheckedContinuation { continuation in
            Self.filesQueue.async {
                continuation.resume(
                    returning: MediaDetails(
                        tags: (try? MediaLoader.description(of: source).tags) ?? [:],
                        artwork: Self.embeddedArtwork(of: source) ?? Self.artwork(beside: path)))
            }
        }
    }

    /// Returns why nothing at `path` can be read; nil if it can. The disk is accessed elsewhere.
    package func problem(with path: FilePath) async -> String? {
        await withCheckedContinuation { continuation in
            Self.filesQueue.async {
                let isThere = unsafe path.withPlatformString { unsafe access($0, R_OK) } == 0
                let reason = isThere ? nil : SystemError.last.reason
                continuation.resume(returning: reason)
            }
        }
    }

    /// The front cover, else the first picture.
    private static func embeddedArtwork(of source: MediaSource) -> Artwork? {
        let frontCover = 3
        let pictures = (try? MediaLoader.tags(of: source).pictures) ?? []
        guard let picture = pictures.first(where: { $0.kind == frontCover }) ?? pictures.first,
            !picture.data.isEmpty
        else { return nil }
        return .embedded(picture.data, mediaType: picture.mediaType)
    }

    private static func artwork(beside path: FilePath) -> Artwork? {
        let bytes = path.bytes
        let folder = bytes.prefix((bytes.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)
        for name in ["cover", "folder", "front", "album", "Cover", "Folder", "Front", "Album"] {
            for suffix in ["jpg", "jpeg", "png", "webp", "JPG", "PNG"] {
                let file = FilePath(bytes: Array(folder) + Array("\(name).\(suffix)".utf8))
                if unsafe file.withPlatformString({ unsafe access($0, R_OK) }) == 0 {
                    return .file(file)
                }
            }
        }
        return nil
    }
}
