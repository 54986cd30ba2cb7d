import FoundationEssentials
import Glibc
import UndersongCommandOptions
import UndersongPlayback

/// Writes findings for display: a block for each file, and a line for each seam between two.
struct VerificationText: VerificationWriter {
    func write(_ error: MediaError) {
        complain(error.description)
    }

    func write(_ file: VerifiedFile, error: MediaError) {
        show([Columns.printable(file.path), line("error", error.description)])
    }

    func write(_ seam: Seam, from first: VerifiedFile, to second: VerifiedFile) {
        show([line("seam", seam.description)])
    }

    func write(_ file: VerifiedFile, _ inspection: MediaInspection) {
        let description = inspection.description
        var lines = [Columns.printable(file.path), "  " + kind(inspection)]
        lines.append(line("length", length(inspection)))
        lines.append(line("gapless", gapless(description)))
        if !description.replayGain.isEmpty {
            lines.append(line("ReplayGain", replayGain(description.replayGain)))
        }
        for (index, damage) in inspection.structure.damage.enumerated() {
            lines.append(line(index == 0 ? "damage" : "", damage.description))
        }
        show(lines)
    }

    func write(_ summary: VerificationSummary) {
        let files = summary.fileCount == 1 ? "1 file" : "\(summary.fileCount) files"
        let speed = summary.seconds / max(summary.decodeSeconds, 1e-9)
        var parts = ["\(files), \(clock(summary.seconds)) of music"]
        if summary.seconds > 0 {
            parts.append("decoded \(Int(speed.rounded())) times faster than real time")
        }
        if summary.seamCount > 0 {
            parts.append("\(summary.gaplessSeamCount) of \(summary.seamCount) seams gapless")
        }
        if summary.damagedCount > 0 { parts.append("\(summary.damagedCount) damaged") }
        if summary.failedCount > 0 { parts.append("\(summary.failedCount) cannot be played") }
        if summary.isClean { parts.append("nothing wrong") }
        show([parts.joined(separator: ", ")])
    }

    private func kind(_ inspection: MediaInspection) -> String {
        let description = inspection.description
        var parts = [description.encoding, description.format.name]
        if let bitrate = inspection.structure.bitrate {
            let name =
                switch bitrate.mode {
                case .constant: "CBR"
                case .average: "ABR"
                case .variable: "VBR"
                }
            parts.append("\(name) \(Int(bitrate.average.rounded())) kbit/s")
        }
        if let encoder = description.encoder { parts.append(encoder) }
        return parts.joined(separator: ", ")
    }

    private func length(_ inspection: MediaInspection) -> String {
        let announced = inspection.description.duration
        let length = "\(clock(inspection.duration.seconds)), \(inspection.frameCount) frames, "
        guard announced.isNumeric else { return length + "not announced" }
        let isExact = inspection.description.isDurationExact
        if announced == inspection.duration {
            return length + (isExact ? "announced exactly" : "announced as an estimate")
        }
        return length + "announced as \(clock(announced.seconds))"
            + (isExact ? "" : ", an estimate")
    }

    private func gapless(_ description: MediaDescription) -> String {
        guard let source = description.gaplessSource else { return "no information" }
        let name: String
        switch source {
        case .lameTag: name = "LAME tag"
        case .iTunSMPB: name = "iTunSMPB"
        case .format: return "by the format"
        }
        return "delay \(description.encoderDelay ?? 0), "
            + "padding \(description.encoderPadding ?? 0) (\(name))"
    }

    private func replayGain(_ gain: ReplayGain) -> String {
        let parts = [
            gain.trackGain.map { "track \(decibels($0))" },
            gain.trackPeak.map { "track peak \(fixed($0, places: 4))" },
            gain.albumGain.map { "album \(decibels($0))" },
            gain.albumPeak.map { "album peak \(fixed($0, places: 4))" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    private func decibels(_ gain: Double) -> String {
        (gain < 0 ? "-" : "+") + fixed(abs(gain), places: 2) + " dB"
    }

    /// `4:05.120`, or `1:04:05.120` from one hour on.
    private func clock(_ seconds: Double) -> String {
        let milliseconds = Int((seconds * 1000).rounded())
        let (hours, minutes) = (milliseconds / 3_600_000, milliseconds / 60000 % 60)
        let rest = padded(milliseconds / 1000 % 60, 2) + "." + padded(milliseconds % 1000, 3)
        return hours > 0 ? "\(hours):\(padded(minutes, 2)):\(rest)" : "\(minutes):\(rest)"
    }

    private func fixed(_ number: Double, places: Int) -> String {
        var scale = 1
        for _ in 0..<places { scale *= 10 }
        let scaled = Int((number * Double(scale)).rounded())
        return "\(scaled / scale)." + padded(scaled % scale, places)
    }

    private func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }

    private func line(_ name: String, _ text: String) -> String {
        "  " + name + String(repeating: " ", count: max(12 - name.count, 1))
            + Columns.printable(text)
    }

    private func show(_ lines: [String]) {
        writeOutput(Array((lines.joined(separator: "\n") + "\n").utf8))
    }
}
