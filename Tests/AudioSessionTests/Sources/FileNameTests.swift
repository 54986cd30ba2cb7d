import Foundation
import Glibc
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongAudioSession

@Suite struct `The names of files` {
    @Test func `File names that are not UTF-8 are found in folders and playlists`() throws {
        let lists = try Lists()
        let folder = Array(lists.folder.utf8)
        let name: [UInt8] = Array("/latin".utf8) + [0xE9] + Array(".mp3".utf8)
        let file = FilePath(bytes: folder + Array("/album".utf8) + name)
        try lists.write(to: "album/plain.mp3")
        try lists.make(file)
        try Data(Array("album".utf8) + name).write(to: URL(filePath: lists.path("list.m3u")))
        let plain = FilePath("\(lists.folder)/album/plain.mp3")

        let found = MediaFinder([lists.path("album"), lists.path("list.m3u")]).all()

        #expect(found.map(\.source.path) == [file, plain, file])
    }

    @Test func `Names of folders and playlists may also be other than UTF-8`() throws {
        let lists = try Lists()
        let folder = FilePath(bytes: Array((lists.folder + "/").utf8) + [0xFF])
        #expect(folder.withPlatformString { unsafe mkdir($0, 0o700) } == 0)
        let file = FilePath(bytes: folder.bytes + Array("/a.mp3".utf8))
        let list = FilePath(bytes: folder.bytes + Array("/list.m3u".utf8))
        try lists.make(file)
        try lists.make(list, "a.mp3\n")

        #expect(MediaFinder([folder]).all().map(\.source.path) == [file])
        #expect(MediaFinder([list]).all().map(\.source.path) == [file])
    }

    @Test func `File names in a Windows code page match existing files`() throws {
        let lists = try Lists()
        try lists.write(to: "Ёлка.mp3")
        let name: [UInt8] = [0xA8, 0xEB, 0xEA, 0xE0]
        let list = Data(Array("#EXTINF:-1,".utf8) + name + Array("\n".utf8) + name)
        try (list + Data(".mp3\n".utf8)).write(to: URL(filePath: lists.path("list.m3u")))

        let found = MediaFinder([lists.path("list.m3u")]).all()

        #expect(
            found == [QueueEntry(.file(path: lists.path("Ёлка.mp3")), title: "Ёлка")])
    }

    @Test func `File names in XML may use any single-byte code page`() throws {
        let head = #"<?xml version="1.0" encoding="windows-1251"?><playlist><trackList><track>"#
        let title = Data("<location>file:///a.mp3</location><title>".utf8) + [0xA8, 0xEB]
        let text = Data(head.utf8) + title + Data("</title></track></trackList></playlist>".utf8)

        #expect(try entries(xspf: Array(text)).map(\.title) == ["Ёл"])
    }

    @Test(arguments: ["utf-7", "nonsense", "shift_jis"])
    func `File names in XML with an unreadable encoding are an error`(encoding: String) throws {
        let lists = try Lists()
        try lists.write(
            #"<?xml version="1.0" encoding="\#(encoding)"?><playlist/>"#, to: "list.xspf")

        #expect(lists.errors("list.xspf") == ["cannot read list.xspf: Line 1: unknown encoding"])
    }

    @Test func `Names of other audio files in a folder are counted by kind`() throws {
        let lists = try Lists()
        for name in ["a.mp3", "1.ape", "2.APE", "in/3.wv", "4.m4a", "cover.jpg", "notes.txt"] {
            try lists.write(to: "mixed/" + name)
        }
        try lists.write(to: "lossless/1.dsf")
        try lists.write(to: "pictures/1.png")

        #expect(
            lists.errors("mixed", "lossless", "pictures") == [
                "cannot play all of mixed: skipped 4 files in unsupported formats: "
                    + "2 Monkey's Audio, 1 MP4, 1 WavPack",
                "cannot play lossless: No music was found in it; "
                    + "skipped 1 file in an unsupported format: 1 DSD",
                "cannot play pictures: No music was found in it",
            ])
        #expect(lists.find("mixed") == ["mixed/a.mp3"])
    }

    @Test(arguments: ["empty.m3u", "empty.cue", "empty.pls"])
    func `An empty playlist is an error that says so`(name: String) throws {
        let lists = try Lists()
        try lists.write("", to: name)

        #expect(lists.find(name) == [])
        #expect(lists.errors(name) == ["cannot play \(name): It is an empty playlist"])
    }
}

extension Lists {
    /// Writes a file whose path may be any bytes.
    fileprivate func make(_ path: FilePath, _ text: String = "") throws {
        let file = path.withPlatformString { unsafe open($0, O_CREAT | O_WRONLY, 0o600) }
        defer { close(file) }
        #expect(file >= 0)
        #expect(unsafe Glibc.write(file, text, text.utf8.count) == text.utf8.count)
    }
}
