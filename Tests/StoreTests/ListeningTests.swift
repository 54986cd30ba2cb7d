import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongStore

@Suite struct `The history of heard items` {
    let folder = TemporaryFolder()

    @Test func `What was heard is known at once and later, by the file's path`() async {
        let store = folder.open()
        let position = ResumePoint(
            seconds: 61.5, duration: 3600, isFinished: false, lastPlayed: 1_700_000_000)
        let finished = ResumePoint(
            seconds: 0, duration: 10, isFinished: true, lastPlayed: 1_700_000_001)

        store.keepPosition(
            ResumePoint(seconds: 1, duration: 9, isFinished: false, lastPlayed: 0), of: "/book.mp3"
        )
        store.keepPosition(position, of: "/book.mp3")
        store.keepPosition(finished, of: "/other.mp3")

        #expect(store.resumePosition(of: "/book.mp3") == position)
        await store.flush()
        #expect(store.resumePosition(of: "/book.mp3") == position)
        store.close()
        let later = folder.open()
        #expect(later.resumePosition(of: "/book.mp3") == position)
        #expect(later.resumePosition(of: "/other.mp3") == finished)
        #expect(later.resumePosition(of: "/unknown.mp3") == nil)
    }

    @Test func `What was heard is listed latest first`() async {
        let store = folder.open()
        let entries = (1...5).map { number in
            PlayedEntry(
                path: FilePath("/\(number).mp3"), title: "Number \(number)",
                began: Double(number),
                seconds: 10)
        }

        for entry in entries[..<3] { store.addToHistory(entry) }
        await store.flush()
        for entry in entries[3...] { store.addToHistory(entry) }
        let now = await store.history(limit: 4)
        store.close()

        #expect(now == [entries[4], entries[3], entries[2], entries[1]])
        #expect(await folder.open().history(limit: 9) == entries.reversed())
    }

    private static let scrobble = {
        var entry = PlayedEntry(path: "/1.mp3", title: "One", began: 1, seconds: 10)
        (entry.artist, entry.album, entry.duration) = ("The Undersongs", "Tides", 20.5)
        entry.finished = false
        return entry
    }()

    /// An entry without details.
    private static let plain = PlayedEntry(path: "/1.mp3", title: "One", began: 1, seconds: 10)

    @Test func `What was heard is listed with artist, album, length, and if it came to its end`()
        async
    {
        let store = folder.open()
        var finished = Self.scrobble
        finished.finished = true

        for entry in [Self.scrobble, finished, Self.plain] { store.addToHistory(entry) }
        store.close()

        #expect(
            await folder.open().history(limit: 9) == [Self.plain, finished, Self.scrobble])
    }

    @Test func `What was heard is listed without an entry that is damaged`() async throws {
        let store = folder.open()
        for _ in 1...2 { store.addToHistory(Self.scrobble) }
        store.close()
        try folder.edit { db in
            try db.execute(
                "UPDATE history SET value = replace(value, 'Undersongs', 'x') WHERE id = 2")
        }

        #expect(await folder.open().history(limit: 9) == [Self.scrobble])
    }
}
