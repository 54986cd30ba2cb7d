/// The frames that the encoder added to an item.
package struct GaplessInfo: Equatable, Sendable {
    /// Frames that the encoder added before the music.
    package var encoderDelay: Int
    /// Frames that the encoder added after the music.
    package var encoderPadding: Int
    /// The length of the music.
    package var frameCount: Int

    /// The delay in frames of every MPEG Layer III decoder, in addition to the encoder's.
    package static let decoderDelay = 529

    package init(encoderDelay: Int, encoderPadding: Int, frameCount: Int) {
        self.encoderDelay = encoderDelay
        self.encoderPadding = encoderPadding
        self.frameCount = frameCount
    }

    /// Reads the text of an `iTunSMPB` comment: hexadecimal fields, of which the second to fourth
    /// are delay, padding and length. Nil if it has no usable values.
    package init?(iTunSMPB text: String) {
        let fields = text.split(separator: " ").map { Int($0, radix: 16) }
        guard fields.count >= 4, let delay = fields[1], let padding = fields[2],
            let length = fields[3], 1...StreamFormat.frameLimit ~= length, 0..<1 << 16 ~= delay,
            0..<1 << 16 ~= padding
        else { return nil }
        self.init(encoderDelay: delay, encoderPadding: padding, frameCount: length)
    }
}

/// Passes only the music of an item whose decoder does not trim.
package struct GaplessTrimmer: Sendable {
    private var skipping: Int
    private var remaining: Int

    package init(_ info: GaplessInfo) {
        skipping = info.encoderDelay + GaplessInfo.decoderDelay
        remaining = info.frameCount
    }

    /// Creates a trimmer for a decoder that begins at `frame` of the music.
    package init(_ info: GaplessInfo, from frame: Int) {
        skipping = 0
        remaining = max(0, info.frameCount - frame)
    }

    /// The part of a block of `count` frames that is music.
    package mutating func range(ofBlock count: Int) -> Range<Int> {
        let start = min(skipping, count)
        let length = min(remaining, count - start)
        skipping -= start
        remaining -= length
        return start..<start + length
    }
}

/// The Xing or Info header in the first frame of an MP3, which describes the whole file.
package struct XingHeader: Equatable, Sendable {
    /// The number of MPEG frames, excluding the header's own.
    package var frameCount: Int?
    /// The number of bytes from the header's own frame to the end of the music.
    package var byteCount: Int?
    /// The end of the header, where the encoder's own tag may begin, in bytes from the start of the
    /// frame.
    package private(set) var end: Int

    /// Finds the header in the bytes after the ID3v2 tag.
    package init?(firstFrame bytes: [UInt8]) {
        // The MPEG header is followed by 9, 17 or 32 bytes of side information, and possibly a
        // checksum.
        let offsets = [13, 15, 21, 23, 36, 38].filter { $0 + 16 <= bytes.count }
        guard let offset = offsets.first(where: { Self.isName(bytes[$0..<$0 + 4]) }) else {
            return nil
        }
        let flags = Self.number(bytes[(offset + 4)...])
        end = offset + 8
        if flags & 1 != 0 {
            frameCount = Self.number(bytes[end...])
            end += 4
        }
        if flags & 2 != 0 {
            if end + 4 <= bytes.count { byteCount = Self.number(bytes[end...]) }
            end += 4
        }
        if flags & 4 != 0 { end += 100 }
        if flags & 8 != 0 { end += 4 }
    }

    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.elementsEqual("Xing".utf8) || bytes.elementsEqual("Info".utf8)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }
}

/// The length of an ID3v2 tag at the start of a file, header and footer included; 0 without one.
package func id3v2Length(_ bytes: [UInt8]) -> Int {
    guard bytes.count >= 10, bytes.starts(with: "ID3".utf8) else { return 0 }
    let size = bytes[6..<10].reduce(0) { $0 << 7 | Int($1 & 0x7F) }
    let hasFooter = bytes[5] & 0x10 != 0
    return 10 + size + (hasFooter ? 10 : 0)
}
