import Foundation
import Glibc
import TestSupport

/// Follows the events written to a file by a program that a shell has started.
final class EventFile {
    let path: String

    init(_ path: String) {
        self.path = path
        _ = FileManager.default.createFile(atPath: path, contents: nil)
    }

    var events: Events {
        get throws {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            // The last line may be incomplete.
            let end = text.lastIndex(of: "\n").map { text.index(after: $0) } ?? text.startIndex
            return try Events(String(text[..<end]))
        }
    }

    /// Waits until the events so far satisfy `condition`, checking whenever the file grows.
    func wait(until condition: (Events) throws -> Bool) throws {
        let descriptor = inotify_init()
        defer { close(descriptor) }
        inotify_add_watch(descriptor, path, UInt32(IN_MODIFY))
        var buffer = [UInt8](repeating: 0, count: 4096)
        while try !condition(events) {
            var awaited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&awaited, 1, Int32(patience * 1000)) == 1 else {
                throw Overdue("no more events come")
            }
            _ = read(descriptor, &buffer, buffer.count)
        }
    }
}

extension Terminal {
    /// Types Ctrl-Z; returns when the shell has the terminal again.
    func stopJob() throws {
        type("\u{1A}")
        try waitFor("ready> ")
    }

    /// Closes the terminal, like a window: the shell and its jobs get SIGHUP.
    func hangUp() { _ = kill(shell, SIGHUP) }
}
