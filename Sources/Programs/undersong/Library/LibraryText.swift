import UndersongBase
import UndersongCommandOptions
import UndersongLibrary

/// Formats the library.
enum LibraryText {
    /// `/home/user/Music  12034 tracks`, one folder a line, then the scan and the problems.
    static func folders(_ status: LibraryStatus) -> String {
        guard !status.folders.isEmpty else {
            return "the library has no folders; 'undersong library add FOLDER' adds one"
        }
        let paths = Columns.aligned(status.folders.map { Columns.printable($0.path.description) })
        var lines = zip(status.folders, paths).map { folder, path in
            "\(path)  \(count(folder.trackCount, "track"))" + remarks(folder)
        }
        if let scan = status.scan {
            lines.append(progress(scan))
        } else if status.isWaiting == true {
            lines.append(
                "not all is scanned: the time in the background was over; it continues when the "
                    + "service is in the foreground, and 'undersong library update --wait' does it now"
            )
        }
        lines += status.problems.map { "problem: \(Columns.printable($0))" }
        return lines.joined(separator: "\n")
    }

    /// `scanning: 1203 files, 350 read`
    static func progress(_ scan: LibraryScan) -> String {
        "scanning: \(count(scan.fileCount, "file")), \(scan.readCount) read"
    }

    private static func remarks(_ folder: LibraryFolder) -> String {
        let missing = folder.missingSince.map { ", missing since \(date($0))" } ?? ""
        let problem = folder.watchProblem.map { ", not watched: \(Columns.printable($0))" } ?? ""
        return missing + problem
    }

    /// `4:15  Björk - Hunter  Homogenic (1997)  rating 4, favourite`, one track a line. `lead` is
    /// what each line begins with.
    static func tracks(_ tracks: [Track], lead: (Track) -> String = { _ in "" }) -> [String] {
        let leads = Columns.aligned(tracks.map(lead))
        let lengths = Columns.rightAligned(
            tracks.map { $0.sound?.seconds.map { ClockText.text($0) } ?? "" })
        let names = Columns.aligned(tracks.map(\.name))
        return tracks.indices.map { index in
            let parts = [
                leads[index], lengths[index], names[index], album(tracks[index].tags),
                marks(tracks[index]),
            ]
            return Columns.row(parts)
        }
    }

    /// `12 tracks  48:05  Björk - Homogenic (1997)`, one group a line. `lead` is what each line
    /// begins with.
    static func groups(
        _ groups: [LibraryGroup], by grouping: LibraryGrouping,
        lead: (LibraryGroup) -> String = { _ in "" }
    ) -> [String] {
        let leads = Columns.aligned(groups.map(lead))
        let counts = Columns.rightAligned(groups.map { count($0.trackCount, "track") })
        let lengths = Columns.rightAligned(groups.map { ClockText.text($0.seconds) })
        return groups.indices.map { index in
            Columns.row([
                leads[index], counts[index], lengths[index], name(groups[index], by: grouping),
            ])
        }
    }

    /// `Björk - Homogenic (1997)`, or `(no genre)`.
    static func name(_ group: LibraryGroup, by grouping: LibraryGrouping) -> String {
        guard let name = group.name else { return "(no \(grouping.rawValue))" }
        let year = group.year.map { " (\($0))" } ?? ""
        return Columns.printable(ItemName.text(name, artist: group.artist) + year)
    }

    /// `3 tracks, 12:45`.
    static func sum(_ list: TrackList) -> String {
        let length = list.seconds > 0 ? ", \(ClockText.text(list.seconds))" : ""
        return count(list.count, "track") + length
    }

    /// `12 albums`.
    static func sum(_ count: Int, of grouping: LibraryGrouping) -> String {
        self.count(count, grouping.rawValue)
    }

    /// A time in seconds since 1970 as a date: `2026-11-28`.
    static func date(_ seconds: Double) -> String { ClockText.local(seconds, as: "%Y-%m-%d") }

    /// A time in seconds since 1970 to the minute: `2026-11-28 20:15`.
    static func minute(_ seconds: Double) -> String {
        ClockText.local(seconds, as: "%Y-%m-%d %H:%M")
    }

    /// `1 track`, `2 tracks`.
    static func count(_ count: Int, _ noun: String) -> String {
        count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
    }

    /// `rated 4: Björk - Hunter`, `favourite: 12 tracks`; `not rated` and `no favourite` if a track
    /// is neither.
    static func rated(_ reply: RatedTracks, _ state: String) -> String {
        "\(state): \(reply.track.map(\.name) ?? count(reply.count, "track"))"
    }

    /// `Homogenic (1997)`; empty without an album.
    private static func album(_ tags: TrackTags) -> String {
        guard let album = tags.album else { return "" }
        return Columns.printable(album + (tags.year.map { " (\($0))" } ?? ""))
    }

    /// `rating 4, favourite, missing since 2026-11-20`.
    private static func marks(_ track: Track) -> String {
        let marks = [
            track.rating.map { "rating \($0)" }, track.isFavourite ? "favourite" : nil,
            track.missingSince.map { "missing since \(date($0))" },
        ]
        return marks.compactMap(\.self).joined(separator: ", ")
    }
}

extension Track {
    /// The title, or else the file's name.
    var title: String { tags.title ?? path.lastComponent }

    /// `Artist, Artist - Title`, for display.
    var name: String { Columns.printable(ItemName.text(title, artist: tags.artist)) }
}

extension TrackTags {
    /// The artists in one text; nil if there are none.
    var artist: String? { Self.text(artists) }

    /// The artists of the album in one text; nil if there are none.
    var albumArtist: String? { Self.text(albumArtists) }

    /// The year of the release; nil if it is unknown.
    var year: String? { date.map { String($0.prefix(4)) } }

    /// Several texts in one; nil if there are none.
    static func text(_ texts: [String]) -> String? {
        texts.isEmpty ? nil : texts.joined(separator: ", ")
    }
}
