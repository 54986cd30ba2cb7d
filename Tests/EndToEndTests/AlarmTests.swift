import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct `An alarm` {
        @Test(.comparesSamples)
        func `An alarm sounds in the background, although the service was killed, and fades in`()
            throws
        {
            let server = try SoundServer()
            let music = try Music()
            let song = try music.encode(Music.noise(seconds: 20), to: "song.mp3")
            let recording = try Recording(server)
            // In this zone a minute begins in ten seconds.
            let due = Int(Date().timeIntervalSince1970) + 10
            let ahead = (60 - due % 60) % 60
            let local = due + ahead
            let time = String(format: "%02d:%02d", local / 3600 % 24, local / 60 % 60)
            let daemon = try Daemon(
                in: server.folder.path,
                environment: server.environment.merging(
                    ["TZ": String(format: "TST-00:00:%02d", ahead)]) { $1 })
            func undersong(_ words: String...) throws -> String {
                let program = try Program(
                    Program.undersong, words, environment: daemon.environment)
                #expect(try program.wait() == 0, "\(program.errorText)")
                return program.text
            }

            let silent = try undersong("alarm", "add", time, "--fade-in", "3", song)
            _ = try undersong("capability", "audio", "on")
            let added = try undersong("alarm")
            daemon.end(by: SIGKILL)
            try daemon.start()
            // As undersong-refresh.timer does.
            _ = try undersong("fetch", "due")
            try recording.waitForSound()
            try recording.wait(4.5)
            let rung = try undersong("alarm")
            daemon.end(by: SIGTERM)
            let heard = sounds(in: try recording.finish(), silence: 8820).first ?? []

            #expect(silent.contains("'undersong capability audio on'"))
            #expect(added.contains("1: \(time) once, next ") && added.contains("fade-in 3 s"))
            #expect(!added.contains("warning"))
            #expect(rung.contains("1: \(time) once, off"))
            try #require(heard.count > 4 * 44_100)
            let start = loudness(heard.prefix(8_820))
            let middle = loudness(heard.dropFirst(66_150).prefix(8_820))
            let full = loudness(heard.dropFirst(145_000).prefix(8_820))
            #expect(start > 0 && start * 4 < middle && middle * 1.5 < full)
        }

        private func loudness(_ frames: ArraySlice<Frame>) -> Double {
            let sum = frames.reduce(0.0) { sum, frame in
                let sample = Double(Int16(truncatingIfNeeded: frame))
                return sum + sample * sample
            }
            return (sum / Double(max(1, frames.count))).squareRoot()
        }
    }
}
