import CUndersongSndFile
import Glibc
import UndersongPlayback

/// A part of a file, or what the Ogg pages in it contain, presented to libsndfile as a whole file.
/// Owned by the decode thread.
final class FileWindow {
    let file: MediaFile
    /// The pieces of the window, and the offset of each in the window.
    private let pieces: [(start: Int, range: Range<Int>)]
    fileprivate let count: Int
    fileprivate var place = 0

    init(_ file: MediaFile, _ range: Range<Int>) {
        self.file = file
        var count = 0
        pieces = (OggFLAC.pieces(of: file, in: range) ?? [range]).map { range in
            defer { count += range.count }
            return (count, range)
        }
        self.count = count
    }

    fileprivate func seek(to offset: Int, whence: Int32) -> Int {
        let origin =
            switch whence {
            case SEEK_SET: 0
            case SEEK_CUR: place
            default: count
            }
        let (target, overflows) = origin.addingReportingOverflow(offset)
        guard !overflows, target >= 0 else { return -1 }
        place = target
        return target
    }

    /// Reads all of `count` bytes, unless the window or the file ends before.
    fileprivate func read(into target: UnsafeMutableRawPointer, count: Int) -> Int {
        var done = 0
        var index = pieces.partition(after: place) - 1
        while done < count, index < pieces.count {
            let (start, range) = pieces[index]
            let offset = range.lowerBound + place - start
            let wanted = min(count - done, range.upperBound - offset)
            index += 1
            guard wanted > 0 else { continue }
            guard file.seek(to: offset, whence: SEEK_SET) == offset else { break }
            let step = unsafe read(wanted, into: target + done)
            done += step
            place += step
            if step < wanted { break }
        }
        return done
    }

    /// Reads all of `count` bytes from where the file is, unless it ends before.
    private func read(_ count: Int, into target: UnsafeMutableRawPointer) -> Int {
        var done = 0
        while done < count {
            let step = unsafe file.read(into: target + done, count: count - done)
            guard step > 0 else { break }
            done += step
        }
        return done
    }
}

/// Owns one libsndfile handle that reads a `FileWindow`. The only type that calls libsndfile.
@safe
struct SoundFileHandle: ~Copyable {
    /// Texts that files other than FLAC and Ogg have, by the names that Vorbis comments give them.
    private static let textKinds: [(kind: Int, name: String)] = [
        (SF_STR_TITLE, "TITLE"), (SF_STR_ARTIST, "ARTIST"), (SF_STR_ALBUM, "ALBUM"),
        (SF_STR_TRACKNUMBER, "TRACKNUMBER"), (SF_STR_DATE, "DATE"), (SF_STR_GENRE, "GENRE"),
        (SF_STR_COMMENT, "COMMENT"), (SF_STR_COPYRIGHT, "COPYRIGHT"), (SF_STR_SOFTWARE, "ENCODER"),
    ]

    private let raw: OpaquePointer
    private let window: FileWindow
    private let info: SF_INFO

    /// Opens the contents of `window`.
    /// - Throws: An error with libsndfile's own message.
    init(_ window: FileWindow) throws(OpenError) {
        var calls = unsafe SF_VIRTUAL_IO(
            get_filelen: fileLength, seek: seekFile, read: readFile, write: nil, tell: tellFile)
        var info = SF_INFO()
        let userData = unsafe Unmanaged.passUnretained(window).toOpaque()
        window.place = 0
        guard let handle = unsafe sf_open_virtual(&calls, Int32(SFM_READ), &info, userData) else {
            let code = sf_error(nil)
            throw OpenError(
                isUnknown: code == SF_ERR_UNRECOGNISED_FORMAT
                    || code == SF_ERR_UNSUPPORTED_ENCODING,
                reason: unsafe Self.clause(sf_strerror(nil)))
        }
        unsafe raw = handle
        self.window = window
        self.info = info
    }

    /// The reason why a file cannot be opened.
    struct OpenError: Error {
        /// True if libsndfile does not support its format.
        var isUnknown: Bool
        var reason: String
    }

    deinit { unsafe sf_close(raw) }

    /// The format of the samples read: 16-bit integers if the file has no more bits, or floats.
    var format: StreamFormat {
        StreamFormat(
            sampleRate: Int(info.samplerate), channelCount: Int(info.channels),
            sampleFormat: hasSixteenBits ? .int16 : .float32)
    }

    /// The total number of frames; nil if unknown.
    var frameCount: Int? {
        0..<StreamFormat.frameLimit ~= Int(info.frames) ? Int(info.frames) : nil
    }

    /// The name of the coding, for display.
    var encoding: String {
        let container =
            switch Int(info.format) & SF_FORMAT_TYPEMASK {
            case SF_FORMAT_AIFF: "AIFF"
            case SF_FORMAT_FLAC: "FLAC"
            case SF_FORMAT_OGG: "Ogg"
            case SF_FORMAT_CAF: "CAF"
            case SF_FORMAT_AU: "AU"
            case SF_FORMAT_W64: "Wave64"
            case SF_FORMAT_VOC: "VOC"
            case SF_FORMAT_SVX: "SVX"
            case SF_FORMAT_NIST: "NIST"
            case SF_FORMAT_IRCAM: "IRCAM"
            case SF_FORMAT_PAF: "PARIS"
            case SF_FORMAT_PVF: "PVF"
            case SF_FORMAT_AVR: "AVR"
            case SF_FORMAT_WVE: "WVE"
            case SF_FORMAT_XI: "XI"
            case SF_FORMAT_MAT4, SF_FORMAT_MAT5: "Matlab"
            default: "WAV"
            }
        return container + " " + coding
    }

