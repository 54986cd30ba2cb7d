import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongControl
import UndersongPlayback

extension EndToEnd {
    @Suite struct `The analysis of files` {
        private let folder: RuntimeFolder
        private let daemon: Daemon
        private let song = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Resources/Demo/01 Slack Water.mp3").path

        init() throws {
            folder = try RuntimeFolder()
            daemon = try Daemon(in: folder.path)
        }

        private func analyze(_ arguments: [String]) throws -> (text: String, status: Int32) {
            let program = try Program(
                Program.undersong, ["analyze"] + arguments, environment: daemon.environment)
            let status = try program.wait()
            return (program.text, status)
        }

        @Test func `The analysis reports each file once, and what is known already afterwards`()
            throws
        {
            let first = try analyze([song])
            let second = try analyze(["--json", song])

            let lines = first.text.split(separator: "\n")
            #expect(lines.count == 2 && lines.last == "1 analyzed")
            let pattern = #/-\d+\.\d LUFS  peak -?\d+\.\d dB  gain -?\d+\.\d dB  (.*)/#
            let match = try #require(lines.first?.wholeMatch(of: pattern))
            #expect(String(match.1) == song)
            #expect(first.status == 0 && second.status == 0)
            let reply = try JSONDecoder().decode(
                AnalysisReport.self, from: Data(second.text.utf8))
            #expect(reply.outcome == .finished && reply.known == 1 && reply.analyzed == 0)
        }

        @Test func `The analysis reports what is damaged or cannot be played, and fails`() throws {
            let whole = try Data(contentsOf: URL(filePath: song))
            try whole.prefix(100_000).write(to: URL(filePath: folder.path + "/cut.mp3"))
            try Data("no music".utf8).write(to: URL(filePath: folder.path + "/text.flac"))

            let result = try analyze([folder.path + "/cut.mp3", folder.path + "/text.flac"])

            #expect(result.status == 1)
            #expect(result.text.contains("  the header announces"))
            #expect(result.text.contains("cannot be played: \(folder.path)/text.flac: "))
            #expect(result.text.hasSuffix("1 analyzed, 1 damaged, 1 unplayable\n"))
        }

        @Test func `The analysis of files is used by ReplayGain, which says so`() async throws {
            // A copy that has no tags of its own.
            let music = try Music()
            let file = try music.encode(
                Music.noise(seconds: 5), to: "a.mp3", options: ["-b", "128", "-t"])
            let client = try daemon.client()
            _ = try client.call(Attach(state: .active, source: "option"))
            #expect(try analyze([file]).status == 0)

            var settings = SettingsChange()
            settings.replayGain = .track
            _ = try client.call(Play(files: Files([file]), output: .null, settings: settings))
            try waitUntil { try client.call(GetStatus()).replayGain != nil }
            let gain = try client.call(GetStatus()).replayGain
            let item = try client.call(GetItem()).replayGain
            settings.replayGain = .off
            _ = try client.call(SetSettings(settings))

            #expect(gain?.source == .measured && gain?.mode == .track)
            #expect(item == gain)
            #expect(try client.call(GetStatus()).replayGain == nil)
        }

        @Test func `The analysis ends with the service, even a killed one, and with its client`()
            throws
        {
            let long = folder.path + "/long.mp3"
            let whole = try Data(contentsOf: URL(filePath: song))
            try Data((0..<60).map { _ in whole }.joined()).write(to: URL(filePath: long))
            func worker(after earlier: pid_t? = nil) throws -> pid_t? {
                try children(of: daemon.process).first { $0 != earlier }
            }

            let program = try Program(
                Program.undersong, ["analyze", long], environment: daemon.environment)
            try waitUntil { try worker() != nil }
            let first = try #require(try worker())
            program.signal(SIGINT)
            try waitUntil { isKilled(first) }

            let other = try Program(
                Program.undersong, ["analyze", long], environment: daemon.environment)
            try waitUntil { try worker(after: first) != nil }
            let second = try #require(try worker(after: first))
            daemon.end(by: SIGKILL)
            try waitUntil { isKilled(second) }

            #expect(try other.wait() == 69)
        }

        /// True if a process has ended, or has only to be given a processor for that: while others
        /// want all of them, one with `SCHED_IDLE` may wait for minutes.
        private func isKilled(_ process: pid_t) -> Bool {
            guard
                let status = try? String(
                    contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
                let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            else { return true }
            let isPending = status.matches(of: #/(?:SigPnd|ShdPnd):\s+([0-9a-f]+)/#).contains {
                (UInt64($0.1, radix: 16) ?? 0) >> UInt64(SIGKILL - 1) & 1 == 1
            }
            // 17 (undersongd) Z 16 … with the flags, of which 4 is that of a process that exits.
            let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
            let flags = fields.count > 7 ? Int(fields[7]) ?? 0 : 0
            return isPending || fields[1] == "Z" || flags & 4 != 0
        }

        /// The processes that a process has started.
        private func children(of process: pid_t) throws -> [pid_t] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { name in
                guard let child = pid_t(name),
                    let text = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8)
                else { return nil }
                // 17 (undersongd) S 16 …
                let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...]
                    .split(separator: " ")
                return fields.count > 2 && pid_t(fields[2]) == process ? child : nil
            }
        }
    }
}
