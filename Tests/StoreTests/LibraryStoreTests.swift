import TestSupport
import Testing
import UndersongBase
import UndersongLibrary
import UndersongPlayback

@testable import UndersongStore

@Suite struct `The library's store` {
    let folder = TemporaryFolder()

    @Test(.rule("LB41"), arguments: 1...3 as ClosedRange<UInt64>)
    func `A query finds in the file what it finds in memory, and in its order`(
        seed: UInt64
    ) async throws {
        var files = RandomFiles(seed: seed)
        let store = folder.openLibrary()
        let count = 700
        for start in stride(from: 0, to: count, by: 100) {
            try await store.apply((start..<start + 100).map { files.file($0) })
        }
        let ids = try #require(await store.ids(LibraryQuery()))
        try #require(Set(ids).count == count)
        for id in ids where id % 3 == 0 {
            _ = try await store.rate(ids: [id], rating: id % 7, isFavourite: id % 2 == 0)
            if id % 5 == 0 { store.countPlay(of: id, at: Double(id) * 1000) }
            if id % 11 == 0 { store.countSkip(of: id) }
        }
        let gone = await store.tracks(ids: ids.filter { $0 % 13 == 0 }).map(\.path)
        try await store.markMissing(gone, since: 5)
        let all = await store.tracks(ids: ids)
        try #require(all.count == count)
        let keys = LibraryQuery.Order.Key.allCases.filter { $0 != .random }

        for index in 0..<200 {
            let key = keys[index % keys.count]
            let order = LibraryQuery.Order(key, isDescending: index % 2 == 0)
            let query = LibraryQuery(files.condition(), order: index % 3 == 0 ? [order] : [])
            let expected = Set(
                all.filter { query.matches($0, now: 2e9) }.map(\.id))
            let found = try #require(await store.ids(query))
            #expect(Set(found) == expected, "\(query.text)")
            #expect(found.count == expected.count)

            // A part is what that part of all is.
            let list = try #require(await store.tracks(query, offset: 3, limit: 20))
            #expect(list.tracks.map(\.id) == Array(found.dropFirst(3).prefix(20)), "\(query.text)")
            #expect(list.count == found.count)
            let tracks = await store.tracks(ids: found)
            let seconds = tracks.reduce(0) { $0 + ($1.sound?.seconds ?? 0) }
            #expect(abs(list.seconds - seconds) < 0.001)
            if index % 3 == 0 { expectOrder(tracks, by: order) }
            if index % 10 == 0 { try await expectGroups(of: query, are: tracks, in: store) }
        }
        store.close()
    }

    /// Expects that numbers are in their order, and unknown ones last.
    private func expectOrder(_ tracks: [Track], by order: LibraryQuery.Order) {
        let values: [Double?] = tracks.map { track in
            switch order.key {
            case .year: track.year.map(Double.init)
            case .length: track.sound?.seconds
            case .rating: track.rating.map(Double.init)
            case .plays: Double(track.playCount)
            case .skips: Double(track.skipCount)
            case .added: track.added
            case .modified: track.modified
            case .played: track.lastPlayed
            case .title, .artist, .albumartist, .album, .genre, .path, .track, .random: nil
            }
        }
        for (left, right) in zip(values, values.dropFirst()) {
            guard let right else { continue }
            let isSorted = left.map { order.isDescending ? $0 >= right : $0 <= right }
            #expect(isSorted == true, "\(order.key)")
        }
        if order.key == .title {
            let titles = tracks.compactMap { $0.tags.title.map { NameTable.key($0) } }
            for (left, right) in zip(titles, titles.dropFirst()) {
                let (first, second) = order.isDescending ? (right, left) : (left, right)
                #expect(!second.lexicographicallyPrecedes(first))
            }
        }
    }