    /// Reads up to `count` frames as integers. Returns how many there were.
    func read(into target: UnsafeMutablePointer<Int16>, count: Int) -> Int {
        unsafe Int(sf_readf_short(raw, target, sf_count_t(count)))
    }

    /// Reads up to `count` frames as floating-point numbers. Returns how many there were.
    func read(into target: UnsafeMutablePointer<Float>, count: Int) -> Int {
        unsafe Int(sf_readf_float(raw, target, sf_count_t(count)))
    }

    /// The error of the last call; nil for none.
    var error: String? {
        unsafe sf_error(raw) == SF_ERR_NO_ERROR ? nil : Self.clause(sf_strerror(raw))
    }

    /// Lets `read` continue with `frame`; false where it cannot.
    func seek(to frame: Int) -> Bool {
        unsafe Int(sf_seek(raw, sf_count_t(frame), SEEK_SET)) == frame
    }

    /// Calls `body` with the texts of a file other than FLAC and Ogg, by the names of Vorbis comments.
    func forEachText(_ body: (_ name: String, _ value: String) -> Void) {
        for (kind, name) in Self.textKinds {
            guard let text = unsafe sf_get_string(raw, Int32(kind)) else { continue }
            unsafe body(name, String(cString: text))
        }
    }

    private var subformat: Int { Int(info.format) & SF_FORMAT_SUBMASK }

    private var hasSixteenBits: Bool {
        switch subformat {
        case SF_FORMAT_PCM_24, SF_FORMAT_PCM_32, SF_FORMAT_FLOAT, SF_FORMAT_DOUBLE,
            SF_FORMAT_VORBIS, SF_FORMAT_OPUS, SF_FORMAT_ALAC_20, SF_FORMAT_ALAC_24,
            SF_FORMAT_ALAC_32, SF_FORMAT_DWVW_24:
            false
        default: true
        }
    }

    private var coding: String {
        switch subformat {
        case SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8: "8 bit"
        case SF_FORMAT_PCM_16: "16 bit"
        case SF_FORMAT_PCM_24: "24 bit"
        case SF_FORMAT_PCM_32: "32 bit"
        case SF_FORMAT_FLOAT: "32 bit float"
        case SF_FORMAT_DOUBLE: "64 bit float"
        case SF_FORMAT_ULAW: "u-law"
        case SF_FORMAT_ALAW: "A-law"
        case SF_FORMAT_VORBIS: "Vorbis"
        case SF_FORMAT_OPUS: "Opus"
        case SF_FORMAT_ALAC_16: "Apple Lossless 16 bit"
        case SF_FORMAT_ALAC_20: "Apple Lossless 20 bit"
        case SF_FORMAT_ALAC_24: "Apple Lossless 24 bit"
        case SF_FORMAT_ALAC_32: "Apple Lossless 32 bit"
        case SF_FORMAT_GSM610: "GSM"
        case SF_FORMAT_DPCM_8, SF_FORMAT_DPCM_16: "DPCM"
        case SF_FORMAT_DWVW_12, SF_FORMAT_DWVW_16, SF_FORMAT_DWVW_24: "DWVW"
        default: "ADPCM"
        }
    }

    /// libsndfile's message without its prefix and full stop.
    private static func clause(_ text: UnsafePointer<CChar>?) -> String {
        guard let text = unsafe text else { return "libsndfile does not say why" }
        var clause = unsafe String(cString: text)
        if clause.hasPrefix("Error : ") { clause.removeFirst(8) }
        return clause.hasSuffix(".") ? String(clause.dropLast()) : clause
    }
}

extension [(start: Int, range: Range<Int>)] {
    /// The number of pieces that begin at `place` or before it.
    fileprivate func partition(after place: Int) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].start <= place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

private func window(_ userData: UnsafeMutableRawPointer?) -> FileWindow? {
    unsafe userData.map { unsafe Unmanaged<FileWindow>.fromOpaque($0).takeUnretainedValue() }
}

private let fileLength: @convention(c) (UnsafeMutableRawPointer?) -> sf_count_t = { userData in
    sf_count_t(unsafe window(userData)?.count ?? 0)
}

private let seekFile: @convention(c) (sf_count_t, Int32, UnsafeMutableRawPointer?) -> sf_count_t = {
    offset, whence, userData in
    sf_count_t(unsafe window(userData)?.seek(to: Int(offset), whence: whence) ?? -1)
}

private let readFile:
    @convention(c) (UnsafeMutableRawPointer?, sf_count_t, UnsafeMutableRawPointer?) -> sf_count_t =
        { target, count, userData in
            guard let target = unsafe target, let window = unsafe window(userData) else { return 0 }
            return sf_count_t(unsafe window.read(into: target, count: Int(count)))
        }

private let tellFile: @convention(c) (UnsafeMutableRawPointer?) -> sf_count_t = { userData in
    sf_count_t(unsafe window(userData)?.place ?? 0)
}
