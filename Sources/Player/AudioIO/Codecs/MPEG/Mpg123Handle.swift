import CUndersongMpg123
import Glibc
import UndersongPlayback

/// Owns one libmpg123 handle that reads a `MediaFile`. The only type that calls libmpg123.
@safe
struct Mpg123Handle: ~Copyable {
    enum Outcome: Equatable {
        case samples
        case newFormat
        case end
        case failed(reason: String)
    }

    /// The number of bytes of leading garbage to search for music: a second's work, not a minute's.
    static let resyncLimit = 4 << 20
    /// The number of consecutive damaged frames after which to give up on a file.
    static let failureLimit = 100

    /// The number of frames to decode and discard before a seek's target: they include all that a
    /// frame of the lowest bit rate borrows from earlier ones, which is 511 bytes.
    static let warmUpFrames = 32

    private let raw: OpaquePointer
    private let bytes: MPEGBytes

    /// Opens `file` from its start. With `confirmsFrames` a frame counts only if another one
    /// follows it, libmpg123's default; without, a file with a single frame plays. The bytes in
    /// `hidden` are left out.
    init(
        _ file: MediaFile, confirmsFrames: Bool, hidden: Range<Int> = 0..<0
    ) throws(MediaError) {
        bytes = MPEGBytes(file, hidden: hidden)
        var code: Int32 = 0
        guard let handle = unsafe mpg123_new(nil, &code) else {
            throw MediaError(
                .decodeFailed, operation: "decode \(file.path)",
                reason: unsafe String(cString: mpg123_plain_strerror(code)))
        }
        unsafe raw = handle
        var flags = MPG123_QUIET.rawValue | MPG123_GAPLESS.rawValue
        if !confirmsFrames { flags |= MPG123_NO_READAHEAD.rawValue }
        // The end of a file that arrives is fetched when it is needed.
        let isRemote = file.network != nil && file.size != nil
        if isRemote {
            flags |= MPG123_NO_PEEK_END.rawValue | MPG123_FORCE_SEEKABLE.rawValue
        }
        unsafe mpg123_param2(raw, Int32(MPG123_ADD_FLAGS.rawValue), Int(flags), 0)
        unsafe mpg123_param2(raw, Int32(MPG123_VERBOSE.rawValue), -1, 0)
        unsafe mpg123_param2(
            raw, Int32(MPG123_RESYNC_LIMIT.rawValue), confirmsFrames ? Self.resyncLimit : 0, 0)
        unsafe mpg123_param2(raw, Int32(MPG123_PREFRAMES.rawValue), Self.warmUpFrames, 0)
        allowNativeFormats()
        unsafe mpg123_replace_reader_handle(raw, readFile, seekFile, nil)
        _ = file.seek(to: 0, whence: SEEK_SET)
        unsafe mpg123_open_handle(raw, Unmanaged.passUnretained(bytes).toOpaque())
        if isRemote, let size = file.size {
            unsafe mpg123_set_filesize(raw, off_t(size - hidden.count))
        }
    }

    deinit { unsafe mpg123_delete(raw) }

    /// The format of the next samples; nil if no MPEG audio was found.
    func format() -> StreamFormat? {
        var (rate, channels, encoding) = (0, Int32(0), Int32(0))
        guard unsafe mpg123_getformat(raw, &rate, &channels, &encoding) == MPG123_OK.rawValue,
            rate > 0, channels > 0
        else { return nil }
        return StreamFormat(sampleRate: rate, channelCount: Int(channels))
    }

    /// Decodes the next frame and appends its samples.
    func readFrame(into samples: inout [Int16]) -> Outcome {
        var (number, count) = (off_t(0), 0)
        var audio: UnsafeMutablePointer<UInt8>?
        let code = unsafe mpg123_decode_frame(raw, &number, &audio, &count)
        if let audio = unsafe audio {
            let bytes = unsafe UnsafeRawBufferPointer(start: audio, count: count)
            unsafe samples.append(contentsOf: bytes.bindMemory(to: Int16.self))
        }
        switch code {
        case MPG123_OK.rawValue: return .samples
        case MPG123_NEW_FORMAT.rawValue: return .newFormat
        case MPG123_DONE.rawValue: return .end
        default: return .failed(reason: unsafe String(cString: mpg123_strerror(raw)))
        }
    }