    private func expectGroups(
        of query: LibraryQuery, are tracks: [Track], in store: LibraryStore
    ) async throws {
        for grouping in LibraryGrouping.allCases {
            let groups = try #require(await store.groups(by: grouping, query)).groups
            let names: [[String?]] = tracks.map { track in
                switch grouping {
                case .artist: track.albumArtists.isEmpty ? [nil] : Array(Set(track.albumArtists))
                case .album: [track.tags.album]
                case .genre: track.tags.genres.isEmpty ? [nil] : Array(Set(track.tags.genres))
                case .composer:
                    track.tags.composers.isEmpty ? [nil] : Array(Set(track.tags.composers))
                case .year: [track.year.map { String($0) }]
                }
            }
            let counts = names.reduce(into: [String?: Int]()) { counts, names in
                for name in names { counts[name, default: 0] += 1 }
            }
            let found = groups.reduce(into: [String?: Int]()) {
                $0[$1.name, default: 0] += $1.trackCount
            }
            #expect(found == counts, "\(grouping) of \(query.text)")
            for group in groups.prefix(3) {
                let inside = try LibraryQuery(group.query)
                let all = try #require(
                    await store.tracks(
                        LibraryQuery(
                            .all([query.condition ?? .all([]), inside.condition ?? .any([])]))))
                #expect(all.count >= group.trackCount, "\(group.query)")
            }
        }
    }

    @Test(.rule("LB42"))
    func `A file that was read again keeps its rating, its counts and its id`() async throws {
        let store = folder.openLibrary()
        try await store.apply([ScannedFile("/m/a.flac", title: "Old", size: 1)])
        let old = try #require(await store.track(of: "/m/a.flac"))
        _ = try await store.rate(ids: [old.id], rating: 4, isFavourite: true)
        store.countPlay(of: old.id, at: 50)
        store.countSkip(of: old.id)

        try await store.apply([ScannedFile("/m/a.flac", title: "New", size: 2)])

        let new = try #require(await store.track(of: "/m/a.flac"))
        #expect(new.tags.title == "New")
        #expect(new.id == old.id)
        #expect(new.added == old.added)
        #expect((new.rating, new.isFavourite, new.playCount) == (4, true, 1))
        #expect((new.skipCount, new.lastPlayed) == (1, 50))
        #expect(store.trackCount == 1)
    }

    @Test(.rule("LB42"))
    func `A file that was moved is the same track, and a copy is another`() async throws {
        let store = folder.openLibrary()
        let song = ScannedFile("/m/a.flac", title: "Song", artists: ["X"], size: 7)
        try await store.apply([song])
        let old = try #require(await store.track(of: "/m/a.flac"))
        _ = try await store.rate(ids: [old.id], rating: 5)
        var copy = song
        copy.path = "/m/copy.flac"
        try await store.apply([copy])
        // The copy is an old one by then.
        try await store.markMissing(["/m/a.flac"], since: old.added + 1000)
        var moved = song
        moved.path = "/other/b.flac"
        try await store.apply([moved])

        #expect(await store.track(of: "/m/copy.flac")?.rating == nil)
        let new = try #require(await store.track(of: "/other/b.flac"))
        #expect((new.id, new.rating, new.missingSince) == (old.id, 5, nil))
        #expect(await store.track(of: "/m/a.flac") == nil)
        #expect(store.trackCount == 2)
    }

    @Test(.rule("LB42"), arguments: [true, false])
    func `A file that was found before its old name was missing is the same track`(
        isWholeFolder: Bool
    ) async throws {
        let store = folder.openLibrary()
        let song = ScannedFile("/m/a.flac", title: "Song", artists: ["X"], size: 7)
        try await store.apply([song, ScannedFile("/m/b.flac", title: "Other", size: 8)])
        let old = try #require(await store.track(of: "/m/a.flac"))
        _ = try await store.rate(ids: [old.id], rating: 5)
        var moved = song
        moved.path = "/z/a.flac"
        try await store.apply([moved])
        if isWholeFolder {
            try await store.markMissing(below: "/m", since: old.added)
        } else {
            try await store.markMissing(["/m/a.flac"], since: old.added)
        }

        let new = try #require(await store.track(of: "/z/a.flac"))
        #expect((new.id, new.rating, new.missingSince) == (old.id, 5, nil))
        #expect(await store.track(of: "/m/a.flac") == nil)
        #expect(store.trackCount == 2)
        #expect(try await #require(store.tracks(LibraryQuery("song"))).tracks.map(\.id) == [old.id])
    }

    @Test(.rule("LB42"))
    func `A moved file with another song in it is another track`() async throws {
        let store = folder.openLibrary()
        try await store.apply([ScannedFile("/m/a.flac", title: "Song", size: 7)])
        let old = try #require(await store.track(of: "/m/a.flac"))
        try await store.markMissing(["/m/a.flac"], since: 10)

        try await store.apply([ScannedFile("/m/b.flac", title: "Another", size: 7)])

        #expect(await store.track(of: "/m/b.flac")?.id != old.id)
        #expect(await store.track(of: "/m/a.flac")?.missingSince == 10)
    }

    @Test(.rule("LB43"))
    func `The parts of a CUE sheet are tracks, and one that it names no more is missing`()
        async throws
    {
        let store = folder.openLibrary()
        func file(_ starts: [Double], _ surroundings: UInt64) -> ScannedFile {
            ScannedFile(
                path: "/m/disc.flac",
                stamp: ScanStamp(size: 9, modified: 9, surroundings: surroundings),
                tracks: starts.map { start in
                    var tags = TrackTags()
                    tags.title = "from \(start)"
                    return ScannedTrack(part: TrackPart(start: start), tags: tags)
                })
        }
        try await store.apply([file([0, 10, 20], 1)])
        let first = try #require(
            await store.track(of: "/m/disc.flac", part: TrackPart(start: 10.0001)))
        _ = try await store.rate(ids: [first.id], rating: 3)

        try await store.apply([file([0, 20, 30], 2)])
        // What has not changed is there; the part without a line in the sheet is not.
        try await store.markPresent(["/m/disc.flac": file([], 2).stamp])

        let tracks = try #require(await store.tracks(LibraryQuery())).tracks
        #expect(tracks.count == 4)
        #expect(tracks.filter { $0.missingSince != nil }.map(\.id) == [first.id])
        #expect(await store.track(of: "/m/disc.flac") == nil, "the file as a whole is not a track")
        try await store.apply([file([0, 10, 20], 3)])
        let again = await store.track(of: "/m/disc.flac", part: TrackPart(start: 10))
        #expect((again?.id, again?.rating, again?.missingSince) == (first.id, 3, nil))
    }

    @Test(.rule("LB44"))
    func `What is missing waits, and is forgotten at its time, with its folder's`() async throws {
        let store = folder.openLibrary()
        try await store.addFolder("/disk")
        try await store.addFolder("/disk/kept")
        try await store.addFolder("/disk2")
        let text = ScannedFile(
            path: "/disk/notes.ogg", stamp: ScanStamp(size: 1, modified: 1), tracks: [])
        try await store.apply(
            [
                ScannedFile("/disk/x/a.flac", title: "A", size: 1),
                ScannedFile("/disk/kept/b.flac", title: "B", size: 2),
                ScannedFile("/disk2/c.flac", title: "C", size: 3), text,
            ])
        #expect(await store.folders()?.map(\.trackCount) == [2, 1, 1])
        #expect(try Set(store.knownFolders(in: "/disk")) == ["/disk", "/disk/x", "/disk/kept"])
        #expect(
            try store.knownFiles(in: "/disk") == [
                "/disk/notes.ogg": KnownFile(stamp: text.stamp, isMissing: false)
            ])

        #expect(try await store.removeFolder("/disk", now: 100))

        #expect(try await !store.removeFolder("/disk", now: 100))
        let missing = LibraryQuery(.flag(.missing))
        #expect(await store.tracks(missing)?.tracks.map(\.tags.title) == ["A"])
        #expect(try store.knownFolders(in: "/disk") == ["/disk/kept"])
        #expect(try await store.forgetMissing(before: 100) == 0)
        #expect(try await store.forgetMissing(before: 101) == 1)
        #expect(await store.track(of: "/disk/x/a.flac") == nil)
        #expect(store.trackCount == 2)
        #expect(await store.ids(LibraryQuery())?.count == 2)
    }

    @Test(.rule("LB44")) func `A disk that is back has its tracks again`() async throws {
        let store = folder.openLibrary()
        let song = ScannedFile("/disk/x/a.flac", title: "A", size: 1)
        try await store.apply([song])
        try await store.markMissing(below: "/disk", since: 7)
        try await store.markMissing(below: "/disk", since: 9)
        #expect(await store.track(of: song.path)?.missingSince == 7)
        #expect(
            try store.knownFiles(in: "/disk/x") == [
                song.path: KnownFile(stamp: song.stamp, isMissing: true)
            ])

        try await store.markPresent([song.path: song.stamp])

        #expect(await store.track(of: song.path)?.missingSince == nil)
        #expect(await store.tracks(LibraryQuery(.flag(.missing)))?.count == 0)
    }

    @Test(.rule("LB45")) func `Lists, ratings and counts are there in the next service`()
        async throws
    {
        let first = folder.openLibrary()
        try await first.addFolder(FilePath(bytes: Array("/m".utf8) + [0xe9]))
        try await first.addFolder("/a")
        try await first.setMissing("/a", since: 12)
        #expect(try await first.save("is:favourite", as: "best"))
        #expect(try await first.save("year:1995", as: "best"))
        #expect(try await first.save("a", as: "gone"))
        #expect(try await first.save(nil, as: "gone"))
        #expect(try await !first.save(nil, as: "gone"))
        let others = ScannedFile("/a/x.flac", title: "X", artists: ["A", "B"], size: 3) {
            $0.others = ["Label": ["L"], "MUSICBRAINZ_TRACKID": []]
            $0.gain = ReplayGain()
        }
        try await first.apply([others])
        let id = try #require(await first.track(of: "/a/x.flac")?.id)
        _ = try await first.rate(LibraryQuery(.word("x")), rating: 2, togglesFavourite: true)
        await withCheckedContinuation { counted in
            first.countPlay(of: id, at: 3) { counted.resume() }
        }
        let track = await first.track(of: "/a/x.flac")
        first.close()

        let store = folder.openLibrary()

        #expect(await store.track(of: "/a/x.flac") == track)
        #expect(track?.tags == others.tracks[0].tags)
        #expect(track?.playCount == 1)
        #expect(await store.folders()?.map(\.path.bytes.count) == [3, 2])
        #expect(await store.folders()?.last?.missingSince == 12)
        #expect(await store.savedQueries() == [SavedQuery(name: "best", query: "year:1995")])
    }

    @Test func `The random order is another one each time, with the same pages`() async throws {
        let store = folder.openLibrary()
        try await store.apply((0..<300).map { ScannedFile("/m/\($0)", size: Int64($0)) })
        let query = LibraryQuery(order: [LibraryQuery.Order(.random)])

        let first = try #require(await store.tracks(query, limit: 150)).tracks.map(\.id)
        let second = try #require(await store.tracks(query, offset: 150, limit: 150)).tracks.map(
            \.id)

        #expect(Set(first + second).count == 300)
        #expect(first != first.sorted())
        #expect(await store.ids(query) != first + second)
        #expect(await store.tracks(LibraryQuery(order: query.order, limit: 7))?.count == 7)
    }

    @Test func `Files without numbers are in the natural order of their names`() async throws {
        let store = folder.openLibrary()
        try await store.apply(
            ["10.mp3", "9.mp3", "B.mp3", "a.mp3"].map { ScannedFile("/m/\($0)") })

        let all = try #require(await store.tracks(LibraryQuery())).tracks

        #expect(all.map(\.path.lastComponent) == ["9.mp3", "10.mp3", "a.mp3", "B.mp3"])
        #expect(
            await store.tracks(LibraryQuery(), offset: 1, limit: 2)?.tracks == Array(all[1...2]))
        #expect(await store.tracks(LibraryQuery(), offset: 9, limit: 2)?.tracks == [])
    }
}
