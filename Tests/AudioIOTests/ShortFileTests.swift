import Foundation
import TestSupport
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongAudioIO

/// Files that are shorter than their first bytes claim, such as those of a download that was cut. Most
/// of these ended the service by a trap; they were found by `scripts/fuzz`.
@Suite struct `A file that is shorter than it claims` {
    private static let frame: [UInt8] = [0xFF, 0xFF, 0, 0]

    @Test(arguments: [
        // A tag of a thousand bytes, of which there are twenty.
        Array("ID3\u{4}\0\0".utf8) + id3Number(1000, bits: 7) + Array(repeating: 0x41, count: 20),
        // A header in free format within less than a header and side information of the end.
        frame + Array(repeating: 0, count: 12), frame, frame + frame,
        // Empty blocks without end.
        Array("fLaC".utf8) + Array(repeating: 0, count: 200_000),
    ])
    func `A file that is shorter than it claims is not music`(bytes: [UInt8]) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "short.mp3").path
        try Data(bytes).write(to: URL(filePath: path))

        #expect(throws: MediaError.self) {
            try DecoderRegistry.standard.survey(of: FilePath(path))
        }
    }
}
