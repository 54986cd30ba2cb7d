import Foundation
import TestSupport
import Testing

/// Runs `scripts/play` with stand-ins for everything that it starts.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `The play script` {
    private static let script = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "scripts/play").path

    @Test(arguments: [[], ["--json"], ["--volume", "50"], ["a.mp3"], ["--volume", "50", "a.mp3"]])
    func `The play script passes all arguments on, with the demo as the default file`(
        arguments: [String]
    ) throws {
        let manager = FileManager.default
        let root = manager.temporaryDirectory.appending(path: "undersong-script-\(UUID())").path
        defer { try? manager.removeItem(atPath: root) }
        let programs = [
            "scripts/bootstrap": "", "bin/swift": "", "bin/pactl": "echo 'Server String: here'",
            ".build/release/undersong": "echo \"$*\"",
        ]
        for (name, text) in programs {
            let path = URL(filePath: root).appending(path: name)
            try manager.createDirectory(
                at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
            try makeExecutable("#!/bin/bash\n\(text)\n", at: path.path)
        }
        for name in ["Sources", "Package.swift"] {
            _ = manager.createFile(atPath: "\(root)/\(name)", contents: nil)
        }
        try copyExecutable(from: Self.script, to: root + "/scripts/play")

        let program = try Program(
            arguments, environment: ["PATH": "\(root)/bin:/usr/bin:/bin"],
            by: root + "/scripts/play")

        #expect(try program.wait() == 0)
        let demo = ["--default-file", "\(root)/Resources/Demo/demo.m3u"]
        #expect(program.text == (["play"] + demo + arguments).joined(separator: " ") + "\n")
    }
}
