import ArgumentParser
import UndersongAudioIO
import UndersongAudioSession
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// `undersong verify`: reports how the player will handle files, without playing them.
struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify that files are undamaged, and report their true length and their seams.",
        discussion: """
            FILE is the same as for play: a music file, a playlist (M3U, PLS, XSPF, CUE), a folder, \
            or - for an MP3 stream on standard input. Every file is decoded to its end, as the player \
            would, and nothing is played or written.

            Exit status: 0 if nothing is wrong, 1 if a file is damaged or cannot be played, 64 for \
            a usage error.
            """)

    @Argument(help: ArgumentHelp("The files to verify.", valueName: "file"))
    var files: [FilePath]

    @Flag(help: "Write one JSON object per line: each file, each seam, and a summary.")
    var json = false

    func run() throws {
        let finder = MediaFinder(try local(files))
        var verification = Verification(
            sources(of: finder), writer: json ? VerificationLines() : VerificationText())
        finder.errors.forEach { verification.report($0) }
        verification.run()
        if !verification.summary.isClean { throw ExitCode(1) }
    }

    /// The files of all entries; a file split up by a CUE sheet only once.
    private func sources(of finder: MediaFinder) -> [MediaSource] {
        var sources: [MediaSource] = []
        finder.forEachBatch { entries in
            for entry in entries {
                let isPart = entry.start != .zero || entry.end != nil
                if !isPart || entry.source != sources.last { sources.append(entry.source) }
            }
        }
        return sources
    }
}

/// The paths of files named on the command line. Reports names that are not files, and throws.
func local(_ names: [FilePath]) throws(ExitCode) -> [FilePath] {
    do {
        var paths: [FilePath] = []
        for name in names { paths.append(try name.local(in: .current)) }
        return paths
    } catch {
        complain(error.description)
        throw ExitCode(64)
    }
}

/// Writes findings in the order of the queue.
protocol VerificationWriter {
    /// A playlist or folder that cannot be read.
    func write(_ error: MediaError)
    /// A file that cannot be played.
    func write(_ file: VerifiedFile, error: MediaError)
    /// The seam before the next file.
    func write(_ seam: Seam, from first: VerifiedFile, to second: VerifiedFile)
    func write(_ file: VerifiedFile, _ inspection: MediaInspection)
    func write(_ summary: VerificationSummary)
}

/// A file, and its number among all that are verified, from 1.
struct VerifiedFile {
    var number: Int
    var path: String
}

/// Totals of all files.
struct VerificationSummary {
    var fileCount = 0
    var damagedCount = 0
    var failedCount = 0
    var seamCount = 0
    var gaplessSeamCount = 0
    /// The playing time of all files.
    var seconds = 0.0
    /// The time taken to decode them.
    var decodeSeconds = 0.0

    var isClean: Bool { damagedCount == 0 && failedCount == 0 }
}

/// Verifies the files in order. One that cannot be played does not stop the others.
private struct Verification {
    private(set) var summary = VerificationSummary()
    private let sources: [MediaSource]
    private let writer: any VerificationWriter
    private var streamFormat: StreamFormat?
    private var last: (file: VerifiedFile, inspection: MediaInspection)?

    init(_ sources: [MediaSource], writer: any VerificationWriter) {
        self.sources = sources
        self.writer = writer
    }

    mutating func report(_ error: MediaError) {
        // Skipping files of other formats is not damage.
        if error.code != .otherFormats { summary.failedCount += 1 }
        writer.write(error)
    }

    mutating func run() {
        for (index, source) in sources.enumerated() {
            let file = VerifiedFile(number: index + 1, path: source.path.description)
            summary.fileCount += 1
            do {
                record(try MediaInspection(source, clock: SystemClock()), of: file)
            } catch {
                summary.failedCount += 1
                writer.write(file, error: error)
            }
        }
        writer.write(summary)
    }

    private mutating func record(_ inspection: MediaInspection, of file: VerifiedFile) {
        let streamFormat =
            streamFormat
            ?? StreamFormat.forQueue(
                first: inspection.description.format,
                upcoming: sources.lazy.dropFirst(), isFinal: true)
        self.streamFormat = streamFormat
        if let last {
            let seam = Seam(from: last.inspection, to: inspection, streamFormat: streamFormat)
            summary.seamCount += 1
            summary.gaplessSeamCount += seam.isGapless ? 1 : 0
            writer.write(seam, from: last.file, to: file)
        }
        last = (file, inspection)
        summary.damagedCount += inspection.structure.damage.isEmpty ? 0 : 1
        summary.seconds += inspection.duration.seconds
        summary.decodeSeconds += Double(inspection.decodeNanoseconds) / 1e9
        writer.write(file, inspection)
    }
}
