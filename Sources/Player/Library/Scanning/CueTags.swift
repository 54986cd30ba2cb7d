package import UndersongPlayback

/// The tracks of a file that a CUE sheet divides.
package enum CueTags {
    /// Returns the tracks of a file with these tags and this sound, of which `sheet` names `parts`: what
    /// the sheet does not say about a track or its album, the file's tags do.
    package static func tracks(
        _ parts: [CueSheet.Track], of sheet: CueSheet, in tags: TrackTags, _ sound: TrackSound?
    ) -> [ScannedTrack] {
        parts.map { part in
            let start = part.start.seconds
            let end = part.end?.seconds
            var partSound = sound
            partSound?.seconds = (end ?? sound?.seconds).map { max(0, $0 - start) }
            return ScannedTrack(
                part: TrackPart(start: start, end: end),
                tags: partTags(part, sheet.album, tags), sound: partSound)
        }
    }

    private static func partTags(
        _ part: CueSheet.Track, _ album: CueSheet.Album, _ file: TrackTags
    ) -> TrackTags {
        var tags = file
        // The file's own title and identifier are those of all its tracks.
        tags.title = TagFields.trimmed(part.title)
        tags.titleSort = nil
        tags.others["MUSICBRAINZ_TRACKID"] = nil
        tags.others["MUSICBRAINZ_RELEASETRACKID"] = nil
        if let performer = TagFields.trimmed(part.performer) {
            if tags.artists != [performer] { tags.artistSort = nil }
            tags.artists = [performer]
        }
        if let performer = TagFields.trimmed(album.performer) {
            if tags.albumArtists != [performer] { tags.albumArtistSort = nil }
            tags.albumArtists = [performer]
        }
        if let title = TagFields.trimmed(album.title) {
            if tags.album != title { tags.albumSort = nil }
            tags.album = title
        }
        if let songwriter = TagFields.trimmed(part.songwriter) { tags.composers = [songwriter] }
        if let genre = TagFields.trimmed(album.genre) { tags.genres = [genre] }
        if let date = TagFields.date(album.date) { tags.date = date }
        if let disc = Int(album.disc), disc > 0 { tags.disc = disc }
        tags.number = part.number
        // The file's gain is that of the album.
        var gain = part.gain
        gain.complete(with: album.gain)
        let known = file.gain
        gain.complete(
            with: ReplayGain(
                albumGain: known?.albumGain ?? known?.trackGain,
                albumPeak: known?.albumPeak ?? known?.trackPeak))
        tags.gain = gain.isEmpty ? nil : gain
        return tags
    }
}
