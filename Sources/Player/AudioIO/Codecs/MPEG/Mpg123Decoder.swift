import CUndersongMpg123
import Glibc
import UndersongPlayback

/// Decodes one file or the standard input with libmpg123: exactly the music, without the encoder's
/// delay and padding. Owned by the decode thread; every call may block on the disk.
final class Mpg123Decoder: AudioDecoder {
    private(set) var format: StreamFormat
    let description: MediaDescription

    private static let blockSize = 8192

    /// A decoded frame that has not been returned.
    private struct HeldFrame {
        var samples: [Int16] = []
        var format: StreamFormat
        /// True if it is damaged, so that silence takes its place.
        var isSilent = false
    }

    private let file: MediaFile
    private let handle: Mpg123Handle
    /// The frames' positions if they are all of one length, and the offset of the first one.
    private let constantRate: (frames: ConstantRateFrames?, samples: Int, start: Int)
    /// The frames to trim here because libmpg123 does not know about them.
    private let gapless: GaplessInfo?
    private var trimmer: GaplessTrimmer?
    /// Distinguishes music from noise.
    private var run: FrameRun
    /// Decoded frames, of which the first `decided` can be returned.
    private var held: [HeldFrame] = []
    private var decided = 0
    /// The format of the next frame from libmpg123.
    private var frameFormat: StreamFormat
    /// True if libmpg123 has nothing more, and why if that is an error.
    private var hasEnded = false
    private var failure: MediaError?
    private var failures = 0
    private var gain = 1.0
    /// Samples read in advance.
    private var primed: SampleBuffer?
    private(set) var position = 0
    private(set) var undecodable: (count: Int, reason: String)?

    /// Parses the tags and the first frame of `file`.
    init(_ file: MediaFile) throws(MediaError) {
        let tagLength = id3v2Length(file.head(10))
        let beginning = try MusicStart(file)
        if file.size != nil && beginning == nil { throw Self.noMusic(file) }
        let handle =
            if let beginning {
                try beginning.handle(of: file)
            } else {
                try Mpg123Handle(file, confirmsFrames: true)
            }
        guard let format = handle.format() else { throw Self.noMusic(file) }
        run = FrameRun(isTrusted: beginning != nil)
        frameFormat = format
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
        if beginning == nil { try findMusic() }
    }

    /// Leaves out what precedes the music of a stream, which is read once only.
    private func findMusic() throws(MediaError) {
        let start = file.place
        while !run.isProven, !hasEnded,
            file.place - start < Int64(Mpg123Handle.resyncLimit)
        {
            decodeFrame()
            guard !run.isProven, !hasEnded else { break }
            held.removeFirst(decided)
            decided = 0
        }
        if let failure { throw failure }
        guard let first = held.first(where: { !$0.isSilent }) else { throw Self.noMusic(file) }
        guard run.isProven || hasEnded else { throw Self.noMusic(file) }
        format = first.format
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
        repeat {
            while !hasEnded, decidedSamples < Self.blockSize { decodeFrame() }
            appendHeld(to: &samples)
        } while samples.isEmpty && !(hasEnded && held.isEmpty)
        if samples.isEmpty, let error = failure.take() { throw error }
    }

    private var decidedSamples: Int { held.prefix(decided).reduce(0) { $0 + $1.samples.count } }

    /// Moves the frames that are decided, as far as they are of one format.
    private func appendHeld(to samples: inout SampleBuffer) {
        guard let first = held.first, decided > 0 else { return }
        format = first.format
        let count = held.prefix(decided).prefix { $0.format == format }.count
        for frame in held.prefix(count) {
            let channels = format.channelCount
            let frames = frame.samples.count / channels
            let music = trimmer?.range(ofBlock: frames) ?? 0..<frames
            let range = music.lowerBound * channels..<music.upperBound * channels
            let block =
                frame.isSilent ? [Int16](repeating: 0, count: frame.samples.count) : frame.samples
            unsafe samples.append(block.span.extracting(range).bytes)
        }
        held.removeFirst(count)
        decided -= count
    }

    func seek(to frame: Int) throws(MediaError) {
        guard file.size != nil else {
            throw MediaError(
                .notSeekable, operation: "seek in \(file.path)", reason: "It is not a file")
        }
        primed = nil
        (held, decided, failure) = ([], 0, nil)
        // What precedes the place is not known.
        run = FrameRun(isTrusted: true)
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

    /// Decodes the next frame, and decides what it shows of those before it.
    private func decodeFrame() {
        var frame = HeldFrame(format: frameFormat)
        let outcome = handle.readFrame(into: &frame.samples)
        if let error = file.readError() { return end(error) }
        switch outcome {
        case .samples:
            failures = 0
            let verdict = run.add(handle.frame) { isTag($0) }
            if let isMusic = verdict.earlier { decide(isMusic) }
            frame.isSilent = verdict.isBroken
            held.append(frame)
        case .newFormat:
            frameFormat = handle.format() ?? frameFormat
        case .end:
            end(nil)
        case .failed(let reason):
            failures += 1
            undecodable = ((undecodable?.count ?? 0) + 1, reason)
            guard failures >= Mpg123Handle.failureLimit else { return }
            end(MediaError(.decodeFailed, operation: "decode \(file.path)", reason: reason))
        }
    }

    /// Nothing more comes: frames of which too few follow each other are music if they are the end
    /// of the file.
    private func end(_ error: MediaError?) {
        hasEnded = true
        failure = error
        decide(run.isProven || error == nil && run.end >= audioEnd)
    }

    private var audioEnd: Int {
        guard let size = file.size else { return Int(file.place) - TagLength.id3v1 }
        return size - TagLength.trailing(size: size) { file.head($1, at: $0) }
    }

    /// Decides about all frames that are undecided.
    private func decide(_ isMusic: Bool) {
        if !isMusic { for index in decided..<held.count { held[index].isSilent = true } }
        decided = held.count
    }

    /// True if the bytes of a regular file in `range` are tags.
    private func isTag(_ range: Range<Int>) -> Bool {
        guard file.size != nil else { return false }
        let end = TagLength.leading(from: range.lowerBound) { file.head($1, at: $0) }
        let isID3v1 = file.head(3, at: range.lowerBound) == Array("TAG".utf8)
        return end > 0 || isID3v1
    }

    private static func noMusic(_ file: MediaFile) -> MediaError {
        if let error = file.readError() { return error }
        guard file.path != .standardStream else {
            return MediaError(
                .notMPEGAudio, operation: "play standard input", reason: "It is not an MP3")
        }
        return MediaError(
            .notMPEGAudio, operation: "play \(file.path)", reason: "No MPEG audio was found in it")
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

    /// True if libmpg123's gain is the LAME tag's: then there is no RVA2 frame, and whether the tag
    /// can be trusted is still to be checked.
    private static func isEqual(_ gain: Double?, _ lameGain: Double?) -> Bool {
        guard let gain, let lameGain else { return false }
        return abs(gain - lameGain) < 0.01
    }

    /// True if the file's own header gives the number of frames and no bytes are missing.
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
            if name == "TXXX" { replayGain.parse(name: detail, value: value) }
            if name == "COMM" && detail == "iTunSMPB" { gapless = GaplessInfo(iTunSMPB: value) }
            let key = name == "COMM" && detail.isEmpty ? "comment" : Self.names[name]
            if let key, text[key] == nil { text[key] = value }
        }
    }
}
