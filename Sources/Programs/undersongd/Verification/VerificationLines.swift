import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// Writes findings as lines of JSON, as described by `Documentation/protocol/verify.schema.json`.
struct VerificationLines: VerificationWriter {
    func write(_ error: MediaError) {
        write(VerificationLine(kind: "error", error: VerificationLine.Failure(error)))
    }

    func write(_ file: VerifiedFile, error: MediaError) {
        var line = VerificationLine(kind: "file", error: VerificationLine.Failure(error))
        line.number = file.number
        line.path = file.path
        line.playable = false
        write(line)
    }

    func write(_ seam: Seam, from first: VerifiedFile, to second: VerifiedFile) {
        write(VerificationLine(seam, from: first, to: second))
    }

    func write(_ file: VerifiedFile, _ inspection: MediaInspection) {
        write(VerificationLine(file, inspection))
    }

    func write(_ summary: VerificationSummary) { write(VerificationLine(summary)) }

    private func write(_ line: VerificationLine) {
        guard let bytes = try? JSONLine.bytes(of: line) else { return }
        writeOutput(bytes + [UInt8(ascii: "\n")])
    }
}

/// The fields of all lines; each kind of line uses some.
private struct VerificationLine: Encodable {
    struct Failure: Encodable {
        var code: String
        var message: String

        init(_ error: MediaError) {
            code = error.code.rawValue
            message = error.description
        }
    }

    /// The format of a stream, which has no encoding.
    struct StreamShape: Encodable {
        var sampleRate: Int
        var channels: Int

        init(_ format: StreamFormat) {
            sampleRate = format.sampleRate
            channels = format.channelCount
        }
    }

    struct Duration: Encodable {
        var value: Int64
        var timescale: Int32
        var seconds: Double
        var exact: Bool

        init?(_ time: CMTime, isExact: Bool) {
            guard time.isNumeric else { return nil }
            value = time.value
            timescale = time.timescale
            seconds = time.seconds
            exact = isExact
        }
    }

    struct Bitrate: Encodable {
        var mode: String
        var average: Double
    }

    struct Damage: Encodable {
        var code: String
        var message: String
    }

    struct Frames: Encodable {
        var minimum: Int
        var maximum: Int
    }

    var kind: String

    // Of a file.
    var number: Int?
    var path: String?
    var playable: Bool?
    var format: SoundFormat?
    var encoder: String?
    var bitrate: Bitrate?
    var duration: Duration?
    var frames: Int?
    var announced: Duration?
    var encoderDelay: Int?
    var encoderPadding: Int?
    var gaplessSource: String?
    var replayGain: ReplayGain?
    var damage: [Damage]?
    var error: Failure?

    // Of a seam.
    var from: Int?
    var to: Int?
    var gapless: Bool?
    var addedFrames: Frames?
    var convertedFrom: StreamShape?
    var streamFormat: StreamShape?
    var message: String?

    // Of the summary.
    var files: Int?
    var damaged: Int?
    var failed: Int?
    var seams: Int?
    var gaplessSeams: Int?
    var seconds: Double?
    var decodeSeconds: Double?

    init(kind: String, error: Failure?) {
        self.kind = kind
        self.error = error
    }

    init(_ file: VerifiedFile, _ inspection: MediaInspection) {
        self.init(kind: "file", error: nil)
        let description = inspection.description
        number = file.number
        path = file.path
        playable = true
        format = SoundFormat(description)
        encoder = description.encoder
        bitrate = inspection.structure.bitrate.map {
            Bitrate(mode: $0.mode.rawValue, average: $0.average)
        }
        duration = Duration(inspection.duration, isExact: true)
        frames = inspection.frameCount
        announced = Duration(description.duration, isExact: description.isDurationExact)
        encoderDelay = description.encoderDelay
        encoderPadding = description.encoderPadding
        gaplessSource = description.gaplessSource?.rawValue
        replayGain = description.replayGain.isEmpty ? nil : description.replayGain
        damage = inspection.structure.damage.map { Damage(code: $0.code, message: $0.description) }
        decodeSeconds = Double(inspection.decodeNanoseconds) / 1e9
    }

    init(_ seam: Seam, from first: VerifiedFile, to second: VerifiedFile) {
        self.init(kind: "seam", error: nil)
        from = first.number
        to = second.number
        gapless = seam.isGapless
        addedFrames = seam.addedFrames.map {
            Frames(minimum: $0.lowerBound, maximum: $0.upperBound)
        }
        convertedFrom = seam.convertedFrom.map { StreamShape($0) }
        streamFormat = StreamShape(seam.streamFormat)
        message = seam.description
    }

    init(_ summary: VerificationSummary) {
        self.init(kind: "summary", error: nil)
        files = summary.fileCount
        damaged = summary.damagedCount
        failed = summary.failedCount
        seams = summary.seamCount
        gaplessSeams = summary.gaplessSeamCount
        seconds = summary.seconds
        decodeSeconds = summary.decodeSeconds
    }
}
