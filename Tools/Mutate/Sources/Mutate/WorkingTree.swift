import Foundation
import Mutations

struct Failure: Error, CustomStringConvertible {
    let description: String
}

/// The Git working tree that contains the current folder.
struct WorkingTree {
    let root: URL

    init() throws {
        let path = try Self.git(["rev-parse", "--show-toplevel"], in: nil)
        root = URL(filePath: path.trimmingCharacters(in: .newlines), directoryHint: .isDirectory)
    }

    /// The files of the tree that Git does not ignore.
    func files() throws -> [String] {
        try Self.git(
            ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], in: root
        )
        .split(separator: "\0").map(String.init)
        .filter { FileManager.default.fileExists(atPath: root.appending(path: $0).path) }
    }

    /// The mutants of the Swift files at some paths; those on lines that differ from a revision, if
    /// one is given.
    func mutants(in paths: [String], since revision: String?) throws -> [(String, Mutant)] {
        let changed = try revision.map { try changedLines(since: $0) }
        let prefix = try Self.git(["rev-parse", "--show-prefix"], in: nil)
            .trimmingCharacters(in: .newlines)
        let places = paths.map { path in
            URL(filePath: prefix + path, relativeTo: root).standardized.path
        }
        return try files().filter { $0.hasSuffix(".swift") }.flatMap { path in
            let file = root.appending(path: path)
            guard places.contains(where: { file.path == $0 || file.path.hasPrefix($0 + "/") })
            else {
                return [(String, Mutant)]()
            }
            return Mutant.all(in: try String(contentsOf: file, encoding: .utf8))
                .filter { changed?[path, default: []].contains($0.line) ?? true }
                .map { (path, $0) }
        }
    }

    /// The lines of each file that differ from a revision.
    private func changedLines(since revision: String) throws -> [String: IndexSet] {
        var result: [String: IndexSet] = [:]
        var path = ""
        let difference = try Self.git(
            ["diff", "--unified=0", "--no-color", "--no-ext-diff", revision, "--"], in: root)
        for line in difference.split(separator: "\n") {
            if line.hasPrefix("+++ b/") {
                path = String(line.dropFirst(6))
            } else if let match = line.firstMatch(of: /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/),
                let first = Int(match.1), let count = Int(match.2 ?? "1")
            {
                result[path, default: []].insert(integersIn: first..<first + count)
            }
        }
        return result
    }

    private static func git(_ arguments: [String], in folder: URL?) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["git"] + arguments
        if let folder { process.currentDirectoryURL = folder }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "git \(arguments[0]) failed")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
