internal import Foundation
import Glibc

/// What `busctl` says of players on a test's bus.
extension MessageBus {
    /// The names of players.
    package func names() throws -> [String] {
        try busctl(["list", "--no-legend", "--acquired"]).split(separator: "\n")
            .compactMap { $0.split(separator: " ").first.map(String.init) }
            .filter { $0.hasPrefix("org.mpris.") }
    }

    /// A property of the only player, with its type.
    package func property(_ name: String) throws -> String {
        try busctl(["get-property"] + target() + [name])
    }

    /// What a call of the only player prints, errors included.
    package func call(_ method: String, _ arguments: String...) throws -> String {
        try busctl(["call"] + target() + [method] + arguments)
    }

    private func target() throws -> [String] {
        guard let name = try names().first else { throw Overdue("there is no player") }
        return [name, "/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2.Player"]
    }

    private func busctl(_ arguments: [String]) throws -> String {
        let output = Pipe()
        let writing = output.fileHandleForWriting.fileDescriptor
        let program = try Child(
            "/usr/bin/busctl", ["--address=\(address)"] + arguments, [:],
            [FileHandle.nullDevice.fileDescriptor, writing, writing])
        try output.fileHandleForWriting.close()
        var text = Data()
        while case let data = output.fileHandleForReading.nextData, !data.isEmpty { text += data }
        _ = try program.wait()
        return String(decoding: text, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
