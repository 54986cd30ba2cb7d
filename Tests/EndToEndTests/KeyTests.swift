import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct `Keys on a terminal` {
        @Test func `Keys skip back, seek and change the volume, and the events follow the schema`()
            throws
        {
            let server = try SoundServer()
            let music = try Music()
            let paths = try (0..<2).map { index in
                try music.encode(
                    Music.noise(seconds: 15, seed: UInt64(index)), to: "\(index).mp3")
            }
            let file = EventFile(music.path("events.jsonl"))
            let terminal = try Terminal(environment: server.environment)

            try terminal.run(
                "\(Program.undersong) play --json " + paths.joined(separator: " ")
                    + " > \(file.path)", untilPrompt: false)
            try file.wait { $0["time"].count > 10 }
            terminal.type("\u{1B}[B")
            try file.wait { $0["settings"].count == 1 }
            terminal.type("\u{1B}OA")
            try file.wait { $0["settings"].count == 2 }
            terminal.type("n")
            try file.wait { $0.begun == [1, 2] && $0.changes.last != "left" }
            terminal.type("p")
            try file.wait { $0.begun == [1, 2, 1] }
            terminal.type("\u{1B}[C")
            try file.wait { $0["jump"].count == 1 }
            terminal.type("\u{1B}[D")
            try file.wait { $0["jump"].count == 2 }
            terminal.type("q")
            try terminal.waitFor("ready> ")

            let events = try file.events
            let volumes = events["settings"].compactMap { $0["volume"] as? Double }
            #expect(volumes.map { ($0 * 100).rounded() } == [95, 100])
            let jumps = events["jump"].compactMap {
                ($0["position"] as? [String: Any])?["seconds"] as? Double
            }
            #expect(jumps.count == 2 && jumps[0] >= 5 && jumps[1] < jumps[0] - 3)
            #expect(events.changes.contains("left"))
            let lines = try Data(contentsOf: URL(filePath: file.path))
            #expect(try Schema.violations(of: lines, in: "events.schema.json") == "")
        }
    }
}

extension Events {
    /// The changes of items, in order.
    fileprivate var changes: [String] { self["item"].compactMap { $0["change"] as? String } }

    /// The items that have started, in order.
    fileprivate var begun: [Int] {
        self["item"].filter { $0["change"] as? String == "began" }
            .compactMap { $0["item"] as? Int }
    }
}
