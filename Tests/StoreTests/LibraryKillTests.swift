import TestSupport
import Testing
import UndersongBase
import UndersongLibrary
import UndersongStore

private let child = KilledProcess(
    test: "A child process scans and rates until it is killed",
    variable: "UNDERSONG_LIBRARY_CHILD", words: ["scanned", "rate", "rated", "saved"])
private let childFolder = KilledProcess.folder(child.variable)
private let kills = KilledProcess.count("UNDERSONG_LIBRARY_KILLS")

@Suite struct `A library whose process is killed` {
    @Test(.rule("LB45"), .disabled(if: childFolder != nil))
    func `A killed process has kept what it acknowledged, and no track twice`() async throws {
        let folder = TemporaryFolder()
        var (ratings, scanned, saved): ([FilePath: Int], Int, String?) = ([:], 0, nil)
        var count = 0
        for kill in 1...kills {
            let lines = try child.run(in: folder.store, upTo: Int.random(in: 0...80))

            var begun: (FilePath, Int)?
            for line in lines {
                let words = line.split(separator: " ").map(String.init)
                switch words[0] {
                case "scanned": scanned = max(scanned, Int(words[1]) ?? 0)
                case "rate": begun = (FilePath(words[1]), Int(words[2]) ?? 0)
                case "rated":
                    if let (path, rating) = begun { ratings[path] = rating }
                    begun = nil
                    count += 1
                default: saved = words[1]
                }
            }
            let store = LibraryStore(folder: folder.store, clock: SystemClock()) { _ in }
            let ids = try #require(await store.ids(LibraryQuery()))
            let tracks = await store.tracks(ids: ids)
            #expect(Set(tracks.map(\.path)).count == tracks.count, "kill \(kill)")
            #expect(tracks.count >= scanned)
            #expect(store.trackCount == tracks.count)
            for track in tracks {
                let isBegun = begun?.0 == track.path && begun?.1 == track.rating
                #expect(isBegun || track.rating == ratings[track.path], "kill \(kill)")
                if isBegun { ratings[track.path] = track.rating }
            }
            #expect(Set(ratings.keys).isSubset(of: tracks.map(\.path)))
            if let saved {
                let number = await store.savedQueries().flatMap(number)
                #expect(try #require(number) >= Int(saved) ?? 0)
            }
            #expect(store.trouble == nil)
            store.close()
        }
        #expect(count > kills)
    }

    /// The process to be killed. It reports on standard error what it begins and completes.
    @Test(.enabled(if: childFolder != nil))
    func `A child process scans and rates until it is killed`() async throws {
        let store = LibraryStore(folder: childFolder, clock: SystemClock()) { _ in }
        var number = await store.savedQueries().flatMap(number) ?? 0
        var paths = await store.ids(LibraryQuery()).map { $0.count } ?? 0
        while true {
            // Some files are new, and some were read before.
            let first = max(0, paths - Int.random(in: 0...20))
            let batch = (first..<first + 40).map { index in
                var tags = TrackTags()
                tags.title = "Title \(index)"
                return ScannedFile(
                    path: FilePath("/m/\(index / 10)/\(index).flac"),
                    stamp: ScanStamp(size: Int64(index), modified: 1),
                    tracks: [ScannedTrack(tags: tags)])
            }
            try await store.apply(batch)
            paths = max(paths, first + 40)
            KilledProcess.report("scanned \(paths)")
            for _ in 0..<3 {
                let path = FilePath(
                    { index in "/m/\(index / 10)/\(index).flac" }(Int.random(in: 0..<paths)))
                let track = try #require(await store.track(of: path))
                let rating = Int.random(in: 1...5)
                KilledProcess.report("rate \(path) \(rating)")
                _ = try await store.rate(ids: [track.id], rating: rating)
                KilledProcess.report("rated")
            }
            number += 1
            try await store.save("year:\(number)", as: "live")
            KilledProcess.report("saved \(number)")
        }
    }

    /// The number in the saved query.
    private func number(_ queries: [SavedQuery]) -> Int? {
        queries.first.flatMap { Int($0.query.dropFirst("year:".utf8.count)) }
    }
}