    /// The header and the checks of the frame that was read last.
    var frame: FrameRun.Frame {
        let info = info() ?? mpg123_frameinfo2()
        var frame = FrameRun.Frame(
            offset: framePosition, length: Int(info.framesize),
            sampleCount: max(0, Int(unsafe mpg123_spf(raw))))
        var (header, count) = (UInt(0), 0)
        var body: UnsafeMutablePointer<UInt8>?
        guard unsafe mpg123_framedata(raw, &header, &body, &count) == MPG123_OK.rawValue,
            let body = unsafe body
        else { return frame }
        // Version, layer and rate.
        frame.kind = Int(header & 0x1E_0C00)
        if header & 0xF000 == 0 {
            let bytes = unsafe UnsafeRawBufferPointer(start: body, count: count)
            frame.freeContents = unsafe bytes.reduce(0) { $0 &* 31 &+ Int($1) }
        }
        guard info.layer == 3 else { return frame }
        // The side information begins with how far back the music does (2.4.1.7).
        let isFirstVersion = info.version == Int32(MPG123_1_0.rawValue)
        let isMono = info.mode == Int32(MPG123_M_MONO.rawValue)
        let start = info.flags & Int32(MPG123_CRC.rawValue) == 0 ? 0 : 2
        let side = isFirstVersion ? (isMono ? 17 : 32) : isMono ? 9 : 17
        guard count >= start + side else { return frame }
        let (first, second) = unsafe (Int(body[start]), Int(body[start + 1]))
        frame.borrowed = isFirstVersion ? first << 1 | second >> 7 : first
        frame.capacity = count - start - side
        return frame
    }

    /// The item's length in frames, as far as libmpg123 knows it without reading the whole file.
    var length: Int? {
        let length = unsafe mpg123_length(raw)
        return length >= 0 ? Int(length) : nil
    }

    /// Reads the whole file and returns its exact length in frames; nil if that fails.
    func scan() -> Int? { unsafe mpg123_scan(raw) == MPG123_OK.rawValue ? length : nil }

    /// Seeks to `frame`; returns false if it cannot be reached.
    func seek(to frame: Int) -> Bool { unsafe mpg123_seek(raw, off_t(frame), SEEK_SET) >= 0 }

    /// The frame that `read` returns next.
    var position: Int { unsafe Int(mpg123_tell(raw)) }

    /// The offset of every `step`th MPEG frame in the file, as far as it has been read.
    var index: (offsets: [Int], step: Int) {
        var offsets: UnsafeMutablePointer<off_t>?
        var (step, count) = (off_t(0), 0)
        guard unsafe mpg123_index(raw, &offsets, &step, &count) == MPG123_OK.rawValue,
            let offsets = unsafe offsets
        else { return ([], 0) }
        let places = unsafe UnsafeBufferPointer(start: offsets, count: count)
        return (unsafe places.map { bytes.fileOffset(of: Int($0)) }, Int(step))
    }

    /// Sets an index made earlier, so that libmpg123 need not search for the frames again.
    func setIndex(offsets: [Int], step: Int) {
        var offsets = offsets.map { bytes.visibleOffset(of: $0) }
        unsafe mpg123_set_index(raw, &offsets, off_t(step), offsets.count)
    }

    /// The offset in the file of the frame parsed last.
    var framePosition: Int { bytes.fileOffset(of: unsafe Int(mpg123_framepos(raw))) }

    func state(_ key: mpg123_state) -> Int? {
        var value = 0
        guard unsafe mpg123_getstate2(raw, Int32(key.rawValue), &value, nil) == MPG123_OK.rawValue,
            value >= 0
        else { return nil }
        return value
    }

    /// Multiplies all samples from now on, and clips them. Even a factor of 1 may change samples:
    /// do not call this if they must stay unchanged.
    func setVolume(_ factor: Double) { unsafe mpg123_volume(raw, factor) }

    /// The gain in dB that libmpg123 found, nil if none or 0: that of an RVA2 frame, otherwise that
    /// of the LAME tag, whose checksum it does not check. It is not applied.
    func relativeVolume(ofAlbum isAlbum: Bool) -> Double? {
        let mode = isAlbum ? MPG123_RVA_ALBUM : MPG123_RVA_MIX
        unsafe mpg123_param2(raw, Int32(MPG123_RVA.rawValue), Int(mode.rawValue), 0)
        var decibels = 0.0
        unsafe mpg123_getvolume(raw, nil, nil, &decibels)
        unsafe mpg123_param2(raw, Int32(MPG123_RVA.rawValue), Int(MPG123_RVA_OFF.rawValue), 0)
        return decibels == 0 ? nil : decibels
    }

    /// The stream's header: version, layer, and the length of the frame parsed last.
    func info() -> mpg123_frameinfo2? {
        var info = mpg123_frameinfo2()
        return unsafe mpg123_info2(raw, &info) == MPG123_OK.rawValue ? info : nil
    }

    /// Parses the next frame without decoding it. Returns false at the end of the file.
    func parseNextFrame() -> Bool {
        let code = unsafe mpg123_framebyframe_next(raw)
        return code == MPG123_OK.rawValue || code == MPG123_NEW_FORMAT.rawValue
    }

    /// Makes `nextFrame` return all MPEG frames, including the one with the Xing header and those
    /// with nothing but encoder delay. To be called before the first frame is parsed.
    func treatFramesAlike() {
        unsafe mpg123_param2(
            raw, Int32(MPG123_REMOVE_FLAGS.rawValue), Int(MPG123_GAPLESS.rawValue), 0)
        unsafe mpg123_param2(
            raw, Int32(MPG123_ADD_FLAGS.rawValue), Int(MPG123_IGNORE_INFOFRAME.rawValue), 0)
    }

