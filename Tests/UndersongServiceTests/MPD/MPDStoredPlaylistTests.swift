import Foundation
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongService

@Suite final class `The stored playlists of MPD's protocol` {
    private let folder = "/tmp/mpd-playlists-\(UUID().uuidString.prefix(8))/queues"
    private var playlists: MPDStoredPlaylists { MPDStoredPlaylists(folder: folder) }

    deinit { try? FileManager.default.removeItem(atPath: Folder.path(of: folder)) }

    private func entry(_ path: FilePath) -> QueueEntry { QueueEntry(.file(path: path)) }
    private func paths(_ name: String) throws -> [String] {
        try playlists.entries(name).map(\.source.path.description)
    }

    @Test func `A playlist has what was saved, with times and titles`() throws {
        let part = QueueEntry(
            .file(path: "/a & b.flac"), start: CMTime(value: 1, timescale: 75),
            end: CMTime(value: 30, timescale: 1), title: "One\nTwo")
        try playlists.create("To hear", [part, entry("/c.mp3")])

        let entries = try playlists.entries("To hear")

        #expect(entries.map(\.source) == [part.source, .file(path: "/c.mp3")])
        #expect(entries[0].start == part.start && entries[0].end == part.end)
        #expect(entries[0].title == "One\nTwo")
    }

    @Test func `A playlist is not replaced by another`() throws {
        try playlists.create("a", [entry("/a")])
        try playlists.create("b", [entry("/b")])

        #expect(throws: MPDError(.exist, "Playlist already exists")) {
            try playlists.create("a", [])
        }
        #expect(throws: MPDError(.exist, "Playlist exists already")) {
            try playlists.rename("a", to: "b")
        }
        #expect(throws: MPDError(.exist, "Playlist exists already")) {
            try playlists.rename("none", to: "b")
        }
        #expect(try paths("a") == ["/a"])
        try playlists.rename("a", to: "c")
        #expect(try paths("c") == ["/a"])
        #expect(try paths("b") == ["/b"])
    }

    @Test func `A playlist is edited, and made if that is wanted`() throws {
        try playlists.edit("a", creates: true) { $0 = [entry("/a"), entry("/b")] }
        try playlists.edit("a") { $0.swapAt(0, 1) }

        #expect(try paths("a") == ["/b", "/a"])
        #expect(throws: MPDStoredPlaylists.noSuchPlaylist) { try playlists.edit("b") { $0 = [] } }
    }

    @Test func `An edit that is refused changes nothing`() throws {
        try playlists.create("a", [entry("/a")])

        #expect(throws: MPDError.badRange) {
            try playlists.edit("a") { entries throws(MPDError) in
                entries = []
                throw .badRange
            }
        }
        #expect(try paths("a") == ["/a"])
    }

    @Test func `What is not there cannot be read, renamed or removed`() throws {
        #expect(throws: MPDStoredPlaylists.noSuchPlaylist) { try playlists.entries("a") }
        #expect(throws: MPDStoredPlaylists.noSuchPlaylist) { try playlists.rename("a", to: "b") }
        #expect(throws: MPDStoredPlaylists.noSuchPlaylist) { try playlists.remove("a") }
        try playlists.create("a", [])
        try playlists.remove("a")
        #expect(throws: MPDStoredPlaylists.noSuchPlaylist) { try playlists.entries("a") }
    }

    @Test(arguments: ["", "../a", "a/b", "a\nb", ".a", "a\0b"])
    func `A name that a playlist cannot have is refused`(name: String) {
        #expect(throws: MPDError(.argument, "Bad playlist name")) {
            try playlists.create(name, [])
        }
    }
}
