internal import Foundation

/// A test's own message bus with a mock of systemd's login manager, the program `mock-logind`. Both
/// end with this object, or with the test's process.
package final class MockLogin: Sendable {
    /// The address of the bus.
    package let address: String
    /// One line for each inhibitor taken or released.
    package let inhibitors = Inbox<String>()

    private let folder: URL
    private let process = Process()
    private let input = Pipe()
    private let answers = Inbox<String>()

    /// Starts both and waits until they are listening.
    package init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "undersong-\(UUID())")
        address = "unix:path=\(folder.path)/bus"
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let output = Pipe()
        process.executableURL = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "mock-logind")
        process.arguments = [folder.path]
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

    /// Sends a command to the mock, named after one of its methods, and waits until it is done.
    package func tell(_ line: String) throws {
        input.fileHandleForWriting.write(Data((line + "\n").utf8))
        _ = try answers.next()
    }

    private func read(_ output: FileHandle) {
        Thread.detachNewThread { [answers, inhibitors] in
            var text = Data()
            while case let data = output.nextData, !data.isEmpty {
                text += data
                while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: text[..<end], as: UTF8.self)
                    text.removeSubrange(...end)
                    (["ready", "done"].contains(line) ? answers : inhibitors).put(line)
                }
            }
        }
    }
}
