import UndersongLibrary
import UndersongPlayback

/// The sound and tags of MPEG audio from its first and last bytes: the ID3v2 tag, the headers of the
/// first frames, and the tags at the end.
struct MPEGSurvey {
    /// The bytes from the first frame on that are read together.
    private static let frameBytes = 8 << 10
    /// An APEv2 tag that is longer is not read.
    private static let longestAPE = 1 << 20
    /// The frames by which the mean bit rate is estimated.
    private static let frameCount = 16

    private let file: MediaFile
    private let size: Int
    private(set) var fields = TagFields()
    /// The gains of `RVA2` frames, and the length that iTunes gives.
    private var relativeGain = ReplayGain()
    private var gapless: GaplessInfo?

    init(_ file: MediaFile, size: Int) {
        self.file = file
        self.size = size
    }

    /// The sound of a file that begins with frames, or with a tag and frames; nil for any other, which
    /// has to be searched.
    mutating func sound() -> TrackSound? {
        func read(_ offset: Int, _ count: Int) -> [UInt8] { file.head(count, at: offset) }
        addID3()
        let start = id3v2Length(read(0, 10))
        if start + Self.frameBytes > MediaSurvey.firstBytes, start < size {
            file.keep(min(Self.frameBytes, size - start), at: start)
        }
        let firstFrame = read(start, 256)
        let lame = LAMETag(firstFrame: firstFrame)
        let end = size - TagLength.trailing(size: size, read)
        addTagsAtEnd()
        fields.gain.complete(with: relativeGain)
        if let lame { fields.gain.complete(with: lame.replayGain) }
        guard MPEGFrameHeader.beginsRun(at: start, read),
            let header = MPEGFrameHeader(firstFrame)
        else { return nil }
        let xing = XingHeader(firstFrame: firstFrame)
        let frames = xing.map(\.frameCount) ?? Self.frameCount(ofVBRI: firstFrame)
        var sound = TrackSound(
            seconds: nil,
            SoundFormat(
                sampleRate: header.sampleRate, channels: header.channelCount,
                encoding: header.encoding))
        let rate = Double(header.sampleRate)
        if let frames, frames > 0 {
            let added = lame.map { $0.encoderDelay + $0.encoderPadding } ?? 0
            let count = lame == nil ? gapless?.frameCount : nil
            sound.seconds = Double(count ?? max(0, frames * header.sampleCount - added)) / rate
            sound.setBitRate(ofBytes: xing?.byteCount ?? end - start)
        } else if let mean = meanLength(from: start, header) {
            let count = gapless?.frameCount
            let frames = Double(max(0, end - start)) / mean
            sound.seconds =
                count.map { Double($0) / rate } ?? frames * Double(header.sampleCount) / rate
            sound.setBitRate(ofBytes: end - start)
        } else {
            return nil
        }
        return sound
    }

    /// The mean length in bytes of the frames from `start` on, as far as they are read already.
    private func meanLength(from start: Int, _ first: MPEGFrameHeader) -> Double? {
        var (offset, frames) = (start, 0)
        while frames < Self.frameCount, offset + 4 <= start + Self.frameBytes,
            let header = MPEGFrameHeader(file.head(4, at: offset)), header.isOfStream(first),
            let length = header.length
        {
            // What is rounded off in each frame counts over a whole file.
            if header.bitrate == first.bitrate, frames == 0 {
                let exact = Double(first.sampleCount / 8 * first.bitrate * 1000)
                let next = MPEGFrameHeader(file.head(4, at: offset + length))
                if next?.bitrate == first.bitrate { return exact / Double(first.sampleRate) }
            }
            offset += length
            frames += 1
        }
        return frames > 0 ? Double(offset - start) / Double(frames) : nil
    }

    /// The number of frames in the header that Fraunhofer's encoder writes.
    private static func frameCount(ofVBRI frame: [UInt8]) -> Int? {
        guard frame.count >= 54, frame[36..<40].elementsEqual("VBRI".utf8) else { return nil }
        return frame[50..<54].reduce(0) { $0 << 8 | Int($1) }
    }

    // MARK: Tags

