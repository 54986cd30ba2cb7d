import CMpg123
import Glibc
import Playback

/// Decodes one file or the standard input with libmpg123: exactly the music, without the encoder's
/// delay and padding. Owned by the decode thread; every call may block on the disk.
final class Mpg123Decoder: AudioDecoder {
    private(set) var format: StreamFormat
    let description: MediaDescription

    private static let blockSize = 8192
    /// Up to this many bytes before the first frame are an accident rather than another format.
    private static let strayBytes = 8

    private let file: MediaFile
    private let handle: Mpg123Handle
    /// Where the frames are if they are all of one length, and the offset of the first one.
    private let constantRate: (frames: ConstantRateFrames?, samples: Int, start: Int)
    /// What is trimmed here because libmpg123 does not know about it.
    private let gapless: GaplessInfo?
    private var trimmer: GaplessTrimmer?
    private var block = [Int16](repeating: 0, count: Mpg123Decoder.blockSize)
    /// The format that follows the samples returned last, if it differs.
    private var nextFormat: StreamFormat?
    private var hasEnded = false
    private var failures = 0
    private var gain = 1.0
    /// Samples read in advance.
    private var primed: SampleBuffer?
    private(set) var position = 0
    private(set) var undecodable: (count: Int, reason: String)?

    /// Parses the tags and the first frame of `file`.
    init(_ file: MediaFile) throws(MediaError) {
        let tagLength = id3v2Length(file.head(10))
        var handle = try Mpg123Handle(file, confirmsFrames: true)
        var format = handle.format()
        if format == nil, let size = file.size, size - tagLength < 1 << 14 {
            handle = try Mpg123Handle(file, confirmsFrames: false)
            format = handle.format()
            if handle.framePosition != tagLength { format = nil }
        } else if format != nil, Self.beginsWithSomethingElse(file, tagLength, handle) {
            let isMusic = try Self.hasConsecutiveFrames(file)
            handle = try Mpg123Handle(file, confirmsFrames: true)
            format = isMusic ? handle.format() : nil
        }
        guard let format else { throw Self.noMusic(file) }
        self.file = file
        self.format = format
        let start = handle.framePosition
        let frames = file.network == nil ? nil : ConstantRateFrames(file, start: start)
        constantRate = (frames, frames?.sampleCount ?? 1152, start)
        let tags = Tags(handle)
        let isTrimmed = handle.state(MPG123_ENC_DELAY) != nil
        let gapless = isTrimmed ? nil : tags.gapless
        self.gapless = gapless
        trimmer = gapless.map(GaplessTrimmer.init)
        description = Self.describe(handle, file, format, tagLength, tags, gapless)
        self.handle = handle
    }

    func prime() throws(MediaError) -> Bool {
        var samples = SampleBuffer()
        try read(into: &samples)
        primed = samples
        // libmpg123 seeks past the end too; once it has reached the end, it knows the length.
        if samples.isEmpty, let length = handle.length {
            position = min(position, length - leadingFrames)
        }
        return !samples.isEmpty
    }

    func setGain(_ factor: Double) {
        guard factor != gain else { return }
        gain = factor
        handle.setVolume(factor)
    }

    func read(into samples: inout SampleBuffer) throws(MediaError) {
        if let ready = primed.take() {
            samples = ready
            return
        }
        samples.removeAll(for: .int16)
        while samples.isEmpty && !hasEnded {
            format = nextFormat ?? format
            nextFormat = nil
            let channels = format.channelCount
            var count = 0
            let outcome = unsafe block.withUnsafeMutableBufferPointer { target in
                unsafe handle.read(into: target, count: &count)
            }
            let music = trimmer?.range(ofBlock: count / channels) ?? 0..<count / channels
            let range = music.lowerBound * channels..<music.upperBound * channels
            let block = block
            unsafe samples.append(block.span.extracting(range).bytes)
            try handle(outcome)
        }
    }

