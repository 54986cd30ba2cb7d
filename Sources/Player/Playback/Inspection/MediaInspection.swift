/// The structure of a file, and what is wrong with it.
package struct FileStructure: Equatable, Sendable {
    /// The bitrate of the MPEG frames.
    package struct Bitrate: Equatable, Sendable {
        package var mode: LAMETag.BitrateMode
        /// The average over the whole file in kbit/s.
        package var average: Double

        package init(mode: LAMETag.BitrateMode, average: Double) {
            self.mode = mode
            self.average = average
        }
    }

    /// The first MPEG frame's header and the bitrate; nil for a stream, which is read only once.
    package var header: MPEGFrameHeader?
    package var bitrate: Bitrate?
    package var damage: [MediaDamage]

    package init(header: MPEGFrameHeader? = nil, damage: [MediaDamage] = []) {
        self.header = header
        self.damage = damage
    }
}

/// The contents of a file and the player's treatment of them, known once it is fully decoded.
package struct MediaInspection: Equatable, Sendable {
    /// The description before playback.
    package var description: MediaDescription
    /// The structure, with the damage that decoding has found.
    package var structure: FileStructure
    /// The number of frames that the player sends to the output.
    package var frameCount: Int
    /// Their exact playing time.
    package var duration: CMTime
    /// The time that decoding took.
    package var decodeNanoseconds: Int64

    package init(
        description: MediaDescription, structure: FileStructure, frameCount: Int,
        duration: CMTime, decodeNanoseconds: Int64 = 0
    ) {
        self.description = description
        self.structure = structure
        self.frameCount = frameCount
        self.duration = duration
        self.decodeNanoseconds = decodeNanoseconds
    }
}

/// Something in a file that is out of place or missing.
package enum MediaDamage: Equatable, Sendable {
    /// Bytes between the tags and the first frame.
    case leadingGarbage(bytes: Int)
    /// Bytes between frames that belong to neither, over the whole file.
    case skippedBytes(Int, places: Int, first: Int)
    /// Bytes between the last frame and the tags at the end.
    case trailingGarbage(bytes: Int)
    /// The file ends in the middle of a frame.
    case truncatedFrame(missing: Int)
    /// The file is shorter than its own header says.
    case missingBytes(expected: Int, found: Int)
    /// There are more or fewer frames than the file's own header says.
    case frameCount(expected: Int, found: Int)
    /// The audio is not what the encoder wrote.
    case musicChecksum(expected: UInt16, found: UInt16)
    /// Frames that could not be decoded.
    case undecodable(count: Int, reason: String)
    /// Decoding stopped before the end of the file.
    case abandoned(reason: String)
    /// The sample rate or the number of channels changes within the file.
    case formatChanges(count: Int, from: StreamFormat, to: StreamFormat, atFrame: Int)

    /// A machine-readable code.
    package var code: String {
        switch self {
        case .leadingGarbage: "leading-garbage"
        case .skippedBytes: "skipped-bytes"
        case .trailingGarbage: "trailing-garbage"
        case .truncatedFrame: "truncated-frame"
        case .missingBytes: "missing-bytes"
        case .frameCount: "frame-count"
        case .musicChecksum: "music-checksum"
        case .undecodable: "undecodable"
        case .abandoned: "abandoned"
        case .formatChanges: "format-changes"
        }
    }

    /// True if audio may be missing or surplus at the end.
    package var concernsEnd: Bool {
        switch self {
        case .truncatedFrame, .missingBytes, .frameCount, .abandoned: true
        default: false
        }
    }
}

extension MediaDamage: CustomStringConvertible {
    /// One clause without a period.
    package var description: String {
        switch self {
        case .leadingGarbage(let bytes):
            "\(counted(bytes, "byte")) before the first frame"
        case .skippedBytes(let bytes, let places, let first):
            "\(counted(bytes, "byte")) between frames skipped in \(counted(places, "place")), "
                + "first at byte \(first)"
        case .trailingGarbage(let bytes):
            "\(counted(bytes, "byte")) after the last frame"
        case .truncatedFrame(let missing):
            "the last frame is \(counted(missing, "byte")) short"
        case .missingBytes(let expected, let found):
            "the header announces \(expected) bytes, there are \(found)"
        case .frameCount(let expected, let found):
            "the header announces \(counted(expected, "MPEG frame")), there are \(found)"
        case .musicChecksum(let expected, let found):
            "the encoder's checksum of the music is \(hexadecimal(expected)), "
                + "the music's is \(hexadecimal(found))"
        case .undecodable(let count, let reason):
            "\(counted(count, "decoding error")): \(reason)"
        case .abandoned(let reason):
            "decoding ends before the file: \(reason)"
        case .formatChanges(let count, let from, let to, let frame):
            "the format changes \(count == 1 ? "once" : "\(count) times"), "
                + "at frame \(frame) from \(from.name) to \(to.name)"
        }
    }
}

extension StreamFormat {
    /// The format for display: `44100 Hz stereo`, `48000 Hz 6 channels`.
    package var name: String {
        let channels =
            switch channelCount {
            case 1: "mono"
            case 2: "stereo"
            default: "\(channelCount) channels"
            }
        return "\(sampleRate) Hz \(channels)"
    }
}

private func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
}

private func hexadecimal(_ number: UInt16) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: 4 - digits.count) + digits
}
