import Foundation
import Testing
import UndersongPlayback

@testable import UndersongAudioSession

@Suite struct `The description of a file` {
    private let song = URL(filePath: #filePath)
        .appending(path: "../../../../Resources/Demo/01 Slack Water.mp3").standardizedFileURL.path

    @Test func `The description of a file lists the chapters in its tag`() throws {
        let lists = try Lists()
        let file = try lists.write(to: "book.mp3")
        let title = Data("TIT2\0\0\0\u{4}\0\0\0One".utf8)
        let contents = Data("a\0\0\0\0\0\0\0\u{5}\0".utf8) + Data(repeating: 0xFF, count: 8) + title
        let chapter = Data("CHAP\0\0\0".utf8) + [UInt8(contents.count), 0, 0] + contents
        let head = Data("ID3\u{3}\0\0\0\0\0".utf8) + [UInt8(chapter.count)]
        try (head + chapter + Data(contentsOf: URL(filePath: song)))
            .write(to: URL(filePath: file))

        let description = try MediaLoader.description(of: .file(path: file))

        #expect(
            description.chapters == [
                Chapter(
                    start: .zero, end: CMTime(value: 1280, timescale: 1000), title: "One")
            ])
        #expect(try MediaLoader.description(of: .file(path: song)).chapters == [])
    }
}
