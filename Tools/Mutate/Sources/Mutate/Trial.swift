import Foundation
import Mutations

/// Builds and tests mutants in a copy of a working tree, one at a time.
struct Trial {
    enum Outcome: Equatable, CustomStringConvertible {
        /// A test failed or crashed, or the tests did not end.
        case caught(String)
        case survived
        case notCompiled

        var description: String {
            switch self {
            case .caught(let test): "caught by \(test)"
            case .survived: "SURVIVED"
            case .notCompiled: "does not compile"
            }
        }
    }

    private let folder: URL
    private let filter: [String]
    private var limit = 1_800

    /// Copies the tree, and runs the tests once without a mutant: they must pass.
    init(of tree: WorkingTree, targets: [String], filter: String?) throws {
        folder = tree.root.appending(path: ".build/mutants", directoryHint: .isDirectory)
        self.filter = filter.map { ["--filter", $0] } ?? []
        try copy(tree, targets: targets)
        let build = try swift(["build", "--build-tests"])
        guard build.status == 0 else {
            throw Failure(
                description: "cannot build \(targets.joined(separator: ", ")): see \(log.path)")
        }
        let start = ContinuousClock.now
        let outcome = try testOutcome()
        guard outcome == .survived else {
            throw Failure(
                description: "without a mutant, the tests are \(outcome): see \(log.path)")
        }
        limit = 60 + 5 * Int((ContinuousClock.now - start).components.seconds)
    }

    /// Makes a mutant, tests it and takes it back.
    func outcome(of mutant: Mutant, in path: String) throws -> Outcome {
        let file = folder.appending(path: path)
        let source = try String(contentsOf: file, encoding: .utf8)
        try mutant.applied(to: source).write(to: file, atomically: true, encoding: .utf8)
        defer { try? source.write(to: file, atomically: true, encoding: .utf8) }
        return try swift(["build", "--build-tests"]).status == 0 ? testOutcome() : .notCompiled
    }

    private func testOutcome() throws -> Outcome {
        let (status, output) = try swift(["test", "--skip-build"] + filter)
        if status == 0 {
            guard output.contains(/Test run with [1-9]/) else {
                throw Failure(description: "no test was run: see \(log.path)")
            }
            return .survived
        }
        if [124, 137].contains(status) { return .caught("tests that do not end") }
        let failure = output.firstMatch(of: /✘ Test (.+?) recorded an issue/)
        return .caught(failure.map { String($0.1) } ?? "a crash")
    }

    // MARK: The copy

    private var log: URL { folder.appending(path: "log") }

    /// Brings the copy up to date. Files that are as they were keep their times, and so are not
    /// compiled again.
    private func copy(_ tree: WorkingTree, targets: [String]) throws {
        let manager = FileManager.default
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        let wanted = try tree.files()
        let present = try manager.subpathsOfDirectory(atPath: folder.path)
        for path in Set(present.filter { $0.hasSuffix(".swift") && !$0.hasPrefix(".build/") })
            .subtracting(wanted)
        {
            try manager.removeItem(at: folder.appending(path: path))
        }
        for path in wanted where path != "Package.swift" {
            let (original, copy) = (tree.root.appending(path: path), folder.appending(path: path))
            guard !manager.contentsEqual(atPath: original.path, andPath: copy.path) else {
                continue
            }
            try manager.createDirectory(
                at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
            try? manager.removeItem(at: copy)
            try manager.copyItem(at: original, to: copy)
        }
        let manifest = try String(
            contentsOf: tree.root.appending(path: "Package.swift"), encoding: .utf8)
        try (manifest + Self.reduction(to: targets)).write(
            to: folder.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
    }

    /// Code for the end of a manifest that leaves only some targets and what they need.
    private static func reduction(to targets: [String]) -> String {
        """

        do {
            var (needed, next): (Set<String>, [String]) = ([], \(targets))
            while let name = next.popLast() {
                guard needed.insert(name).inserted else { continue }
                for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
                    switch dependency {
                    case .targetItem(let name, _), .byNameItem(let name, _): next.append(name)
                    default: break
                    }
                }
            }
            package.targets.removeAll { !needed.contains($0.name) }
            package.products = []
        }

        """
    }

    /// Runs `swift` in the copy, at most until the limit.
    private func swift(_ arguments: [String]) throws -> (status: Int32, output: String) {
        guard FileManager.default.createFile(atPath: log.path, contents: nil) else {
            throw Failure(description: "cannot write \(log.path)")
        }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["timeout", "--kill-after=5", String(limit), "swift"] + arguments
        process.currentDirectoryURL = folder
        let output = try FileHandle(forWritingTo: log)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        process.waitUntilExit()
        // The names of tests may have any bytes.
        return (
            process.terminationStatus, String(decoding: try Data(contentsOf: log), as: UTF8.self)
        )
    }
}
