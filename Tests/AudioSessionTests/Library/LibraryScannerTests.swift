import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongBase
import UndersongLibrary
import UndersongPlayback

@testable import UndersongAudioSession

/// A scan of real folders.
@Suite struct `A scan of a library` {
    private let music: MusicFolder
    private let records = MemoryRecords()

    init() throws { music = try MusicFolder() }

    @discardableResult
    private func scan(
        _ folder: String = "", isRecursive: Bool = true, readsAll: Bool = false,
        watch: FolderTreeWatch? = nil, now: Double = 1
    ) async -> ScanOutcome {
        let path = folder.isEmpty ? music.root : music.root.appending(Array(folder.utf8))
        let request = ScanRequest(
            root: music.root, folder: path, isRecursive: isRecursive, readsAll: readsAll)
        let scanner = LibraryScanner(request, records, watch: watch, clock: SystemClock())
        return await scanner.scan(now: now) { _ in }
    }

    @Test(.rule("LB30")) func `Files are read once, and again when they have changed`() async throws
    {
        try music.write(MP3.file(title: "One", artist: "Björk"), to: "a/1.mp3")
        try music.write(MP3.file(title: "Two"), to: "a/b/2.mp3")
        try music.write(Array("text".utf8), to: "a/notes.txt")

        let first = await scan()
        let second = await scan()
        try music.write(MP3.file(title: "Changed", frames: 50), to: "a/1.mp3")
        let third = await scan()
        let fourth = await scan(readsAll: true)

        #expect(
            first
                == ScanOutcome(
                    .complete, LibraryScan(fileCount: 2, readCount: 2),
                    watchProblem: first.watchProblem))
        #expect(second.progress == LibraryScan(fileCount: 2, readCount: 0))
        #expect(third.progress == LibraryScan(fileCount: 2, readCount: 1))
        #expect(fourth.progress == LibraryScan(fileCount: 2, readCount: 2))
        #expect(records.titles(in: music) == ["a/1.mp3": ["Changed"], "a/b/2.mp3": ["Two"]])
    }

    @Test func `The sound and the tags are those that the decoder finds`() async throws {
        try music.write(MP3.file(title: "One", artist: "Björk"), to: "1.mp3")
        await scan()

        let track = try #require(records.file("1.mp3", in: music)?.tracks.first)
        let description = try MediaLoader.description(of: .file(path: music.path("1.mp3")))

        #expect(track.tags.artists == ["Björk"])
        #expect(track.tags.title == description.tags["title"])
        #expect(track.sound?.format == SoundFormat(description))
        let seconds = try #require(track.sound?.seconds)
        #expect(abs(seconds - description.duration.seconds) < 0.05)
        #expect(track.sound?.bitRate == 128_000)
    }

    @Test(.rule("LB31"))
    func `A vanished file is missing, and back with its old contents it is there again`()
        async throws
    {
        try music.write(MP3.file(title: "One"), to: "a/1.mp3")
        try music.write(MP3.file(title: "Two"), to: "b/2.mp3")
        await scan()
        try music.move("b", to: ".elsewhere")

        await scan()
        let missing = records.missing(in: music)
        try music.move(".elsewhere", to: "b")
        let last = await scan()

        #expect(missing == ["b/2.mp3"])
        #expect(records.missing(in: music) == [])
        #expect(last.progress.readCount == 0)
    }

    @Test func `All is missing if the folder of the library is`() async throws {
        try music.write(MP3.file(title: "One"), to: "a/1.mp3")
        await scan()
        try music.remove()

        let outcome = await scan()

        #expect(outcome.end == .rootIsMissing)
        #expect(records.missing(in: music) == ["a/1.mp3"])
    }

    @Test(.rule("LB32"))
    func `Links that lead in a circle or to one folder twice are followed once`() async throws {
        let other = try MusicFolder()
        try music.write(MP3.file(title: "One"), to: "a/1.mp3")
        try other.write(MP3.file(title: "Far"), to: "far.mp3")
        try music.link("a/circle", to: "..")
        try music.link("self", to: "self")
        try music.link("gone", to: "/nowhere")
        try music.link("x", to: other.root.description)
        try music.link("y", to: other.root.description)
        try music.link("z", to: "a")

        let outcome = await scan()

        #expect(outcome.end == .complete)
        #expect(outcome.problems == [])
        #expect(records.titles(in: music) == ["a/1.mp3": ["One"], "x/far.mp3": ["Far"]])
    }

    @Test(.rule("LB30")) func `Bad files are said, and not read again`() async throws {
        try music.write([], to: "empty.mp3")
        try music.write([UInt8](repeating: 7, count: 5000), to: "noise.mp3")
        try music.write(
            MP3.file(title: "Latin"), to: Array("latin".utf8) + [0xE9] + Array(".mp3".utf8))
        try music.pipe("pipe.mp3")

        let first = await scan()
        let second = await scan()

        #expect(first.problems.count == 2)
        #expect(first.problems.contains { $0.contains("empty.mp3: The file is empty") })
        #expect(first.problems.contains { $0.contains("noise.mp3: No MPEG audio was found") })
        #expect(records.titles(in: music)["latin\\xe9.mp3"] == ["Latin"])
        #expect(second.progress == LibraryScan(fileCount: 3, readCount: 0))
    }

    @Test(.rule("LB31"), .enabled(if: geteuid() != 0, "root may read everything"))
    func `What must not be read is said, and keeps what is known`() async throws {
        try music.write(MP3.file(title: "One"), to: "a/b/1.mp3")
        await scan()
        try music.setMode(0, of: "a")

        let outcome = await scan()

        try music.setMode(0o755, of: "a")
        #expect(outcome.end == .complete)
        #expect(outcome.problems == ["\(music.path("a")): Permission denied"])
        #expect(records.missing(in: music) == [])
    }

    @Test func `A tag of 10 MB is read up to its end`() async throws {
        let picture = [UInt8](repeating: 0x55, count: 10 << 20)
        try music.write(MP3.file(title: "After", picture: picture), to: "big.mp3")
        await scan()

        let tags = records.file("big.mp3", in: music)?.tracks.first?.tags

        #expect(tags?.title == "After")
        #expect(tags?.hasCover == true)
    }

    @Test(.rule("LB35"))
    func `A CUE sheet divides a file, which is read again when the sheet changes`()
        async throws
    {
        func sheet(_ title: String) -> [UInt8] {
            Array(
                """
                TITLE "Album"
                FILE "image.wav" WAVE
                TRACK 01 AUDIO
                TITLE "One"
                INDEX 01 00:00:00
                TRACK 02 AUDIO
                TITLE "\(title)"
                INDEX 01 00:00:30
                """.utf8)
        }
        try music.write(MP3.file(title: "All"), to: "image.mp3")
        try music.write(MP3.file(title: "Alone"), to: "alone.mp3")
        try music.write(sheet("Two"), to: "image.cue")
        await scan()
        let first = records.titles(in: music)
        try music.write(sheet("Second"), to: "image.cue")
        let outcome = await scan()

        #expect(first == ["image.mp3": ["One", "Two"], "alone.mp3": ["Alone"]])
        #expect(outcome.progress.readCount == 1)
        #expect(records.titles(in: music)["image.mp3"] == ["One", "Second"])
    }

    @Test(.rule("LB30")) func `A picture in the folder is the cover of all its files`() async throws
    {
        try music.write(MP3.file(title: "One"), to: "1.mp3")
        await scan()
        let before = records.file("1.mp3", in: music)?.tracks.first?.tags.hasCover
        try music.write([1], to: "Folder.JPG")
        await scan()

        #expect(before == false)
        #expect(records.file("1.mp3", in: music)?.tracks.first?.tags.hasCover == true)
    }

    @Test func `A scan of one folder finds new folders in it and those that are gone`() async throws
    {
        let watch = try FolderTreeWatch(isRelevant: LibraryScanner.isRelevant) { _ in }
        defer { watch.end() }
        try music.write(MP3.file(title: "Old"), to: "old/1.mp3")
        try music.write(MP3.file(title: "Kept"), to: "kept/1.mp3")
        await scan(watch: watch)
        try music.move("old", to: ".hidden")
        try music.write(MP3.file(title: "New"), to: "new/deep/1.mp3")

        let outcome = await scan(isRecursive: false, watch: watch)

        #expect(outcome.progress == LibraryScan(fileCount: 1, readCount: 1))
        #expect(records.missing(in: music) == ["old/1.mp3"])
        #expect(records.titles(in: music)["new/deep/1.mp3"] == ["New"])
    }

    @Test(.rule("LB32"))
    func `A scan of one folder does not follow a second link to a folder`() async throws {
        let watch = try FolderTreeWatch(isRelevant: LibraryScanner.isRelevant) { _ in }
        defer { watch.end() }
        let other = try MusicFolder()
        try other.write(MP3.file(title: "Far"), to: "far.mp3")
        try music.link("x", to: other.root.description)
        try music.link("y", to: other.root.description)
        await scan(watch: watch)

        let outcome = await scan(isRecursive: false, watch: watch)

        #expect(outcome.progress == LibraryScan())
        #expect(records.titles(in: music) == ["x/far.mp3": ["Far"]])
        #expect(records.missing(in: music) == [])
    }

    @Test func `A store that fails ends the scan with its reason`() async throws {
        try music.write(MP3.file(title: "One"), to: "1.mp3")
        records.fail(SystemError(ENOSPC))

        let outcome = await scan()

        #expect(outcome.end == .failed("\(SystemError(ENOSPC))"))
        #expect(records.titles(in: music) == [:])
    }

    @Test func `A scan reads no file again if it cannot read what is known`() async throws {
        try music.write(MP3.file(title: "One"), to: "1.mp3")
        _ = await scan()
        records.failReading(SystemError(EIO))
        let failed = await scan()
        records.failReading(nil)

        #expect(failed.end == .failed("\(SystemError(EIO))"))
        #expect(failed.progress.readCount == 0)
        #expect(await scan().end == .complete)
    }

    @Test func `A scan that is stopped before it begins reads nothing`() async throws {
        try music.write(MP3.file(title: "One"), to: "1.mp3")
        let scanner = LibraryScanner(
            ScanRequest(root: music.root), records, watch: nil, clock: SystemClock())
        scanner.stop()

        let outcome = await scanner.scan(now: 1) { _ in }

        #expect(outcome.end == .stopped)
        #expect(records.titles(in: music) == [:])
    }
}

