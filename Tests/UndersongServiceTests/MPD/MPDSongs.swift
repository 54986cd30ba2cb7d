import UndersongBase
import UndersongLibrary
import UndersongPlayback

@testable import UndersongService

extension MPDSong {
    /// A song in MPD's database.
    static func made(
        _ uri: String, seconds: Double? = 100, modified: Double = 0,
        _ change: (inout TrackTags) -> Void = { _ in }
    ) -> MPDSong {
        var song = MPDSong(uri: uri)
        change(&song.tags)
        song.modified = modified
        song.sound = TrackSound(
            seconds: seconds,
            SoundFormat(sampleRate: 44_100, channels: 2, encoding: "FLAC 16 bit"))
        return song
    }
}

extension ScannedFile {
    /// A file of the library with one track.
    static func made(
        _ path: FilePath, _ change: (inout TrackTags) -> Void = { _ in }
    ) -> ScannedFile {
        var tags = TrackTags()
        change(&tags)
        let sound = TrackSound(
            seconds: 100, SoundFormat(sampleRate: 44_100, channels: 2, encoding: "FLAC 16 bit"))
        return ScannedFile(
            path: path, stamp: ScanStamp(size: 1, modified: 1_000_000_000),
            tracks: [ScannedTrack(tags: tags, sound: sound)])
    }

    /// A file that a CUE sheet divides into parts of ten seconds.
    static func divided(_ path: FilePath, into count: Int) -> ScannedFile {
        var file = made(path)
        file.tracks = (1...count).map { number in
            var tags = TrackTags()
            (tags.number, tags.title) = (number, "Part \(number)")
            let start = Double(10 * (number - 1))
            return ScannedTrack(part: TrackPart(start: start, end: start + 10), tags: tags)
        }
        return file
    }
}
