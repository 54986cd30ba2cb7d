import Glibc
import Synchronization
package import UndersongBase
package import UndersongLibrary
import UndersongPlayback

/// Finds the words of songs: in an LRC file beside the song, else in the song's tags. Any thread may
/// call it; it blocks on the disk.
package final class LyricsReader: Sendable {
    /// Two files as they were read.
    private struct Version: Equatable {
        let path: FilePath
        let song: Stamp
        let lyrics: Stamp?
    }

    private struct Stamp: Equatable {
        let identity: FileIdentity
        let size: Int
        let seconds: Int
        let nanoseconds: Int

        init(_ status: stat) {
            identity = FileIdentity(status)
            size = Int(status.st_size)
            (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        }
    }

    /// The songs whose words are kept in memory: the one that is heard, and those around it.
    private static let cacheSize = 4

    /// The words that were found, latest last.
    private let found = Mutex<[(version: Version, lyrics: Lyrics?)]>([])

    package init() {}

    /// The words of the song in a file, as both files are now; nil if there are none.
    package func lyrics(of path: FilePath) -> Lyrics? {
        // Opening anything else might wait, or take bytes away from others.
        guard let song = Self.file(path) else { return nil }
        let beside = ["lrc", "LRC"].lazy.map { FileName.replacingExtension(of: path, by: $0) }
            .compactMap { path in Self.file(path).map { (path: path, stamp: $0) } }.first
        let version = Version(path: path, song: song, lyrics: beside?.stamp)
        if let known = found.withLock({ $0.first { $0.version == version } }) {
            return known.lyrics
        }
        let lyrics = beside.flatMap { Self.lyrics(in: $0.path) } ?? Self.tagged(path)
        found.withLock { found in
            found.removeAll { $0.version.path == path }
            found = found.suffix(Self.cacheSize - 1) + [(version, lyrics)]
        }
        return lyrics
    }

    /// The stamp of a regular file; nil if there is none.
    private static func file(_ path: FilePath) -> Stamp? {
        guard let status = FileStatus.status(path), status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return Stamp(status)
    }

    private static func lyrics(in path: FilePath) -> Lyrics? {
        let file = unsafe path.withPlatformString {
            unsafe open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        }
        guard file >= 0 else { return nil }
        defer { close(file) }
        let bytes = try? FileContent.bytes(of: file, limit: Lyrics.fileLimit)
        return bytes.flatMap { Lyrics(lrcFile: $0) }
    }

    private static func tagged(_ path: FilePath) -> Lyrics? {
        guard let tags = try? MediaLoader.tags(of: .file(path: path)) else { return nil }
        // Names of Vorbis comments, which some programs give to texts in ID3v2 tags, too.
        let names = ["SYNCEDLYRICS", "LYRICS", "UNSYNCEDLYRICS", "UNSYNCED LYRICS"]
        let texts = names.flatMap { name in
            tags.texts.filter { $0.name == "TXXX" && $0.detail.uppercased() == name }
        }
        return Lyrics(tags.lyrics, texts: texts.map(\.text))
    }
}