/// MPEG audio with an ID3v2 tag.
private enum MP3 {
    static func file(
        title: String, artist: String? = nil, picture: [UInt8]? = nil, frames: Int = 40
    ) -> [UInt8] {
        var tag: [UInt8] = []
        if let picture {
            tag += frame("APIC", [0] + Array("image/png".utf8) + [0, 3, 0] + picture)
        }
        tag += frame("TIT2", [3] + Array(title.utf8))
        if let artist { tag += frame("TPE1", [3] + Array(artist.utf8)) }
        let sizes = [21, 14, 7, 0].map { UInt8(tag.count >> $0 & 127) }
        let sound = [0xFF, 0xFB, 0x90, 0xC4] + [UInt8](repeating: 0, count: 413)
        let music = (0..<frames).flatMap { _ in sound }
        return Array("ID3".utf8) + [3, 0, 0] + sizes + tag + music
    }

    private static func frame(_ name: String, _ contents: [UInt8]) -> [UInt8] {
        Array(name.utf8) + [24, 16, 8, 0].map { UInt8(contents.count >> $0 & 255) } + [0, 0]
            + contents
    }
}

/// A temporary folder with music.
private final class MusicFolder {
    let root: FilePath

    init() throws {
        let path = NSTemporaryDirectory() + "undersong-music-\(UUID())"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        root = FilePath(path)
    }

