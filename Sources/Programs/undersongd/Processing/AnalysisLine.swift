import FoundationEssentials
import UndersongBase
import UndersongPlayback

/// What the worker writes on one line: first that it is ready, and then of each file its progress and
/// the result.
struct AnalysisLine: Codable, Equatable {
    enum Kind: String, Codable {
        /// The worker waits for the first path.
        case ready
        /// The worker is still at the file: it has decoded more of it.
        case progress
        case analyzed
        /// The file cannot be played.
        case unplayable
        /// The file could not be read this time, or was changed meanwhile.
        case unavailable
    }

    struct Loudness: Codable, Equatable {
        /// In LUFS.
        var integrated: Double
        /// 1 is full scale.
        var truePeak: Double
        /// 1 is full scale.
        var samplePeak: Double
    }

    var kind: Kind
    /// The path, for people.
    var path: String?
    /// The file's size in bytes when it was analyzed.
    var size: Int?
    /// When it was last changed by then, in nanoseconds since 1970.
    var modified: Int?
    /// Nil for silence.
    var loudness: Loudness?
    /// The playing time.
    var seconds: Double?
    var album: String?
    var damage: [String]?
    /// Why the file is unplayable or unavailable.
    var reason: String?

    init(_ kind: Kind, path: FilePath? = nil, reason: String? = nil) {
        self.kind = kind
        self.path = path?.description
        self.reason = reason
    }

    /// The result of analyzing the file at `path`, which had this stamp.
    init(_ analysis: FileAnalysis, of path: FilePath, _ stamp: FileStamp) {
        self.init(.analyzed, path: path)
        take(stamp)
        loudness = analysis.loudness.map {
            Loudness(
                integrated: $0.integrated, truePeak: $0.truePeak, samplePeak: $0.samplePeak)
        }
        seconds = analysis.seconds
        album = analysis.album
        damage = analysis.damage.isEmpty ? nil : analysis.damage
    }

    /// Why the file at `path`, which had this stamp, cannot be played.
    init(unplayable path: FilePath, _ stamp: FileStamp, reason: String) {
        self.init(.unplayable, path: path, reason: reason)
        take(stamp)
    }

    private mutating func take(_ stamp: FileStamp) {
        (size, modified) = (stamp.size, stamp.modified)
    }

    /// Reads a line; nil if it is something else.
    init?(text: [UInt8]) {
        guard let line = try? JSONDecoder().decode(Self.self, from: Data(text)) else { return nil }
        self = line
    }

    /// The line, with its end.
    var text: [UInt8] {
        (try? JSONLine.bytes(of: self)).map { $0 + [UInt8(ascii: "\n")] } ?? []
    }

    /// What is to be kept of the file; nil if nothing is.
    func record(at date: Double) -> AnalysisRecord? {
        guard let size, let modified else { return nil }
        let stamp = FileStamp(size: size, modified: modified)
        switch kind {
        case .unplayable:
            return AnalysisRecord(stamp: stamp, date: date, outcome: .unplayable(reason ?? ""))
        case .analyzed:
            let loudness = loudness.map {
                MeasuredLoudness(
                    integrated: $0.integrated, truePeak: $0.truePeak, samplePeak: $0.samplePeak)
            }
            let analysis = FileAnalysis(
                loudness: loudness, seconds: seconds ?? 0, album: album, damage: damage ?? [])
            return AnalysisRecord(stamp: stamp, date: date, outcome: .analyzed(analysis))
        case .ready, .progress, .unavailable: return nil
        }
    }
}
