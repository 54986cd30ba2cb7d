import Foundation
import TestSupport
import Testing

/// The units in Resources/systemd, as systemd reads them.
@Suite(.blockingThreads) struct `The systemd units` {
    private static let analyze = "/usr/bin/systemd-analyze"
    private static let isHere = FileManager.default.isExecutableFile(atPath: analyze)
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "Resources/systemd")

    @Test(.enabled(if: isHere))
    func `are valid to systemd, and so is the drop-in`() throws {
        let home = try Home()
        let dropIns = home.url.appending(path: "units/undersong.service.d")
        let units = [
            "undersong.service", "undersong.socket", "undersong-transfer.service",
            "undersong-transfer.socket", "undersong-transfer-login.service",
            "undersong-refresh.timer", "undersong-refresh.service",
        ]
        try FileManager.default.createDirectory(at: dropIns, withIntermediateDirectories: true)
        for unit in units {
            try copy(unit, to: home.url.appending(path: "units"))
        }
        let arguments = units.map { home.url.appending(path: "units/" + $0).path }

        let plain = try run(["verify"] + arguments, home)
        try copy("without-user-namespaces.conf", to: dropIns)
        let dropped = try run(["verify"] + arguments, home)

        #expect(plain == Result(status: 0, text: ""))
        #expect(dropped == Result(status: 0, text: ""))
    }

    @Test(
        .enabled(if: isHere),
        // Tenths: the one that downloads has a network, and writes into the home folder.
        arguments: [("undersong.service", 20), ("undersong-transfer.service", 30)])
    func `expose little of the user to a compromised program`(
        name: String, threshold: Int
    ) throws {
        let home = try Home()
        let unit = Self.folder.appending(path: name).path

        let security = try run(
            ["security", "--offline=yes", "--threshold=\(threshold)", unit], home)

        #expect(security.status == 0)
    }

    private struct Result: Equatable {
        let status: Int32
        let text: String
    }

    /// A home folder with the programs, which the units refer to.
    private final class Home {
        let url = FileManager.default.temporaryDirectory.appending(path: "undersong-\(UUID())")

        init() throws {
            let programs = url.appending(path: ".local/bin")
            try FileManager.default.createDirectory(
                at: programs, withIntermediateDirectories: true)
            for name in ["undersong", "undersongd", "undersong-transferd"] {
                try FileManager.default.createSymbolicLink(
                    at: programs.appending(path: name),
                    withDestinationURL: URL(filePath: "/bin/true"))
            }
        }

        deinit { try? FileManager.default.removeItem(at: url) }
    }

    private func copy(_ name: String, to folder: URL) throws {
        try FileManager.default.copyItem(
            at: Self.folder.appending(path: name), to: folder.appending(path: name))
    }

    private func run(_ arguments: [String], _ home: Home) throws -> Result {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: Self.analyze)
        process.arguments = ["--user", "--no-pager"] + arguments
        process.environment = [
            "HOME": home.url.path, "XDG_RUNTIME_DIR": home.url.path, "PATH": "/usr/bin:/bin",
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, text: String(decoding: data, as: UTF8.self))
    }
}
