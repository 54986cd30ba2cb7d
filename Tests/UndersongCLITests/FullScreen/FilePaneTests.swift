import Foundation
import Glibc
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongCLI

/// The file browser on the full screen, and how it reads folders.
@Suite struct `The file browser` {
    @Test func `The file browser opens folders, and goes back to the one that it has left`() {
        var screen = Self.screen()

        let first = Self.press([.character("3")], in: &screen)
        Self.answer(&screen, first, folders: ["A", "B"], files: ["a.mp3"])
        let inner = Self.press([.down, .enter], in: &screen)
        let empty = screen.files.isKnown
        Self.answer(&screen, inner, folders: [], files: ["b.mp3"])
        let outer = Self.press([.left], in: &screen)
        Self.answer(&screen, outer, folders: ["A", "B"], files: ["a.mp3"])
        let left = screen.files.cursor.place
        let root = Self.press([.left, .left, .left], in: &screen).last

        #expect(Self.request(first).folder == "/music" && Self.request(inner).folder == "/music/B")
        #expect(!empty)
        #expect(Self.request(outer).folder == "/music" && left == 1)
        #expect(root == .list(FolderRequest(folder: "/", number: 4)))
        #expect(screen.files.folder == "/")
    }

    @Test func `The file browser drops the names of a folder that it has left`() {
        var screen = Self.screen()
        let first = Self.press([.character("3")], in: &screen)
        Self.answer(&screen, first, folders: ["A"], files: [])

        let slow = Self.press([.enter], in: &screen)
        let fast = Self.press([.left], in: &screen)
        Self.answer(&screen, slow, folders: [], files: ["late.mp3"])
        let during = screen.files.isKnown
        Self.answer(&screen, fast, folders: ["A"], files: ["x.mp3"])

        #expect(!during)
        #expect(screen.files.entries.map(\.name) == ["A", "x.mp3"])
    }

