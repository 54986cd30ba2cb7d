/// The encoder's own tag, which LAME and libavformat (Lavf, Lavc) write after the Xing or Info
/// header.
///
/// The layout is that of the "Mp3 Info Tag" (gabriel.mp3-tech.org/mp3infotag.html): 9 characters of
/// version, 27 bytes of numbers. Two rules come from elsewhere. The peak is a Float32 in that
/// description, but LAME since 3.94 and libavformat write it in units of 2⁻²³ (LAME's `VbrTag.c`);
/// the values that occur distinguish the two. The gains refer to 89 dB as in ReplayGain tags, but
/// before LAME 3.95.1 they referred to 83 dB. libmpg123 corrects that for all versions below 3.95,
/// and so does this type; 3.95 itself cannot be distinguished from 3.95.1.
package struct LAMETag: Equatable, Sendable {
    /// The encoder's bit rate mode.
    package enum BitrateMode: String, Sendable {
        case constant
        case average
        case variable
    }

    /// The encoder and its version, such as `LAME3.100` or `Lavc59.37`.
    package var encoder: String
    package var bitrateMode: BitrateMode?
    /// The peak sample of the source; 1 is full scale.
    package var peak: Double?
    /// The gain in decibels that plays the track at 89 dB, -51 to 51.
    package var trackGain: Double?
    /// The gain in decibels that plays the album at 89 dB, -51 to 51.
    package var albumGain: Double?
    /// Frames that the encoder added before the music.
    package var encoderDelay: Int
    /// Frames that the encoder added after the music.
    package var encoderPadding: Int
    /// The number of bytes from the start of the tag's own frame to the end of the music.
    package var musicLength: Int
    /// The checksum of those bytes, excluding the tag's own frame.
    package var musicCRC: UInt16
    /// True if the tag's own checksum is correct. If it is not, its gains, peak and checksum must
    /// not be trusted; decoders use its delay and padding nevertheless.
    package var isIntact: Bool

    private static let length = 36

    /// Finds the tag in the bytes of the frame with the Xing or Info header.
    package init?(firstFrame bytes: [UInt8]) {
        guard let start = XingHeader(firstFrame: bytes)?.end, start + Self.length <= bytes.count
        else { return nil }
        let tag = Array(bytes[start..<start + Self.length])
        var crc = CRC16()
        crc.update(bytes.span.extracting(first: start + 34))
        isIntact = crc.value == UInt16(Self.number(tag[34..<36]))
        // Before LAME 3.90 there were 20 characters and nothing after them.
        let isLong = !isIntact && Self.isPrintable(tag[9])
        encoder = Self.text(tag.prefix(isLong ? 20 : 9))
        guard !encoder.isEmpty else { return nil }
        bitrateMode = Self.bitrateMode(method: tag[9] & 0x0F)
        peak = Self.peak(Self.number(tag[11..<15]))
        let offset = Self.isBelow395(encoder) ? 6.0 : 0.0
        trackGain = Self.gain(Self.number(tag[15..<17]), name: 1).map { $0 + offset }
        albumGain = Self.gain(Self.number(tag[17..<19]), name: 2).map { $0 + offset }
        let delays = Self.number(tag[21..<24])
        encoderDelay = delays >> 12
        encoderPadding = delays & 0xFFF
        musicLength = Self.number(tag[28..<32])
        musicCRC = UInt16(Self.number(tag[32..<34]))
    }

    /// The tag's ReplayGain values, if they can be trusted.
    package var replayGain: ReplayGain {
        guard isIntact else { return ReplayGain() }
        return ReplayGain(trackGain: trackGain, trackPeak: peak, albumGain: albumGain)
    }

    /// One of the two gain fields: 3 bits of name, 3 of originator, a sign, and 9 bits of tenths of
    /// a decibel. A field with another name or without an originator is ignored, as the proposal
    /// for Replay Gain (D. Robinson, 2001) says and libmpg123 does.
    private static func gain(_ field: Int, name: Int) -> Double? {
        guard field >> 13 == name, field >> 10 & 7 != 0 else { return nil }
        let decibels = Double(field & 0x1FF) / 10
        return field & 0x200 == 0 ? decibels : -decibels
    }

    /// A fixed-point value is below 2²⁸, which is 32 times full scale; a Float32 of -192 dB or more
    /// is above it.
    private static func peak(_ field: Int) -> Double? {
        guard field > 0 else { return nil }
        if field < 1 << 28 { return Double(field) / Double(1 << 23) }
        let peak = Double(Float(bitPattern: UInt32(field)))
        return peak.isFinite && peak > 0 ? peak : nil
    }

    private static func bitrateMode(method: UInt8) -> BitrateMode? {
        switch method {
        case 1, 8: .constant
        case 2, 9: .average
        case 3...6: .variable
        default: nil
        }
    }

    private static func isBelow395(_ encoder: String) -> Bool {
        guard encoder.hasPrefix("LAME") else { return false }
        let numbers = encoder.dropFirst(4).split(separator: ".", maxSplits: 1)
        guard numbers.count == 2, let major = Int(numbers[0]),
            let minor = Int(numbers[1].prefix { "0"..."9" ~= $0 })
        else { return false }
        return (major, minor) < (3, 95)
    }

    /// The printable characters at the start, without trailing spaces.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        var characters = bytes.prefix(while: isPrintable)
        while characters.last == UInt8(ascii: " ") { characters.removeLast() }
        return String(decoding: characters, as: UTF8.self)
    }

    private static func isPrintable(_ byte: UInt8) -> Bool { 0x20..<0x7F ~= byte }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
