import UndersongPlayback

/// The beginning of the music in a regular file, if it is MPEG audio. There must be several
/// consecutive frames or, in a file that has fewer, nothing else.
struct MusicStart {
    /// Up to this size, in bytes, a file may have fewer frames than prove that they are music.
    private static let shortFile = 1 << 14

    /// The bytes before the music that contain what resembles frames.
    private(set) var hidden = 0..<0
    /// True if a frame counts only if another one follows it.
    private(set) var confirmsFrames = true

    /// Nil if `file` is not MPEG audio.
    /// - Throws: An error if libmpg123 cannot start.
    init?(_ file: MediaFile) throws(MediaError) {
        guard let size = file.size else { return nil }
        func read(_ offset: Int, _ count: Int) -> [UInt8] { file.head(count, at: offset) }
        let tagEnd = id3v2Length(read(0, 10))
        if MPEGFrameHeader.beginsRun(at: tagEnd, read) { return }
        let end = size - TagLength.trailing(size: size, read)
        // A tag may claim more bytes than there are.
        if tagEnd <= end, end - tagEnd <= Self.shortFile, Self.isWholly(tagEnd..<end, read) {
            confirmsFrames = try Mpg123Handle(file, confirmsFrames: true).format() != nil
            return
        }
        var run = FrameRun()
        let handle = try Mpg123Handle(file, confirmsFrames: true)
        handle.treatFramesAlike()
        while !run.isProven {
            guard handle.nextFrame() != nil else { return nil }
            let frame = handle.frame
            guard frame.offset - tagEnd < Mpg123Handle.resyncLimit else { return nil }
            _ = run.add(frame) { _ in false }
        }
        let start = TagLength.leading(from: 0, read)
        if !run.isWhole, start < run.start { hidden = start..<run.start }
    }

    /// Opens `file` there.
    /// - Throws: An error if libmpg123 cannot start.
    func handle(of file: MediaFile) throws(MediaError) -> Mpg123Handle {
        try Mpg123Handle(file, confirmsFrames: confirmsFrames, hidden: hidden)
    }

    /// True if there is nothing in `range` but frames of one version and layer, except for less
    /// than a frame at its end.
    private static func isWholly(_ range: Range<Int>, _ read: TagLength.Reader) -> Bool {
        let bytes = read(range.lowerBound, range.count)
        func header(at place: Int) -> MPEGFrameHeader? {
            MPEGFrameHeader(Array(bytes[place..<min(place + 4, bytes.count)]))
        }
        guard let first = header(at: 0) else { return false }
        var (place, last) = (0, (header: first, length: 0))
        while place + 4 <= bytes.count {
            guard let next = header(at: place), next.version == first.version,
                next.layer == first.layer
            else { return bytes.count - place < last.length }
            // Where the next frame begins shows the length in free format, which a slot may be added
            // to.
            let length =
                next.length
                ?? bytes.indices.dropFirst(place + 24).first { other in
                    header(at: other).map { $0.layer == first.layer && $0.length == nil } ?? false
                }.map { $0 - place } ?? bytes.count - place
            let isSame = last.length > 0 && next.length == nil && next.isOfStream(last.header)
            guard !isSame || abs(length - last.length) <= 4 || place + length == bytes.count else {
                return false
            }
            last = (next, length)
            place += length
        }
        return true
    }
}