    func seek(to frame: Int) throws(MediaError) {
        guard file.size != nil else {
            throw MediaError(
                .notSeekable, operation: "seek in \(file.path)", reason: "It is not a file")
        }
        primed = nil
        nextFormat = nil
        let start = leadingFrames
        let target = min(frame, gapless?.frameCount ?? .max)
        if file.network != nil { skipToFrame(near: start + target) }
        if let error = file.readError() { throw error }
        hasEnded = !handle.seek(to: start + target)
        position = hasEnded ? target : handle.position - start
        trimmer = gapless.map { GaplessTrimmer($0, from: target) }
    }

    /// Shows libmpg123 where it is to read for a seek to `frame` if all that is before has not
    /// arrived, as far as that can be computed; otherwise it reads all of it.
    private func skipToFrame(near frame: Int) {
        let delay = (handle.state(MPG123_ENC_DELAY) ?? 0) + GaplessInfo.decoderDelay
        let target = (frame + delay) / constantRate.samples - Mpg123Handle.warmUpFrames - 8
        guard let frames = constantRate.frames, target > frames.knownFrames,
            let offset = frames.offset(of: target)
        else { return }
        handle.setIndex(offsets: [constantRate.start, offset], step: target)
    }

    /// Frames before the music that libmpg123 does not know about.
    private var leadingFrames: Int {
        gapless.map { $0.encoderDelay + GaplessInfo.decoderDelay } ?? 0
    }

    func scan(isCancelled: @escaping @Sendable () -> Bool) -> MediaIndex? {
        file.isCancelled = isCancelled
        guard file.size != nil, let length = handle.scan(), !isCancelled() else {
            return nil
        }
        let (offsets, step) = handle.index
        return MediaIndex(
            offsets: offsets, step: step, frameCount: gapless?.frameCount ?? length)
    }

    func use(_ index: MediaIndex) {
        handle.setIndex(offsets: index.offsets, step: index.step)
    }

    private func handle(_ outcome: Mpg123Handle.Outcome) throws(MediaError) {
        if let error = file.readError() { throw error }
        switch outcome {
        case .samples:
            failures = 0
        case .newFormat:
            nextFormat = handle.format()
        case .end:
            hasEnded = true
        case .failed(let reason):
            failures += 1
            undecodable = ((undecodable?.count ?? 0) + 1, reason)
            guard failures < Mpg123Handle.failureLimit else {
                throw MediaError(.decodeFailed, operation: "decode \(file.path)", reason: reason)
            }
        }
    }

    /// Whether anything but a tag, an encoder's header and a few stray bytes precedes the first
    /// frame of music.
    private static func beginsWithSomethingElse(
        _ file: MediaFile, _ tagLength: Int, _ handle: borrowing Mpg123Handle
    ) -> Bool {
        file.size != nil && abs(handle.framePosition - tagLength) > strayBytes
            && XingHeader(firstFrame: file.head(256, at: tagLength)) == nil
    }

    /// Random bytes contain what looks like an MPEG frame every few thousand bytes. If music does
    /// not begin at once, there must be four consecutive frames; in a shorter file three, or all
    /// there are.
    private static func hasConsecutiveFrames(_ file: MediaFile) throws(MediaError) -> Bool {
        let handle = try Mpg123Handle(file, confirmsFrames: true)
        var (run, longest) = (0, 0)
        var expected = -1
        for count in 0..<32 {
            guard handle.parseNextFrame(), let info = handle.info() else {
                return longest >= 3 || run > 0 && run == count
            }
            run = handle.framePosition == expected ? run + 1 : 1
            longest = max(longest, run)
            expected = handle.framePosition + Int(info.framesize)
            if longest == 4 { return true }
        }
        return false
    }

    private static func noMusic(_ file: MediaFile) -> MediaError {
        if let error = file.readError() { return error }
        let name =
            file.path == .standardStream
            ? "the standard input" : file.path.description
        return MediaError(
            .notMPEGAudio, operation: "play \(name)", reason: "No MPEG audio was found in it")
    }

