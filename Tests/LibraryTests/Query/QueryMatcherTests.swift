import Foundation
import TestSupport
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongLibrary

/// The comparison of tracks with a query.
@Suite struct `A query in memory` {
    private static let now = 300.0 * 86400

    private func track(_ change: (inout Track) -> Void) -> Track {
        var track = Track(id: 1, path: "/music/Homogenic/02 Jóga.flac", added: 0, modified: 0)
        track.tags.title = "Jóga"
        track.tags.artists = ["Björk", "The Brodsky Quartet"]
        track.tags.album = "Homogenic"
        change(&track)
        return track
    }

    private func finds(_ text: String, _ change: (inout Track) -> Void = { _ in }) throws -> Bool {
        try LibraryQuery(text).matches(track(change), now: Self.now)
    }

    @Test(
        .rule("LQ2"),
        arguments: [
            ("joga", true), ("BJÖRK JÓGA", true), ("02", true), ("\"homogenic/02\"", true),
            ("artist:bjo\u{308}rk", true), ("artist:=brodsky", false), ("artist:=björk", true),
            ("artist:^bro", false), ("artist:^\"the bro\"", true), ("albumartist:brodsky", true),
            ("album:joga", false), ("björk -live", true), ("-homogenic", false),
            ("debut OR homogenic", true), ("album:=\"\"", false), ("genre:=\"\"", true),
            ("genre:\"\"", false), ("artist:\"\"", true), ("-(live OR remix)", true),
            ("rating:0", true), ("rating:1..", false), ("year:..", false), ("is:unplayed", true),
            ("()", true), ("-()", false), ("@any", false), ("path:^/music/", true),
        ])
    func `A track is compared`(_ text: String, _ isFound: Bool) throws {
        #expect(try finds(text) == isFound)
    }

    @Test(.rule("LQ2")) func `A compilation without an artist of its own is by Various Artists`()
        throws
    {
        #expect(try !finds("albumartist:various"))
        #expect(try finds("albumartist:=\"various artists\"") { $0.tags.isCompilation = true })
        #expect(
            try !finds("albumartist:various") {
                $0.tags.isCompilation = true
                $0.tags.albumArtists = ["DJ"]
            })
    }

    @Test(.rule("LQ5")) func `A length is compared in whole seconds, and a rate in thousands`()
        throws
    {
        func sound(_ seconds: Double) -> (inout Track) -> Void {
            {
                $0.sound = TrackSound(
                    seconds: seconds,
                    SoundFormat(sampleRate: 44100, channels: 2, encoding: "FLAC"),
                    bitRate: 320_999)
            }
        }
        #expect(try finds("length:3:30 format:flac", sound(210.9)))
        #expect(try finds("length:..3:30", sound(210.9)))
        #expect(try !finds("length:3:31..", sound(210.9)))
        #expect(try finds("bitrate:320 samplerate:44.1k channels:2", sound(1)))
    }

    @Test(
        .rule("LQ5"),
        arguments: [
            ("added:2d", [1, 2], true), ("added:2d", [2, 3], false), ("added:..2d", [2, 3], true),
            ("added:..2d", [0, 1], false), ("added:5d..2d", [2, 5], true),
            ("added:5d..2d", [0, 1], false), ("added:5d..2d", [6, 9], false),
        ] as [(String, [Double], Bool)])
    func `An age is counted back from now`(_ text: String, _ days: [Double], _ isFound: Bool) throws
    {
        for days in days {
            // The end of the hour belongs to the range.
            let isAtBound = days == 2 && !isFound
            let added = Self.now - days * 86400 - (isAtBound ? 1 : 0)
            #expect(try finds(text) { $0.added = added } == isFound, "\(days)")
        }
    }

    @Test(.rule("LQ5")) func `A date is all of it by local time, also on days of 23 or 25 hours`()
        throws
    {
        // As in Berlin: from the end of March on until the end of October 2026 at UTC+2.
        let (spring, autumn) = (1_774_746_000.0, 1_792_890_000.0)
        let zone = LocalZone { spring..<autumn ~= $0 ? 7200 : 3600 }
        func range(_ text: String) throws -> ClosedRange<Double>? {
            try TimeRange(text).seconds(now: 0, zone: zone)
        }
        let short = try #require(try range("2026-03-29"))
        let long = try #require(try range("2026-10-25"))
        let (year, december) = (try #require(try range("2026")), try #require(try range("2026-12")))

        #expect(short == spring - 2 * 3600...(spring + 21 * 3600).nextDown)
        #expect(long == autumn - 3 * 3600...(autumn + 22 * 3600).nextDown)
        #expect(year == 1_767_222_000...1_798_758_000.0.nextDown)
        #expect(december.upperBound == year.upperBound)
    }

    @Test(.rule("LQ2", "LQ5")) func `Any query finds the same tracks as a naive comparison`() {
        var random = RandomQueries(seed: 7)
        let tracks = (1...150).map { random.track(id: $0) }
        var (foundCount, partCount) = (0, 0)
        for _ in 1...600 {
            let query = LibraryQuery(random.condition(depth: 3, withSaved: false))
            let matcher = QueryMatcher(query, now: Self.now, zone: .utc)
            let found = tracks.filter { matcher.matches($0) }.map(\.id)
            let expected = tracks.filter { Naive.holds(query.condition, of: $0, now: Self.now) }

            #expect(found == expected.map(\.id), "\(query.text)")
            foundCount += found.count
            if 1..<tracks.count ~= found.count { partCount += 1 }
        }
        #expect(foundCount > 10_000 && partCount > 250)
    }
}

