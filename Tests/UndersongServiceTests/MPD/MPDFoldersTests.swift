import Testing
import UndersongBase

@testable import UndersongService

@Suite struct `The URIs of MPD's protocol` {
    @Test func `With one folder, URIs are relative to it`() {
        let folders = MPDFolders(["/home/me/Music"])

        #expect(folders.uri(of: "/home/me/Music/a/b.mp3") == "a/b.mp3")
        #expect(folders.uri(of: "/home/me/Music") == "")
        #expect(folders.uri(of: "/home/me/Music2/b.mp3") == nil)
        #expect(folders.path(of: "a/b.mp3") == "/home/me/Music/a/b.mp3")
        #expect(folders.onlyFolder == "/home/me/Music")
    }

    @Test func `With several folders, URIs begin with their names, which differ`() {
        let folders = MPDFolders(["/a/Music", "/b/Music", "/b/Music/Inner"])

        #expect(folders.uri(of: "/a/Music/x.mp3") == "Music/x.mp3")
        #expect(folders.uri(of: "/b/Music/x.mp3") == "Music (2)/x.mp3")
        #expect(folders.uri(of: "/b/Music/Inner/x.mp3") == "Inner/x.mp3")
        #expect(folders.path(of: "Music (2)/x.mp3") == "/b/Music/x.mp3")
        #expect(folders.path(of: "Music (2)") == "/b/Music")
        #expect(folders.path(of: "Other/x.mp3") == nil)
        #expect(folders.onlyFolder == nil)
    }

    @Test(arguments: [
        "..", "../x", "a/../../x", "a/..", ".", "./a", "a//b", "/etc/passwd", "a/", "", "a\0b",
    ])
    func `A URI that could leave its folder has no path`(uri: String) {
        #expect(MPDFolders(["/m"]).path(of: uri) == nil)
        #expect(MPDFolders(["/m", "/n"]).path(of: "m/" + uri) == nil)
    }

    @Test func `A name that is not text, or more than a line, has no URI`() {
        let folders = MPDFolders(["/m"])

        #expect(folders.uri(of: FilePath(bytes: Array("/m/caf".utf8) + [0xE9])) == nil)
        #expect(folders.uri(of: "/m/a\nfile: b") == nil)
    }

    @Test(arguments: [
        ("track0001", 1), ("track0123", 123), ("track1", nil), ("track00001", nil),
        ("track-001", nil), ("Track0001", nil), ("track+001", nil),
    ])
    func `A part of a file has the name of its number`(text: String, number: Int?) {
        #expect(MPDTrackName(text)?.number == number)
        #expect(MPDTrackName(number: 7).text == "track0007")
    }

    @Test func `Only clients of the Unix socket name files anywhere`() throws {
        #expect(try MPDLocation("/a/b", isLocal: true) == .file("/a/b"))
        #expect(try MPDLocation("FILE:///a/b", isLocal: true) == .file("/a/b"))
        #expect(throws: MPDError(.permission, "Access denied")) {
            try MPDLocation("/a/b", isLocal: false)
        }
        #expect(throws: MPDError(.permission, "Access denied")) {
            try MPDLocation("file:///a/b", isLocal: false)
        }
        #expect(throws: MPDError(.argument, "Malformed file:// URI")) {
            try MPDLocation("file://a", isLocal: true)
        }
        #expect(throws: MPDError(.argument, "Unsupported URI scheme")) {
            try MPDLocation("gopher://a", isLocal: true)
        }
        #expect(try MPDLocation("http://a/b", isLocal: false) == .stream("http://a/b"))
        #expect(try MPDLocation("a/b: c", isLocal: false) == .library("a/b: c"))
    }
}