    /// Parses the next frame without decoding it, skipping what libmpg123 cannot parse; nil at the
    /// end.
    func nextFrame() -> FrameSurvey.Frame? {
        for _ in 0..<Self.failureLimit {
            let code = unsafe mpg123_framebyframe_next(raw)
            if code == MPG123_DONE.rawValue { return nil }
            guard code == MPG123_OK.rawValue || code == MPG123_NEW_FORMAT.rawValue,
                let info = info(), info.rate > 0
            else { continue }
            let samples = unsafe mpg123_spf(raw)
            return FrameSurvey.Frame(
                offset: framePosition, length: Int(info.framesize), bitrate: Int(info.bitrate),
                seconds: Double(samples) / Double(info.rate))
        }
        return nil
    }

    /// Calls `body` with the tags in UTF-8: by the names of ID3v2 frames, with the description if
    /// they have one (`COMM`, `TXXX`), and ID3v1 fields under the same names.
    func forEachTag(_ body: (_ name: String, _ detail: String, _ text: String) -> Void) {
        var first: UnsafeMutablePointer<mpg123_id3v1>?
        var second: UnsafeMutablePointer<mpg123_id3v2>?
        guard unsafe mpg123_id3(raw, &first, &second) == MPG123_OK.rawValue else { return }
        if let second = unsafe second?.pointee {
            for index in 0..<(unsafe second.texts) {
                let text = unsafe second.text[index]
                body(unsafe name(text.id), "", unsafe string(text.text))
            }
            for index in 0..<(unsafe second.comments) {
                let comment = unsafe second.comment_list[index]
                body("COMM", unsafe string(comment.description), unsafe string(comment.text))
            }
            for index in 0..<(unsafe second.extras) {
                let extra = unsafe second.extra[index]
                body(
                    unsafe name(extra.id), unsafe string(extra.description),
                    unsafe string(extra.text))
            }
        }
        guard let first = unsafe first?.pointee else { return }
        body("TIT2", "", latin1(first.title))
        body("TPE1", "", latin1(first.artist))
        body("TALB", "", latin1(first.album))
        body("TYER", "", latin1(first.year))
        body("COMM", "", latin1(first.comment))
    }

    /// Keeps the pictures of the tag too, which takes memory. To be called before the first frame
    /// is parsed.
    func keepPictures() {
        unsafe mpg123_param2(
            raw, Int32(MPG123_ADD_FLAGS.rawValue), Int(MPG123_PICTURE.rawValue), 0)
    }

    /// Calls `body` with each attached picture.
    func forEachPicture(_ body: (MediaTags.Picture) -> Void) {
        var first: UnsafeMutablePointer<mpg123_id3v1>?
        var second: UnsafeMutablePointer<mpg123_id3v2>?
        guard unsafe mpg123_id3(raw, &first, &second) == MPG123_OK.rawValue,
            let tag = unsafe second?.pointee
        else { return }
        for index in 0..<(unsafe tag.pictures) {
            let picture = unsafe tag.picture[index]
            let data = unsafe UnsafeBufferPointer(start: picture.data, count: picture.size)
            unsafe body(
                MediaTags.Picture(
                    kind: Int(picture.type), mediaType: unsafe string(picture.mime_type),
                    detail: unsafe string(picture.description), data: Array(data)))
        }
    }

    private func allowNativeFormats() {
        unsafe mpg123_format_none(raw)
        var rates: UnsafePointer<Int>?
        var count = 0
        unsafe mpg123_rates(&rates, &count)
        let channels = Int32(MPG123_MONO.rawValue | MPG123_STEREO.rawValue)
        guard let rates = unsafe rates else { return }
        for index in 0..<count {
            unsafe mpg123_format(
                raw, rates[index], channels, Int32(MPG123_ENC_SIGNED_16.rawValue))
        }
    }

    private func string(_ string: mpg123_string) -> String {
        guard let start = unsafe string.p, unsafe string.fill > 1 else { return "" }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: string.fill - 1)
        return unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// A field of fixed length, padded with zeros or spaces, usually in Latin-1.
    private func latin1<Field>(_ field: Field) -> String {
        var bytes = unsafe withUnsafeBytes(of: field) { unsafe Array($0.prefix { $0 != 0 }) }
        while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private func name(_ id: (CChar, CChar, CChar, CChar)) -> String { latin1(id) }
}

private let readFile:
    @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int) -> Int = {
        handle, target, count in
        guard let handle = unsafe handle, let target = unsafe target else { return -1 }
        let bytes = unsafe Unmanaged<MPEGBytes>.fromOpaque(handle).takeUnretainedValue()
        return unsafe bytes.read(into: target, count: count)
    }

private let seekFile: @convention(c) (UnsafeMutableRawPointer?, off_t, Int32) -> off_t = {
    handle, target, whence in
    guard let handle = unsafe handle else { return -1 }
    let bytes = unsafe Unmanaged<MPEGBytes>.fromOpaque(handle).takeUnretainedValue()
    return bytes.seek(to: target, whence: whence)
}