    private mutating func addID3() {
        let file = file
        ID3Tag { file.head($1, at: $0) }?.forEachFrame { frame in
            switch frame.name {
            case "TXXX":
                let (detail, texts) = frame.describedTexts
                fields.addFrame(frame.name, detail: detail, texts)
            case "COMM":
                let (detail, texts) = frame.describedTexts
                fields.addFrame(frame.name, detail: detail, texts)
                if detail == "iTunSMPB", let text = texts.first {
                    gapless = gapless ?? GaplessInfo(iTunSMPB: text)
                }
            case "UFID": addIdentifier(frame.bytes(from: 0, count: 256))
            case "RVA2": addVolume(frame.bytes(from: 0, count: 256))
            case "APIC": fields.addFrame(frame.name, [])
            default: if frame.name.hasPrefix("T") { fields.addFrame(frame.name, frame.texts) }
            }
        }
    }

    private mutating func addIdentifier(_ bytes: [UInt8]) {
        guard let end = bytes.firstIndex(of: 0) else { return }
        let owner = String(decoding: bytes[..<end], as: UTF8.self)
        fields.addFrame(
            "UFID", detail: owner, [String(decoding: bytes[(end + 1)...], as: UTF8.self)])
    }

    /// A relative volume: a name, and for the master volume a number of 1/512 dB.
    private mutating func addVolume(_ bytes: [UInt8]) {
        guard let end = bytes.firstIndex(of: 0), bytes.count >= end + 4, bytes[end + 1] == 1 else {
            return
        }
        let number = Int16(bitPattern: UInt16(bytes[end + 2]) << 8 | UInt16(bytes[end + 3]))
        let gain = Double(number) / 512
        let name = String(decoding: bytes[..<end], as: UTF8.self).lowercased()
        let isOfAlbum = ["album", "audiophile", "user"].contains { name.hasPrefix($0) }
        relativeGain.complete(
            with: isOfAlbum ? ReplayGain(albumGain: gain) : ReplayGain(trackGain: gain))
    }

    /// Adds what the APEv2 and ID3v1 tags at the end say and ID3v2 does not.
    private mutating func addTagsAtEnd() {
        var end = size
        var short = TagFields()
        let last = file.head(TagLength.id3v1, at: max(0, size - TagLength.id3v1))
        if last.count == TagLength.id3v1, last.starts(with: "TAG".utf8) {
            short.addID3v1(last)
            end -= TagLength.id3v1
        }
        let footer = file.head(32, at: max(0, end - 32))
        if let length = APETag.length(ofFooter: footer), length <= min(end, Self.longestAPE) {
            var other = TagFields()
            APETag.forEachText(in: file.head(length, at: end - length)) { other.addComment($0, $1) }
            fields.complete(with: other)
        }
        fields.complete(with: short)
    }
}

extension MPEGFrameHeader {
    /// The encoding for display, such as `MPEG 1 Layer III`.
    fileprivate var encoding: String {
        let number =
            switch version {
            case .one: "1"
            case .two: "2"
            case .twoAndAHalf: "2.5"
            }
        return "MPEG \(number) Layer " + String(repeating: "I", count: layer)
    }
}

/// The items of an APEv2 tag.
enum APETag {
    private static let footerLength = 32
    private static let itemLimit = 1000

    /// The length of a tag, with its footer and without its header; nil if `footer` is none.
    static func length(ofFooter footer: [UInt8]) -> Int? {
        guard footer.count == footerLength, footer.starts(with: "APETAGEX".utf8) else { return nil }
        var reader = ByteReader(footer[12...], isLittleEndian: true)
        return reader.number(4).flatMap { $0 >= footerLength ? $0 : nil }
    }

    /// Passes each text of a tag to `body`; an item has several if zeros separate them.
    static func forEachText(in tag: [UInt8], _ body: (_ name: String, _ text: String) -> Void) {
        var reader = ByteReader(tag.dropLast(footerLength), isLittleEndian: true)
        for _ in 0..<itemLimit {
            guard let length = reader.number(4), let flags = reader.number(4),
                let name = reader.popName(), let value = reader.pop(length)
            else { return }
            // Others are binary, such as pictures, or links.
            guard flags >> 1 & 3 == 0 else {
                if name.hasPrefix("Cover Art") { body("COVERART", "") }
                continue
            }
            for text in value.split(separator: 0) {
                body(name, String(decoding: text, as: UTF8.self))
            }
        }
    }
}

extension ByteReader {
    /// A name of at most 255 bytes, which ends with a zero.
    fileprivate mutating func popName() -> String? {
        var name: [UInt8] = []
        while let byte = pop(1)?.first {
            if byte == 0 { return String(decoding: name, as: UTF8.self) }
            guard name.count < 255 else { return nil }
            name.append(byte)
        }
        return nil
    }
}
