package import Foundation

/// A program in `Mocks` that provides a message bus of the test's own, with mocks of system
/// services on it. It ends with this object, or with the test's process.
package final class MockProgram: Sendable {
    /// The address of the bus.
    package let address: String
    /// The lines that it prints, except the answers to commands.
    package let lines = Inbox<String>()

    /// The folder in which the bus has its socket, `bus`.
    package let folder: URL
    private let process = Process()
    private let input = Pipe()
    private let answers = Inbox<String>()

    /// Starts the program `name`, and waits until the bus is listening. `environment` is for what the
    /// bus starts, too.
    package init(_ name: String, environment: [String: String] = [:]) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "undersong-\(UUID())")
        address = "unix:path=\(folder.path)/bus"
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let output = Pipe()
        process.executableURL = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Mocks/" + name)
        process.arguments = [folder.path]
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        read(output.fileHandleForReading)
        _ = try answers.next()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Sends a command, named after a method in the program, and waits until it is done.
    package func send(_ line: String) throws {
        input.fileHandleForWriting.write(Data((line + "\n").utf8))
        _ = try answers.next()
    }

    private func read(_ output: FileHandle) {
        Thread.detachNewThread { [answers, lines] in
            var text = Data()
            while case let data = output.nextData, !data.isEmpty {
                text += data
                while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: text[..<end], as: UTF8.self)
                    text.removeSubrange(...end)
                    (["ready", "done"].contains(line) ? answers : lines).put(line)
                }
            }
        }
    }
}
