import Glibc
import Synchronization
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongStore

@Suite struct `The facts about files` {
    let folder = TemporaryFolder()
    private static let stamp = FileStamp(size: 1234, modified: 1_700_000_000_123_456_789)

    private static func record(
        _ integrated: Double, peak: Double = 0.5, seconds: Double = 100, album: String? = nil,
        damage: [String] = []
    ) -> AnalysisRecord {
        let loudness = MeasuredLoudness(
            integrated: integrated, truePeak: peak, samplePeak: peak / 2)
        return AnalysisRecord(
            stamp: stamp, date: 7.5,
            outcome: .analyzed(
                FileAnalysis(loudness: loudness, seconds: seconds, album: album, damage: damage)))
    }

    private func keep(
        _ record: AnalysisRecord, of path: FilePath, in store: StateStore
    ) async -> StoreTrouble? {
        await withCheckedContinuation { continuation in
            store.keep(record, of: path) { continuation.resume(returning: $0) }
        }
    }

    @Test(arguments: [
        record(-14.25, album: "/a/\nBest of", damage: ["one thing", "another"]),
        AnalysisRecord(
            stamp: stamp, date: 1, outcome: .analyzed(FileAnalysis(loudness: nil, seconds: 3))),
        AnalysisRecord(stamp: stamp, date: 1, outcome: .unplayable("It contains no sound")),
        AnalysisRecord(stamp: stamp, date: 1, outcome: .crashed(count: 2)),
    ])
    func `What is known of files is the same when the service has been killed`(
        record: AnalysisRecord
    ) async {
        let path = FilePath(bytes: [0x2F, 0x61, 0xFF, 0x0A, 0x62])
        let store = folder.open()

        let trouble = await keep(record, of: path, in: store)
        let known = store.analysis(of: path)
        // Copied without being closed, as a process that is killed leaves it.
        _ = unsafe system("cp -r '\(folder.store)' '\(folder.path)/killed'")
        let later = StateStore(folder: folder.path + "/killed", clock: SystemClock()) { _ in }

        #expect(trouble == nil)
        #expect(known == record)
        #expect(later.analysis(of: path) == record)
        #expect(later.analysis(of: "/other") == nil)
    }

    @Test func `The store gives the gain of exactly a file's content`() async throws {
        let store = folder.open()
        _ = await keep(Self.record(-14.2, peak: 0.9), of: "/a.mp3", in: store)

        let gain = try #require(store.measuredGain(of: "/a.mp3", Self.stamp))

        #expect(abs(try #require(gain.trackGain) + 3.8) < 1e-9)
        #expect(gain.trackPeak == 0.9)
        #expect(gain.albumGain == nil)
        var changed = Self.stamp
        changed.modified += 1
        #expect(store.measuredGain(of: "/a.mp3", changed) == nil)
        #expect(store.measuredGain(of: "/b.mp3", Self.stamp) == nil)
    }

    @Test func `The store gives an album the mean power of its files, by their lengths`()
        async throws
    {
        let store = folder.open()
        _ = await keep(Self.record(-10, peak: 0.4, seconds: 300, album: "x"), of: "/1", in: store)
        _ = await keep(Self.record(-20, peak: 0.8, seconds: 100, album: "x"), of: "/2", in: store)
        _ = await keep(Self.record(0, peak: 1, album: "y"), of: "/3", in: store)

        let gain = try #require(store.measuredGain(of: "/2", Self.stamp))

        // (3 × 0.1 + 1 × 0.01) / 4 is 11.1 dB below 1.
        #expect(abs(try #require(gain.albumGain) + 18 - 11.107) < 0.001)
        #expect(gain.albumPeak == 0.8)
        #expect(gain.trackGain == 2)
    }

    @Test func `An analysis whose row was changed on the disk does not count`() async throws {
        let store = folder.open()
        _ = await keep(Self.record(-14), of: "/a.mp3", in: store)
        store.close()
        try folder.edit { db in
            try db.execute("UPDATE analyses SET value = replace(value, '-14', '-50')")
        }

        #expect(folder.open().analysis(of: "/a.mp3") == nil)
    }

    @Test func `The store says why it cannot keep an analysis, and keeps it once it can`()
        async throws
    {
        let store = StateStore(folder: nil, clock: SystemClock()) { _ in }

        let trouble = await keep(Self.record(-14), of: "/a.mp3", in: store)

        #expect(trouble?.code == .noFolder)
        store.close()
        let closed = await keep(Self.record(-14), of: "/a.mp3", in: store)
        #expect(closed?.reason == "the store is closed")
    }

    @Test func `The analyses of the queue's files are found batch by batch`() async throws {
        let store = folder.open()
        let ids = store.add((1...5).map { QueueEntry("/\($0).mp3") })
        try await store.commit(PlayerRecord(ids), as: .edit("add"))

        let first = store.files(after: nil, limit: 3)
        let rest = store.files(after: first.last?.id, limit: 3)
        let end = store.files(after: rest.last?.id, limit: 3)

        #expect(first.map(\.path) == ["/1.mp3", "/2.mp3", "/3.mp3"])
        #expect(rest.map(\.path) == ["/4.mp3", "/5.mp3"])
        #expect(end.isEmpty)
    }

    @Test func `Analyses need no more room on the disk than necessary once the database is tidy`()
        async throws
    {
        let store = folder.open()
        let damage = [String(repeating: "damage ", count: 100)]
        for number in 1...200 {
            _ = await keep(Self.record(-14, damage: damage), of: FilePath("/\(number)"), in: store)
        }
        store.close()
        var free = 0
        try folder.edit { db in
            try db.execute("DELETE FROM analyses WHERE path <> '/1'")
            free = try db.value("PRAGMA freelist_count") ?? 0
        }
        let later = folder.open()

        let trouble = await withCheckedContinuation { continuation in
            later.tidy { continuation.resume(returning: $0) }
        }
        later.close()

        #expect(free > 10 && trouble == nil)
        try folder.edit { db in free = try db.value("PRAGMA freelist_count") ?? -1 }
        #expect(free == 0)
        #expect(folder.open().analysis(of: "/1") == Self.record(-14, damage: damage))
    }
}
