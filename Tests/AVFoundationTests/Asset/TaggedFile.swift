import Foundation

/// A short MP3 file with the test's own tags, removed with this object.
final class TaggedFile: Sendable {
    let url: URL

    /// A frame of an ID3v2.3 tag.
    struct Frame {
        let name: String
        let bytes: Data

        static func text(_ name: String, _ text: String) -> Frame {
            Frame(name: name, bytes: Data([0]) + Data(text.utf8))
        }
        static func userText(_ name: String, _ text: String) -> Frame {
            Frame(name: "TXXX", bytes: Data([0]) + Data(name.utf8) + [0] + Data(text.utf8))
        }
        static func comment(_ kind: String, _ text: String) -> Frame {
            Frame(name: "COMM", bytes: Data("\0eng\(kind)\0\(text)".utf8))
        }
        static func lyrics(_ text: String) -> Frame {
            Frame(name: "USLT", bytes: Data("\0eng\0\(text)".utf8))
        }
        static func picture(_ type: String, _ data: Data) -> Frame {
            Frame(name: "APIC", bytes: Data("\0\(type)\0\u{3}\0".utf8) + data)
        }

        /// A chapter, with its times in milliseconds.
        static func chapter(
            _ name: String, _ title: String?, from start: UInt32, to end: UInt32?
        ) -> Frame {
            let none = UInt32.max.bytes(ofBits: 8)
            let times = start.bytes(ofBits: 8) + (end?.bytes(ofBits: 8) ?? none) + none + none
            let inner = title.map { title in
                let text = Frame.text("TIT2", title)
                let size = UInt32(text.bytes.count).bytes(ofBits: 8)
                return Data(text.name.utf8) + size + [0, 0] + text.bytes
            }
            return Frame(name: "CHAP", bytes: Data(name.utf8) + [0] + times + (inner ?? Data()))
        }
    }

    /// Writes the beginning of a song after a tag of `frames`.
    convenience init(_ frames: [Frame], olderTitle: String? = nil) throws {
        var body = Data()
        for frame in frames {
            let size = UInt32(frame.bytes.count)
            body += Data(frame.name.utf8) + size.bytes(ofBits: 8) + [0, 0] + frame.bytes
        }
        let size = UInt32(body.count)
        let head = Data("ID3".utf8) + [3, 0, 0] + size.bytes(ofBits: 7)
        let song = try Data(contentsOf: Sound.url(0))
        let length = (0..<4).reduce(10) { $0 + Int(song[6 + $1]) << (21 - 7 * $1) }
        // An ID3v1 tag: 128 bytes, with thirty for the title after the mark.
        let older = olderTitle.map { title in
            let start = Data("TAG\(title)".utf8)
            return start + Data(count: 128 - start.count)
        }
        try self.init(
            data: (frames.isEmpty ? Data() : head + body) + song[length..<60_000]
                + (older ?? Data()))
    }

    private init(data: Data) throws {
        url = FileManager.default.temporaryDirectory.appending(path: "undersong-\(UUID()).mp3")
        try data.write(to: url)
    }

    deinit { remove() }

    /// A whole song whose header does not state its length.
    static func withoutLength() throws -> TaggedFile {
        var song = try Data(contentsOf: Sound.url(0))
        guard
            let mark = song.firstRange(of: Data("Xing".utf8))
                ?? song.firstRange(of: Data("Info".utf8))
        else { throw CocoaError(.fileReadCorruptFile) }
        song.replaceSubrange(mark, with: Data(count: 4))
        return try TaggedFile(data: song)
    }

    func remove() { try? FileManager.default.removeItem(at: url) }
}

extension UInt32 {
    /// Its bytes, most significant first, with `bits` bits used of each.
    fileprivate func bytes(ofBits bits: UInt32) -> Data {
        Data((0..<4).reversed().map { UInt8(self >> ($0 * bits) & (1 << bits - 1)) })
    }
}
