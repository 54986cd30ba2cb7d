import CUndersongLinux
import Foundation
import Glibc
import Testing

/// Both ends of something that may be a program's standard output.
final class Link {
    enum Kind: Sendable { case pipe, socket, terminal, file }

    /// The kinds whose reader may be slow.
    static let kinds: [Kind] = [.pipe, .socket, .terminal]

    /// The writing end.
    let input: Int32
    /// The reading end.
    let output: Int32
    private var unread: [UInt8] = []
    private var isOpen = true

    init(_ kind: Kind) throws {
        var ends: [Int32] = [-1, -1]
        switch kind {
        case .pipe:
            try #require(pipe(&ends) == 0)
        case .socket:
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        case .terminal:
            ends = try Self.terminal()
        case .file:
            let path = NSTemporaryDirectory() + "undersong-\(UUID())"
            ends = [open(path, O_RDONLY | O_CREAT, 0o600), open(path, O_WRONLY)]
            unlink(path)
        }
        (output, input) = (ends[0], ends[1])
    }

    deinit {
        closeOutput()
        close(input)
    }

    func closeOutput() {
        if isOpen { close(output) }
        isOpen = false
    }

    /// The next `count` lines, without trailing blanks.
    func read(count: Int) throws -> [String] {
        var lines: [String] = []
        while lines.count < count { lines.append(try line()) }
        return lines
    }

    /// The next lines, up to one that begins with `start`.
    func read(until start: String) throws -> [String] {
        var lines: [String] = []
        repeat { lines.append(try line()) } while lines.last?.hasPrefix(start) == false
        return lines
    }

    private func line() throws -> String {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread.removeFirst(end + 1)
                return line.trimmingCharacters(in: .whitespaces)
            }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = Glibc.read(output, &buffer, buffer.count)
            try #require(count > 0)
            unread += buffer[..<count]
        }
    }

    /// A pseudoterminal in raw mode, so that text is read as it was written.
    private static func terminal() throws -> [Int32] {
        let controller = posix_openpt(O_RDWR | O_NOCTTY)
        grantpt(controller)
        unlockpt(controller)
        let line = open(ptsname(controller), O_RDWR | O_NOCTTY)
        try #require(line >= 0)
        var attributes = termios()
        tcgetattr(line, &attributes)
        cfmakeraw(&attributes)
        tcsetattr(line, TCSANOW, &attributes)
        return [controller, line]
    }
}
