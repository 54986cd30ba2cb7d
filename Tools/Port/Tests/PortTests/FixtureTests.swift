import Foundation
import PortRewriting
import Testing

/// Rewrites the sources in `Fixtures/NAME/input`, and compares with `Fixtures/NAME/output`, where
/// `report.txt` has what is left. `Player`, `KeyPaths` and `MainActor` are compiled and run by the main
/// package's tests too.
@Suite struct `The sources of a fixture` {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Fixtures")

    private func files(in folder: String) throws -> [String: String] {
        let url = Self.folder.appending(path: folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
        return try Dictionary(
            uniqueKeysWithValues: names.map { name in
                (name, try String(contentsOf: url.appending(path: name), encoding: .utf8))
            })
    }

    @Test(arguments: ["Player", "KeyPaths", "Remarks", "MainActor", "Imports", "Old"])
    func `The sources of a fixture are rewritten, and what is left is reported`(name: String) throws
    {
        let input = try files(in: "\(name)/input")
        var expected = try files(in: "\(name)/output")
        let report = expected.removeValue(forKey: "report.txt") ?? ""

        let (changed, remarks) = Port.rewrite(
            input.sorted { $0.key < $1.key }.map { (path: $0.key, text: $0.value) })

        let output = input.merging(changed.map { ($0.path, $0.text) }) { $1 }
        #expect(Set(output.keys) == Set(expected.keys))
        for (file, text) in expected { #expect(output[file] == text, "\(file)") }
        #expect(remarks.map { "\($0)\n" }.joined() == report)
    }

    @Test(arguments: ["Player", "KeyPaths", "MainActor", "Imports", "Old"])
    func `The rewritten sources of a fixture are not changed again`(name: String) throws {
        var output = try files(in: "\(name)/output")
        output["report.txt"] = nil

        let (changed, _) = Port.rewrite(output.map { (path: $0.key, text: $0.value) })

        #expect(changed.map(\.path) == [])
    }
}

@Suite struct `The tokens' file` {
    private static let observer = """
        import AVFoundation
        class Observer: NSObject {
            func begin() {
                NotificationCenter.default.addObserver(
                    self, selector: #selector(ended), name: nil, object: nil)
            }
            @objc func ended() {}
        }
        """

    /// The folder in which the file is added to sources.
    private func places(of paths: [String], observers: [String]) -> [String] {
        let files = paths.map { (path: $0, text: "") } + observers.map { ($0, Self.observer) }
        return Port.rewrite(files).changed.map(\.path).filter { $0.hasSuffix("Tokens.swift") }
    }

    @Test func `The tokens' file is in the folder of each target that needs it`() {
        let places = places(
            of: ["Package.swift", "Sources/App/main.swift"],
            observers: ["Sources/Player/Engine/Observer.swift", "Tests/PlayerTests/Mock.swift"])

        #expect(
            places == [
                "Sources/Player/ObserverTokens.swift", "Tests/PlayerTests/ObserverTokens.swift",
            ])
    }

    @Test func `The tokens' file is beside the file in a target with a path of its own`() {
        #expect(
            places(of: ["lib/Package.swift"], observers: ["lib/player/Observer.swift"])
                == ["lib/player/ObserverTokens.swift"])
    }

    @Test func `The tokens' file is in the folder that is rewritten if that is not a package`() {
        #expect(
            places(of: [], observers: ["Engine/Observer.swift"]) == ["ObserverTokens.swift"])
    }
}
