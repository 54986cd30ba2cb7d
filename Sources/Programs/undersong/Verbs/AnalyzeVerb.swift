import ArgumentParser
import Glibc
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// `undersong analyze`: finds out how loud files are, and what is wrong with them.
struct AnalyzeVerb: Verb {
    static let configuration = described(
        "analyze", "Measure how loud files are, and look for damage.",
        discussion: """
            FILE is the same as for play; without one, the files of the queue are analyzed. Each \
            file is decoded to its end. The service keeps its integrated loudness and true peak \
            (EBU R 128), its length and its damage; the file is not changed. undersong \
            replay-gain track or album uses them for files without tags of their own. Files that \
            were analyzed before are skipped unless they have changed.

            The work runs with the lowest priority. Ctrl-C ends it; results so far are kept.

            Exit status: 0 if nothing is wrong, 1 if a file is damaged or cannot be analyzed.
            """)

    @Argument(help: ArgumentHelp("The files to analyze.", valueName: "file")) var files:
        [FilePath] = []
    @OptionGroup var options: SessionOptions

    func perform() throws {
        let (isJSON, named) = (options.json, try files.isEmpty ? nil : Files(named: files))
        let service = try options.service(to: "analyze files") { notice in
            guard case .analysis(let analysis) = notice else { return }
            let line = isJSON ? JSONLine.text(of: analysis) : AnalysisText.line(analysis)
            writeOutput(line + "\n")
        }
        let reply = try service.call(AnalyzeFiles(files: named))
        reply.errors.forEach(complain)
        options.show(reply, AnalysisText.summary)
        switch reply.outcome {
        case .finished: break
        case .expired: throw Failure("cannot analyze all files: The analysis was ended early")
        case .failed: throw Failure("cannot analyze all files: \(reply.reason ?? "")")
        }
        let isClean =
            reply.damaged + reply.unplayable + reply.missing + reply.skipped == 0
            && reply.errors.isEmpty
        if !isClean { throw ExitCode(1) }
    }
}

/// Formats what the analysis of files has shown.
enum AnalysisText {
    /// `-14.2 LUFS  peak -0.9 dB  gain -3.8 dB  song.mp3`, and below it what is wrong.
    static func line(_ notice: AnalysisNotice) -> String {
        let name = notice.path.map { Columns.printable($0) } ?? ""
        let reason = Columns.printable(notice.reason ?? "")
        switch notice.kind {
        case .analyzed:
            let lines = ["\(loudness(notice))  \(name)"]
            return (lines + (notice.analysis?.damage ?? []).map { "  " + Columns.printable($0) })
                .joined(separator: "\n")
        case .unplayable: return "cannot be played: \(name): \(reason)"
        case .missing: return "missing: \(name)"
        case .unavailable: return "not analyzed: \(name): \(reason)"
        case .crashed: return "trying again: \(name): the process that decoded it was \(reason)"
        case .skipped: return "not analyzed: \(name): decoding it crashes"
        case .paused: return "waiting: the results cannot be kept: \(reason)"
        case .resumed: return "continuing"
        }
    }

    private static func loudness(_ notice: AnalysisNotice) -> String {
        guard let loudness = notice.analysis?.loudness else { return "silent" }
        return "\(tenth(loudness.integrated)) LUFS  peak \(tenth(decibels(loudness.truePeak))) dB"
            + "  gain \(tenth(notice.gain ?? 0)) dB"
    }

    private static func decibels(_ factor: Double) -> Double { 20 * log10(factor) }

    /// `-14.0`
    private static func tenth(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    /// `12 analyzed, 1 damaged, 30 known already`
    static func summary(_ reply: AnalysisReport) -> String {
        let counts = [
            (reply.damaged, "damaged"), (reply.unplayable, "unplayable"),
            (reply.missing, "missing or unreadable"), (reply.skipped, "skipped"),
            (reply.known, "known already"),
        ]
        return
            (["\(reply.analyzed) analyzed"]
            + counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }).joined(separator: ", ")
    }
}
