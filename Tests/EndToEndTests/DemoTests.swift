import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBase

extension EndToEnd {
    /// `undersong demo` with its service, and the app that lives under it.
    @Suite struct `The demo` {
        /// The beginnings of the tour's lines, in their order; other lines may be between them.
        private static let tour = [
            "# Audio, without the capability", "background refresh scheduled",
            "# Audio, with the capability", "Background: ", "# Location",
            "App is backgrounded. New location is <", "# Whatever",
            "App is backgrounded. Next number = Position ", "Background time remaining = ",
            "iOS has signaled time has expired", "Background task ended.",
            "# Whatever, in front again", "Background task ended.", "# Fetch: the app is woken",
            "refresh occurred", "background refresh scheduled", "# Fetch: the system has ended",
            "background refresh scheduled", "refresh occurred", "background refresh scheduled",
            "# That was the tour",
        ]

        @Test(.rule("DM3", "DM4", "D7", "E13", "E16", "K3"), arguments: [false, true])
        func `The tour goes through the tabs, and leaves nothing`(hasServer: Bool) throws {
            let server = hasServer ? try SoundServer() : nil
            let folder = try DemoFolder()
            let program = try Program(
                Program.undersong, ["demo", "tour"],
                environment: folder.environment(server?.environment["PULSE_SERVER"]))
            // Half a minute is long on a busy machine: each of its lines is awaited.
            try? program.waitForOutput {
                String(decoding: $0, as: UTF8.self).contains("# That was the tour")
            }

            #expect(try program.wait() == 0, "\(program.errorText) after \(program.text)")
            #expect(program.errorText == "")
            let lines = program.text.split(separator: "\n").map(String.init)
            var rest = lines[...]
            for start in Self.tour {
                rest = rest.drop { !$0.hasPrefix(start) }
                #expect(!rest.isEmpty, "\(start) is not in its place in \(program.text)")
                rest = rest.dropFirst()
            }
            let places = lines.filter { $0.hasPrefix("App is backgrounded. New location") }
            #expect(places.allSatisfy(Self.isLocation), "\(places)")
            // Times that the app is too slow for are left out, but not all of them. The tour awaits more
            // than a second of them; they are written to a hundredth.
            let times = Self.times(lines, after: "# Audio, with the")
            #expect(((times.last ?? 0) - (times.first ?? 0)) * 100 > 99)
            let steps = zip(times, times.dropFirst()).map { ($1 - $0) * 100 }
            #expect(steps.contains { $0.rounded() == 1 })
            #expect(folder.traces == [])
        }

        @Test(.rule("DM3"), arguments: [SIGTERM, SIGINT, SIGHUP])
        func `A signal ends the tour, which leaves nothing`(signal: Int32) throws {
            let folder = try DemoFolder()
            let program = try Program(
                Program.undersong, ["demo", "tour"], environment: folder.environment())
            // The app is suspended next.
            try program.waitForOutput {
                String(decoding: $0, as: UTF8.self).contains("background refresh scheduled")
            }
            #expect(!folder.traces.isEmpty)

            program.signal(signal)

            #expect(try program.wait() == 128 + signal)
            #expect(folder.traces == [])
        }

        @Test(.rule("DM3"))
        func `A tour that is killed takes its processes with it, and the next removes its folder`()
            throws
        {
            let folder = try DemoFolder()
            let first = try Program(
                Program.undersong, ["demo", "tour"], environment: folder.environment())
            // The app is suspended next.
            try first.waitForOutput {
                String(decoding: $0, as: UTF8.self).contains("background refresh scheduled")
            }
            #expect(folder.processes.count >= 2)

            first.signal(SIGKILL)
            try waitUntil { folder.processes.isEmpty }
            let left = folder.traces
            let second = try Program(
                Program.undersong, ["demo", "tour"], environment: folder.environment())
            try second.waitForOutput {
                String(decoding: $0, as: UTF8.self).contains("background refresh scheduled")
            }
            let both = folder.traces
            second.signal(SIGTERM)

            #expect(left.count == 1)
            #expect(left.allSatisfy { !both.contains($0) })
            #expect(try second.wait() == 128 + SIGTERM)
            #expect(folder.traces == [])
        }

        @Test(.rule("DM3")) func `A tour whose service dies says so, and leaves nothing`() throws {
            let folder = try DemoFolder()
            let program = try Program(
                Program.undersong, ["demo", "tour"], environment: folder.environment())
            try program.waitForOutput {
                String(decoding: $0, as: UTF8.self).contains("background refresh scheduled")
            }
            let service = try #require(folder.processes.first { $0.name == "undersongd" })

            kill(service.id, SIGKILL)

            #expect(try program.wait() != 0)
            #expect(program.errorText.hasPrefix("undersong: cannot "))
            #expect(folder.traces == [])
        }

        @Test(.rule("DM3")) func `The demo needs a terminal, and names the tour without one`()
            throws
        {
            let folder = try DemoFolder()
            let program = try Program(
                Program.undersong, ["demo"], environment: folder.environment())

            #expect(try program.wait() == 1)
            #expect(program.text == "")
            #expect(program.errorText.contains("'undersong demo tour'"))
            #expect(folder.traces == [])
        }

        @Test(.rule("DM5", "A3", "B4"))
        func `Home lets the app play on with the capability, and suspends it without`() throws {
            let demo = try DemoTerminal("audio")

            demo.type(" ")
            try demo.waitFor("▶")
            demo.type("h")
            try demo.waitFor("BACKGROUND")
            try demo.waitFor("Background: ")
            demo.type("\r")
            try demo.waitFor("ACTIVE")

            // The capability is the first of the panel; the app is launched again without it.
            demo.type("c ")
            try demo.waitFor("NOT RUNNING")
            try demo.waitFor("ACTIVE")
            demo.type("c ")
            try demo.waitFor("▶")
            demo.type("h")
            try demo.waitFor("SUSPENDED")
            try demo.leave()
        }