    deinit { try? FileManager.default.removeItem(atPath: root.description) }

    func path(_ name: String) -> FilePath { root.appending(Array(name.utf8)) }

    func write(_ bytes: [UInt8], to name: String) throws {
        let folder = path(name).parent.description
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try write(bytes, to: Array(name.utf8))
    }

    /// Writes a file whose name need not be UTF-8.
    func write(_ bytes: [UInt8], to name: [UInt8]) throws {
        let file = root.appending(name).withPlatformString {
            open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        }
        guard file >= 0 else { throw SystemError.last }
        defer { close(file) }
        guard writeAll(bytes, to: file) == 0 else { throw SystemError.last }
    }

    func move(_ name: String, to other: String) throws {
        try FileManager.default.moveItem(
            atPath: path(name).description, toPath: path(other).description)
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: path(name).description, withDestinationPath: target)
    }

    func pipe(_ name: String) throws {
        guard mkfifo(path(name).description, 0o600) == 0 else { throw SystemError.last }
    }

    func setMode(_ mode: mode_t, of name: String) throws {
        guard chmod(path(name).description, mode) == 0 else { throw SystemError.last }
    }

    func remove() throws { try FileManager.default.removeItem(atPath: root.description) }
}

/// A store of scans in memory.
private final class MemoryRecords: ScanRecords {
    private struct State {
        var files: [FilePath: (file: ScannedFile, missingSince: Double?)] = [:]
        var error: SystemError?
        var readError: SystemError?
    }