/// A comparison without any preparation, with Foundation's idea of texts.
private enum Naive {
    static func holds(_ condition: LibraryQuery.Condition?, of track: Track, now: Double) -> Bool {
        switch condition {
        case nil: return true
        case .all(let list): return list.filter { !holds($0, of: track, now: now) }.isEmpty
        case .any(let list): return !list.filter { holds($0, of: track, now: now) }.isEmpty
        case .not(let inner): return !holds(inner, of: track, now: now)
        case .word(let word):
            let tags = track.tags
            let texts =
                [track.path.description, tags.title ?? "", tags.album ?? ""] + tags.artists
                + albumArtists(track)
            return texts.contains { plain($0).contains(plain(word)) || plain(word).isEmpty }
        case .text(let field, let comparison, let text):
            let texts = texts(of: field.rawValue, track).map(plain)
            switch comparison {
            case .contains:
                return texts.contains { $0.contains(plain(text)) || plain(text).isEmpty }
            case .begins: return texts.contains { $0.hasPrefix(plain(text)) }
            case .equals: return texts.contains(plain(text)) || texts + [plain(text)] == [""]
            }
        case .number(let field, let range):
            return number(of: field.rawValue, track).map { range ~= $0 } ?? false
        case .time(let field, let range):
            let time = ["added": track.added, "modified": track.modified][field.rawValue]
            guard let time = time ?? track.lastPlayed else { return false }
            let (start, end) = (range.start.map { first($0, now) }, range.end.map { last($0, now) })
            return time >= start ?? time && time <= end ?? time
        case .flag(let flag):
            switch flag {
            case .favourite: return track.isFavourite
            case .unplayed: return track.playCount == 0 && track.lastPlayed == nil
            case .unrated: return track.rating == nil
            case .compilation: return track.tags.isCompilation
            case .missing: return track.missingSince != nil
            case .cover: return track.tags.hasCover
            }
        case .saved: return false
        }
    }

    private static func plain(_ text: String) -> String {
        let text = text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
        return ["æ": "ae", "ß": "ss", "Æ": "ae"].reduce(text) {
            $0.replacingOccurrences(of: $1.key, with: $1.value)
        }
    }

    private static func albumArtists(_ track: Track) -> [String] {
        let tags = track.tags
        return !tags.albumArtists.isEmpty
            ? tags.albumArtists : tags.isCompilation ? ["Various Artists"] : tags.artists
    }

    private static func texts(of field: String, _ track: Track) -> [String] {
        let tags = track.tags
        switch field {
        case "title": return [tags.title].compactMap { $0 }
        case "artist": return tags.artists
        case "albumartist": return albumArtists(track)
        case "album": return [tags.album].compactMap { $0 }
        case "genre": return tags.genres
        case "composer": return tags.composers
        case "path": return [track.path.description]
        case "format": return [track.sound?.format.encoding].compactMap { $0 }
        case "date": return [tags.date].compactMap { $0 }
        default: return tags.others.first { $0.key.lowercased() == field }?.value ?? []
        }
    }

    private static func number(of field: String, _ track: Track) -> Double? {
        let (tags, sound) = (track.tags, track.sound)
        switch field {
        case "year":
            return [tags.date, tags.originalDate].compactMap { $0 }
                .compactMap { Double($0.prefix(4)) }.first
        case "disc": return tags.disc.map(Double.init)
        case "track": return tags.number.map(Double.init)
        case "rating": return track.rating.map(Double.init) ?? 0
        case "plays": return Double(track.playCount)
        case "skips": return Double(track.skipCount)
        case "length": return sound?.seconds.map { floor($0) }
        case "samplerate": return sound.map { Double($0.format.sampleRate) }
        case "channels": return sound.map { Double($0.format.channels) }
        default: return sound?.bitRate.map { floor(Double($0) / 1000) }
        }
    }

    private static func first(_ moment: TimeRange.Moment, _ now: Double) -> Double {
        switch moment {
        case .ago(let count, .hours): return now - Double(count) * 3600
        case .ago(let count, _): return now - Double(count) * 86400
        case .time(let seconds): return Double(seconds)
        case .date(let year, let month, let day):
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            let parts = DateComponents(year: year, month: month ?? 1, day: day ?? 1)
            return calendar.date(from: parts)?.timeIntervalSince1970 ?? .nan
        }
    }

    private static func last(_ moment: TimeRange.Moment, _ now: Double) -> Double {
        guard case .date(let year, let month, let day) = moment else { return first(moment, now) }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let unit: Calendar.Component = day != nil ? .day : month != nil ? .month : .year
        let start =
            calendar.date(
                from: DateComponents(year: year, month: month ?? 1, day: day ?? 1))
            ?? .distantFuture
        return (calendar.date(byAdding: unit, value: 1, to: start) ?? .distantPast)
            .timeIntervalSince1970 - 1e-6
    }
}