    private static func describe(
        _ handle: borrowing Mpg123Handle, _ file: MediaFile, _ format: StreamFormat,
        _ tagLength: Int, _ tags: Tags, _ gapless: GaplessInfo?
    ) -> MediaDescription {
        let length = gapless?.frameCount ?? (file.size == nil ? nil : handle.length)
        let duration = length.map { CMTime(value: Int64($0), timescale: Int32(format.sampleRate)) }
        let firstFrame = file.head(256, at: tagLength)
        let isComplete = isComplete(file, tagLength, XingHeader(firstFrame: firstFrame))
        let lame = LAMETag(firstFrame: firstFrame)
        let source: GaplessSource? =
            gapless != nil ? .iTunSMPB : handle.state(MPG123_ENC_DELAY).map { _ in .lameTag }
        return MediaDescription(
            format: format, encoding: encoding(handle.info()),
            duration: duration ?? .invalid,
            isDurationExact: isComplete && duration != nil,
            encoderDelay: gapless?.encoderDelay ?? handle.state(MPG123_ENC_DELAY),
            encoderPadding: gapless?.encoderPadding ?? handle.state(MPG123_ENC_PADDING),
            gaplessSource: source, encoder: lame?.encoder,
            replayGain: replayGain(handle, tags, lame), tags: tags.text,
            chapters: Chapter.chapters { file.head($1, at: $0) })
    }

    /// A `TXXX` frame takes precedence over an `RVA2` frame, and that over the LAME tag.
    private static func replayGain(
        _ handle: borrowing Mpg123Handle, _ tags: Tags, _ lame: LAMETag?
    ) -> ReplayGain {
        var gain = tags.replayGain
        let track = handle.relativeVolume(ofAlbum: false)
        let album = handle.relativeVolume(ofAlbum: true)
        gain.complete(
            with: ReplayGain(
                trackGain: isEqual(track, lame?.trackGain) ? nil : track,
                albumGain: isEqual(album, lame?.albumGain) ? nil : album))
        if let lame { gain.complete(with: lame.replayGain) }
        return gain
    }

    /// Whether libmpg123's gain is the LAME tag's: then there is no RVA2 frame, and whether the tag
    /// can be trusted is still to be checked.
    private static func isEqual(_ gain: Double?, _ lameGain: Double?) -> Bool {
        guard let gain, let lameGain else { return false }
        return abs(gain - lameGain) < 0.01
    }

    /// Whether the file's own header gives the number of frames and no bytes are missing.
    private static func isComplete(
        _ file: MediaFile, _ tagLength: Int, _ header: XingHeader?
    ) -> Bool {
        guard let size = file.size, let header, let bytes = header.byteCount,
            header.frameCount != nil
        else { return false }
        return bytes <= size - tagLength
    }

    private static func encoding(_ info: mpg123_frameinfo2?) -> String {
        guard let info else { return "MPEG" }
        let version =
            switch info.version {
            case Int32(MPG123_2_0.rawValue): "2"
            case Int32(MPG123_2_5.rawValue): "2.5"
            default: "1"
            }
        return "MPEG \(version) Layer \(String(repeating: "I", count: Int(info.layer)))"
    }
}

/// The tags to report, under their common names.
private struct Tags {
    private static let names = [
        "TIT2": "title", "TPE1": "artist", "TALB": "album", "TRCK": "track", "TYER": "year",
        "TDRC": "year", "TCON": "genre", "TPE2": "albumArtist", "TCOM": "composer",
        "TPOS": "disc",
    ]

    private(set) var text: [String: String] = [:]
    private(set) var gapless: GaplessInfo?
    private(set) var replayGain = ReplayGain()

    init(_ handle: borrowing Mpg123Handle) {
        handle.forEachTag { name, detail, value in
            guard !value.isEmpty else { return }
            if name == "TXXX" { replayGain.take(name: detail, value: value) }
            if name == "COMM" && detail == "iTunSMPB" { gapless = GaplessInfo(iTunSMPB: value) }
            let key = name == "COMM" && detail.isEmpty ? "comment" : Self.names[name]
            if let key, text[key] == nil { text[key] = value }
        }
    }
}
