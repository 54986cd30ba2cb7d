/// What the encoder's own tag says, which LAME puts behind the Xing or Info header and libavformat
/// (Lavf, Lavc) after it.
///
/// The layout is that of the "Mp3 Info Tag" (gabriel.mp3-tech.org/mp3infotag.html): 9 characters of
/// version, 27 bytes of numbers. Two rules come from elsewhere. The peak is a Float32 in that
/// description, but LAME since 3.94 and libavformat write it in units of 2⁻²³ (LAME's `VbrTag.c`);
/// the values that occur tell the two apart. The gains refer to 89 dB as ReplayGain tags do, but
/// before LAME 3.95.1 they referred to 83 dB, which libmpg123 sets right for all below 3.95, and so
/// it is done here; 3.95 itself cannot be told from 3.95.1.
package struct LAMETag: Equatable, Sendable {
    /// How the encoder chose the size of a frame.
    package enum BitrateMode: String, Sendable {
        case constant
        case average
        case variable
    }

    /// The encoder and its version, such as `LAME3.100` or `Lavc59.37`.
    package var encoder: String
    package var bitrateMode: BitrateMode?
    /// The loudest sample of the source; 1 is full scale.
    package var peak: Double?
    /// Decibels to play the track at 89 dB, -51 to 51.
    package var trackGain: Double?
    /// Decibels to play the album at 89 dB, -51 to 51.
    package var albumGain: Double?
    /// Frames that the encoder put before the music.
    package var encoderDelay: Int
    /// Frames that the encoder put behind it.
    package var encoderPadding: Int
    /// Bytes from the start of the tag's own frame to the end of the music.
    package var musicLength: Int
    /// The checksum of those bytes, the tag's own frame left out.
    package var musicCRC: UInt16
    /// Whether the tag's own checksum holds. What another says of gain, peak and checksum is not to
    /// be believed; decoders honour its delay and padding nevertheless.
    package var isIntact: Bool

    private static let length = 36

    /// Finds the tag in the bytes of the frame that holds the Xing or Info header.
    package init?(firstFrame bytes: [UInt8]) {
        guard let start = XingHeader(firstFrame: bytes)?.end, start + Self.length <= bytes.count
        else { return nil }
        let tag = Array(bytes[start..<start + Self.length])
        var crc = CRC16()
        crc.update(bytes.span.extracting(first: start + 34))
        isIntact = crc.value == UInt16(Self.number(tag[34..<36]))
        // Up to LAME 3.89 there were 20 characters and nothing behind them.
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

    /// What the tag says of loudness, if it is to be believed.
    package var replayGain: ReplayGain {
        guard isIntact else { return ReplayGain() }
        return ReplayGain(trackGain: trackGain, trackPeak: peak, albumGain: albumGain)
    }

    /// One of the two gain fields: 3 bits of name, 3 of originator, a sign, and 9 of tenths of a
    /// decibel. One of another name counts for nothing, nor one without an originator: so says the
    /// proposal for Replay Gain (D. Robinson, 2001), and so does libmpg123.
    private static func gain(_ field: Int, name: Int) -> Double? {
        guard field >> 13 == name, field >> 10 & 7 != 0 else { return nil }
        let decibels = Double(field & 0x1FF) / 10
        return field & 0x200 == 0 ? decibels : -decibels
    }

    /// Fixed point stays below 2²⁸, which is 32 times full scale; a Float32 from -192 dB on is above.
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

    /// The printable characters at the start, without spaces behind them.
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