    @Test(
        arguments: [
            (.character("a"), .end), (.character("A"), .next), (.enter, .now),
            (.character("P"), .now),
        ] as [(KeyStroke, Addition.Position)])
    func `The file browser adds and plays files, and all but Enter folders`(
        stroke: KeyStroke, position: Addition.Position
    ) {
        var screen = Self.screen()
        let first = Self.press([.character("3")], in: &screen)
        Self.answer(&screen, first, folders: ["A"], files: ["a.mp3"])

        let file = Self.press([.down, stroke], in: &screen)
        let folder = Self.press([.up, stroke], in: &screen)

        #expect(
            file == [
                .add(
                    Addition(files: Files(["/music/a.mp3"]), position: position, name: "a.mp3"))
            ])
        #expect(
            folder
                == (stroke == .enter
                    ? [.list(FolderRequest(folder: "/music/A", number: 2))]
                    : [.add(Addition(files: Files(["/music/A"]), position: position, name: "A"))]))
    }

    @Test func `The file browser adds folders to the library, and no files`() {
        var screen = Self.screen()
        let first = Self.press([.character("3")], in: &screen)
        Self.answer(&screen, first, folders: ["A"], files: ["a.mp3"])

        #expect(Self.press([.character("L")], in: &screen) == [.watch("/music/A")])
        #expect(Self.press([.down, .character("L")], in: &screen) == [.endNote(1)])
        #expect(screen.note == "a folder can be added to the library, not a file")
    }

    @Test func `The file browser finds names as they are typed, and the next by n and N`() {
        var screen = Self.screen()
        let first = Self.press([.character("3")], in: &screen)
        Self.answer(&screen, first, folders: [], files: ["Xa", "Über", "b", "uber 2"])

        _ = Self.press([.character("/"), .character("u"), .character("B")], in: &screen)
        let typed = (screen.typed, screen.files.cursor.place)
        _ = Self.press([.enter, .character("n")], in: &screen)
        let next = screen.files.cursor.place
        _ = Self.press([.character("n")], in: &screen)
        let around = screen.files.cursor.place
        _ = Self.press([.character("N")], in: &screen)
        let back = screen.files.cursor.place
        let none = Self.press([.character("/"), .character("q")], in: &screen)

        #expect(typed == ("uB", 1) && next == 3 && around == 1 && back == 3)
        #expect(none == [.endNote(1)] && screen.note == "no matches")
    }

    @Test func `The file browser shows hidden files if asked to, and keeps its cursor`() {
        var screen = Self.screen()
        let first = Self.press([.character("3")], in: &screen)
        Self.answer(&screen, first, folders: [".git", "A"], files: [".x", "a.mp3"])

        let shown = screen.files.entries.map(\.name)
        _ = Self.press([.down, .character(".")], in: &screen)
        let all = (screen.files.entries.count, screen.files.cursor.place)

        #expect(shown == ["A", "a.mp3"])
        #expect(all == (4, 3))
    }

    @Test(arguments: [40, 80, 120, 200])
    func `The file browser shows the folder's path and names, or why there are none`(columns: Int) {
        var screen = PlayerScreen(folder: FilePath("/" + String(repeating: "long/", count: 30)))
        _ = screen.handle(.size(ScreenLayout(columns: columns, rows: 14)))
        let first = Self.press([.character("3")], in: &screen)
        Self.answer(&screen, first, folders: ["A"], files: ["a.mp3"])
        let canvas = screen.frame.canvas
        _ = screen.handle(.stroke(.enter))
        _ = screen.handle(
            .folder(
                FolderListing(problem: "permission denied"),
                for: FolderRequest(folder: "/", number: 2)))

        #expect(canvas.text(row: 0).contains("long/"))
        #expect(canvas.text(row: 0).hasPrefix("…") == (columns < 150))
        #expect(canvas.text(row: 1).hasPrefix("A/ ") && canvas.text(row: 2).hasPrefix("a.mp3 "))
        #expect(screen.frame.canvas.text(row: 1).hasPrefix("permission denied"))
    }

    // MARK: Folders

    @Test func `A folder's names are read in natural order, folders first, whatever their bytes`()
        throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["track 10.mp3", "track 9.mp3", ".hidden"] {
            try Data().write(to: folder.appending(path: name))
        }
        for name in ["b", "A"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: false)
        }
        let path = FilePath(folder.path)
        let odd = path.appending([0x7A, 0xE9, 0x2E, 0x6D, 0x70, 0x33])
        unsafe odd.withPlatformString { name in
            _ = unsafe close(open(name, O_CREAT | O_WRONLY, 0o600))
        }
        unsafe path.appending(Array("pipe".utf8)).withPlatformString { name in
            _ = unsafe mkfifo(name, 0o600)
        }
        try FileManager.default.createSymbolicLink(
            at: folder.appending(path: "c"), withDestinationURL: folder.appending(path: "b"))
        try FileManager.default.createSymbolicLink(
            at: folder.appending(path: "loop"), withDestinationURL: folder.appending(path: "loop"))

        let listing = FolderListing(of: path)
        let missing = FolderListing(of: path.appending(Array("nothing".utf8)))

        #expect(listing.problem == nil)
        #expect(
            listing.entries.map(\.name) == [
                "A", "b", "c", ".hidden", "loop", "track 9.mp3", "track 10.mp3", "z\\xe9.mp3",
            ])
        #expect(listing.entries.map(\.isFolder) == (0..<8).map { $0 < 3 })
        #expect(listing.entries.last?.path == odd)
        #expect(missing.entries == [] && missing.problem != nil)
    }

    // MARK: Making screens

    private static func screen() -> PlayerScreen {
        var screen = PlayerScreen(folder: "/music")
        _ = screen.handle(.size(ScreenLayout(columns: 80, rows: 14)))
        return screen
    }

    private static func press(_ strokes: [KeyStroke], in screen: inout PlayerScreen)
        -> [ScreenCommand]
    {
        strokes.flatMap { screen.handle(.stroke($0)) }
    }

    private static func request(_ commands: [ScreenCommand]) -> FolderRequest {
        for case .list(let request) in commands { return request }
        Issue.record("nothing is requested by \(commands)")
        return FolderRequest(folder: "/", number: -1)
    }

    private static func answer(
        _ screen: inout PlayerScreen, _ commands: [ScreenCommand], folders: [String],
        files: [String]
    ) {
        let request = request(commands)
        let entries = [(folders, true), (files, false)].flatMap { names, isFolder in
            names.map {
                FolderEntry(path: request.folder.appending(Array($0.utf8)), isFolder: isFolder)
            }
        }
        _ = screen.handle(.folder(FolderListing(entries), for: request))
    }
}