    private let state = Mutex(State())

    /// Makes all that reads fail.
    func failReading(_ error: SystemError?) { state.withLock { $0.readError = error } }

    /// Makes all that writes fail.
    func fail(_ error: SystemError) { state.withLock { $0.error = error } }

    func file(_ name: String, in music: MusicFolder) -> ScannedFile? {
        state.withLock { $0.files[music.path(name)]?.file }
    }

    /// The titles of the tracks of each file that is music and not missing.
    func titles(in music: MusicFolder) -> [String: [String]] {
        let files = state.withLock { $0.files.values.filter { $0.missingSince == nil } }.map(\.file)
        return Dictionary(
            uniqueKeysWithValues: files.filter { !$0.tracks.isEmpty }.map {
                (name($0.path, in: music), $0.tracks.map { $0.tags.title ?? "" })
            })
    }

    func missing(in music: MusicFolder) -> [String] {
        state.withLock { $0.files.filter { $0.value.missingSince != nil }.map(\.key) }
            .map { name($0, in: music) }.sorted()
    }

    private func name(_ path: FilePath, in music: MusicFolder) -> String {
        String(path.description.dropFirst(music.root.description.count + 1))
    }

    func knownFolders(in folder: FilePath) throws -> [FilePath] {
        if let error = state.withLock(\.readError) { throw error }
        let files = state.withLock { $0.files.filter { $0.value.missingSince == nil }.map(\.key) }
        return Array(Set(files.filter { $0.isWithin(folder) }.map(\.parent)))
    }

    func knownFiles(in folder: FilePath) throws -> [FilePath: KnownFile] {
        try state.withLock { state in
            if let error = state.readError { throw error }
            return state.files.filter { $0.key.parent == folder }.mapValues {
                KnownFile(stamp: $0.file.stamp, isMissing: $0.missingSince != nil)
            }
        }
    }

    func apply(_ batch: [ScannedFile]) async throws {
        try change { files in for file in batch { files[file.path] = (file, nil) } }
    }

    func markMissing(_ paths: [FilePath], since now: Double) async throws {
        try change { files in for path in paths { files[path]?.missingSince = now } }
    }

    func markMissing(below folder: FilePath, since now: Double) async throws {
        try change { files in
            for path in files.keys where path.isWithin(folder) { files[path]?.missingSince = now }
        }
    }

    func markPresent(_ paths: [FilePath: ScanStamp]) async throws {
        try change { files in for path in paths.keys { files[path]?.missingSince = nil } }
    }

    private func change(
        _ body: (inout [FilePath: (file: ScannedFile, missingSince: Double?)]) -> Void
    ) throws {
        try state.withLock { state in
            if let error = state.error { throw error }
            body(&state.files)
        }
    }
}