        @Test(.rule("DM5", "D7", "D8")) func `Home lets the app follow its location`() throws {
            let demo = try DemoTerminal("location")

            demo.type(" ")
            try demo.waitForFrame(with: "within ")
            demo.type("h")
            try demo.waitFor("BACKGROUND")
            try demo.waitForFrame(with: "App is backgrounded. New location is <")
            try demo.leave()
        }

        @Test(.rule("DM5", "E7", "E9", "E13"))
        func `Home lets the app calculate until its time is over, and again after Enter`() throws {
            let demo = try DemoTerminal("whatever --background-time 8")

            demo.type(" ")
            try demo.waitFor("Calculating")
            demo.type("h")
            try demo.waitFor("BACKGROUND")
            try demo.waitForFrame(with: "App is backgrounded. Next number = Position ")
            try demo.waitForFrame(with: "iOS has signaled time has expired")
            try demo.waitForFrame(with: "SUSPENDED")
            demo.type("\r")
            try demo.waitFor("ACTIVE")
            demo.type("h")
            try demo.waitFor("BACKGROUND")
            demo.type("\u{0C}")
            try demo.waitFor("BACKGROUND")
            try demo.waitFor("SUSPENDED")
            try demo.leave()
        }

        @Test(.rule("DM5", "AP7", "AP12", "K3"))
        func `A fetch wakes the app that is suspended, and launches it after k`() throws {
            let demo = try DemoTerminal("fetch")

            demo.type("h")
            try demo.waitFor("SUSPENDED")
            demo.type("s")
            try demo.waitForFrame(with: "refresh occurred")
            try demo.waitFor("SUSPENDED")
            demo.type("k")
            try demo.waitFor("NOT RUNNING")
            // It is launched, and suspended again.
            demo.type("s")
            try demo.waitFor("SUSPENDED")
            demo.type("\r")
            try demo.waitFor("ACTIVE")
            try demo.leave()
        }

        /// True if a line describes a location as the tutorials' do.
        private static func isLocation(_ line: String) -> Bool {
            let place = #/.* is <[-+]\d+\.\d{8},[-+]\d+\.\d{8}> \+/- \d+\.\d\dm /#
            let movement = #/ \(speed -?\d+\.\d\d mps / course -?\d+\.\d\d\) @ ./#
            return line.prefixMatch(of: place) != nil && line.contains(movement)
        }

        /// The seconds of the song in the background, after a line that begins with `start`.
        private static func times(_ lines: [String], after start: String) -> [Double] {
            lines.drop { !$0.hasPrefix(start) }.filter { $0.hasPrefix("Background: ") }
                .compactMap { Double($0.dropFirst("Background: ".count)) }
        }
    }
}

/// A folder for demos, and what they have left in it.
private final class DemoFolder {
    private let folder: RuntimeFolder

    init() throws { folder = try RuntimeFolder() }

    /// The variables of a demo that plays on the sound server at `address`, or to nobody.
    func environment(_ address: String? = nil) -> [String: String] {
        folder.environment.merging([
            "TMPDIR": folder.path, "PULSE_SERVER": address ?? "unix:\(folder.path)/none",
        ]) { $1 }
    }

    /// The demo's folders and processes that there are.
    var traces: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasPrefix("undersong-demo-") } + processes.map { "\($0)" }
    }

    /// The processes on a stage of a demo here.
    var processes: [(id: pid_t, name: String)] {
        Folder.names(in: "/proc").compactMap { Int32($0) }.compactMap { process in
            let variables = KernelFile.text(of: "/proc/\(process)/environ", limit: 1 << 20)
            let isOurs = variables.split(separator: "\0").contains {
                $0.hasPrefix("UNDERSONG_DEMO=\(folder.path)/")
            }
            return isOurs ? (process, KernelFile.line(of: "/proc/\(process)/comm")) : nil
        }
    }
}

/// A demo on a terminal.
private struct DemoTerminal {
    private let folder: DemoFolder
    private let terminal: Terminal

    /// Starts it with these words, and waits until the app is in front.
    init(_ words: String) throws {
        folder = try DemoFolder()
        terminal = try Terminal(environment: folder.environment())
        terminal.resize(to: 120)
        let command = "TERM=xterm LC_ALL=C.UTF-8 NO_COLOR=1 \(Program.undersong) demo \(words)"
        try terminal.run(command, untilPrompt: false)
        try terminal.waitFor("ACTIVE")
    }

    /// Types keys, and forgets what was shown before.
    func type(_ keys: String) { terminal.type(keys) }

    func waitFor(_ text: String) throws { try terminal.waitFor(text) }

    /// Has everything drawn again until that shows `text`: otherwise only what has changed is drawn.
    func waitForFrame(with text: String) throws {
        try waitUntil {
            type("\u{0C}")
            var frame: Substring = ""
            try waitUntil {
                let shown = terminal.text
                guard let start = shown.firstRange(of: "\u{1B}[2J")?.upperBound,
                    let end = shown[start...].firstRange(of: "\u{1B}[?2026l")?.lowerBound
                else { return false }
                frame = shown[start..<end]
                return true
            }
            return frame.replacing(#/\u{1B}\[[0-9;?]*[A-Za-z]/#, with: "").contains(text)
        }
    }

    /// Types q, and waits until the shell has its terminal back and nothing is left.
    func leave() throws {
        terminal.type("q")
        try terminal.waitFor("ready> ")
        #expect(terminal.text.contains("\u{1B}[?1049l"))
        #expect(try terminal.output(of: "echo status=$?").contains("status=0"))
        #expect(folder.traces == [])
    }
}
