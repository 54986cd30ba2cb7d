import Testing
import UndersongBase

@testable import UndersongPlayback

@Suite struct `A PLS playlist` {
    @Test func `A PLS playlist returns files with their titles, in the order of the lines`() throws
    {
        let text = """
            [playlist]
            File1=a.mp3
            Title1=One
            Length1=12
            Title2=Two
            File2=/b.mp3
             file3 = file:///c%20d.mp3
            File10=http://radio/live
            Title10=
            NumberOfEntries=4
            Version=2
            """

        let found = try entries(text.utf8, .pls)

        #expect(
            found == [
                QueueEntry(
                    .file(path: "/lists/a.mp3"), title: "One",
                    duration: CMTime(value: 12, timescale: 1)),
                QueueEntry(.file(path: "/b.mp3"), title: "Two"),
                QueueEntry(.file(path: "/c d.mp3")), QueueEntry(.file(path: "http://radio/live")),
            ])
    }

    @Test func `A PLS playlist loses no file if titles are elsewhere or numbers occur twice`()
        throws
    {
        let text = "File2=/a\nFile1=/b\nFile1=/c\nTitle2=A\nFile=/d\nFile3=\nFilex=/e\nTitle9=Nine"

        let found = try entries(text.utf8, .pls)

        #expect(found.map(\.source.path) == ["/a", "/b", "/c", "/d"])
        #expect(found.map(\.title) == [nil, nil, nil, nil])
    }

    @Test func `A PLS playlist may have numbers of any length`() throws {
        let digits = String(repeating: "9", count: 100)

        let found = try entries("File\(digits)=/a\nTitle\(digits)=A".utf8, .pls)

        #expect(found == [QueueEntry(.file(path: "/a"), title: "A")])
    }
}
