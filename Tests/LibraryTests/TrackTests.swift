import Foundation
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongLibrary

/// Values of the library on the wire.
@Suite struct `Tracks as JSON` {
    @Test func `A track survives the wire, with a path that is not UTF-8`() throws {
        var tags = TrackTags()
        (tags.title, tags.artists, tags.number) = ("Army of Me", ["Björk"], 1)
        let track = Track(
            id: 3, path: FilePath(bytes: Array("/latin".utf8) + [0xE9]),
            part: TrackPart(start: 12.5), tags: tags, added: 1.5, modified: 2, rating: 4)

        let line = try JSONEncoder().encode(track)

        #expect(try JSONDecoder().decode(Track.self, from: line) == track)
    }

    @Test func `A path with a zero byte is refused`() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(FilePath.self, from: Data(#""/a\u0000b""#.utf8))
        }
    }
}
