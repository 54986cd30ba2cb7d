import UndersongPlayback

/// Computes where a frame is in a file of constant bit rate, so that a seek need not read all of the
/// file before it: most of what is on the network has not arrived.
///
/// The places are checked, first in what has arrived and then where the frame must be: a file that
/// is not of constant bit rate gives nil.
struct ConstantRateFrames {
    /// The number of arrived frames that have to fit.
    private static let leastFrames = 64

    private let file: MediaFile
    private let header: MPEGFrameHeader
    /// The offset of the first frame of music.
    private let start: Int
    /// The mean length of a frame is `bytes / frames`.
    private let bytes: Int
    private let frames: Int

    /// Nil if the frames at `start` are of free format, or cannot be read.
    init?(_ file: MediaFile, start: Int) {
        guard let header = MPEGFrameHeader(file.head(4, at: start)), header.bitrate > 0,
            header.layer > 1
        else { return nil }
        self.file = file
        self.header = header
        self.start = start
        bytes = header.sampleCount / 8 * header.bitrate * 1000
        frames = header.sampleRate
    }

    /// The number of samples per channel in a frame.
    var sampleCount: Int { header.sampleCount }

    /// The offset of frame `number`; nil if the file is not of constant bit rate, or ends before.
    func offset(of number: Int) -> Int? {
        // What proves it may have to arrive first.
        _ = file.head(1, at: start + (Self.leastFrames + FrameRun.proof + 2) * bytes / frames)
        let known = knownFrames - FrameRun.proof - 1
        guard known >= Self.leastFrames, place(of: known) != nil else { return nil }
        return place(of: number)
    }

    /// The number of frames that have arrived without a gap from the first on.
    var knownFrames: Int { max(0, (file.knownEnd(from: start) - start) * frames / bytes) }

    /// The offset of a frame near where it must be.
    private func place(of number: Int) -> Int? {
        let expected = start + number * bytes / frames
        return [expected, expected + 1, expected - 1].first { offset in
            MPEGFrameHeader.beginsRun(at: offset, { file.head($1, at: $0) }) { frame, _ in
                frame.isOfStream(header) && frame.bitrate == header.bitrate
            }
        }
    }
}
