import CLinux
import Foundation
import Glibc
import Synchronization

/// A shell with job control in a terminal of its own, as a person has it.
final class Terminal: Sendable {
    private let controller: Int32
    let shell: pid_t
    private let screen = Mutex("")
    private let hasText = DispatchSemaphore(value: 0)

    /// Starts bash and waits for its prompt.
    init(environment: [String: String]) throws {
        controller = posix_openpt(O_RDWR | O_NOCTTY)
        grantpt(controller)
        unlockpt(controller)
        let path = String(cString: ptsname(controller))
        shell = try spawn(
            "/bin/bash", ["--norc", "--noprofile", "--noediting", "-i"],
            environment.merging(["PS1": "ready> ", "TERM": "dumb"]) { $1 },
            descriptors: [0, 0, 0], terminal: path)
        let controller = controller
        Thread.detachNewThread { [weak self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(controller, &buffer, buffer.count)
                guard count > 0, let self else { return }
                let text = String(decoding: buffer[..<count], as: UTF8.self)
                self.screen.withLock { $0 += text }
                self.hasText.signal()
            }
        }
        waitFor("ready> ")
    }

    deinit {
        kill(shell, SIGKILL)
        var status: Int32 = 0
        waitpid(shell, &status, 0)
        close(controller)
    }

    /// Everything that was shown so far.
    var text: String { screen.withLock { $0 } }

    /// Types `text` and forgets what was shown before.
    func type(_ text: String) {
        screen.withLock { $0 = "" }
        let bytes = Array(text.utf8)
        _ = write(controller, bytes, bytes.count)
    }

    /// Types a command, and with `untilPrompt` waits until the shell asks for the next.
    func run(_ command: String, untilPrompt: Bool = true) {
        type(command + "\n")
        if untilPrompt { waitFor("ready> ") }
    }

    /// Ctrl-Z; returns when the shell has the terminal again.
    func stopJob() {
        type("\u{1A}")
        waitFor("ready> ")
    }

    /// Waits until `expected` is shown.
    func waitFor(_ expected: String) {
        while !screen.withLock({ $0.contains(expected) }) { hasText.waitPatiently() }
    }
}

/// Follows the events that a program writes into a file, for programs that a shell has started.
final class EventFile {
    let path: String

    init(_ path: String) {
        self.path = path
        _ = FileManager.default.createFile(atPath: path, contents: nil)
    }

    var events: Events {
        get throws {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            // The last line may be half written.
            let end = text.lastIndex(of: "\n").map { text.index(after: $0) } ?? text.startIndex
            return try Events(String(text[..<end]))
        }
    }

    /// Waits until `condition` holds for the events so far; the file's growth is what is awaited.
    func wait(until condition: (Events) throws -> Bool) throws {
        let descriptor = inotify_init()
        defer { close(descriptor) }
        inotify_add_watch(descriptor, path, UInt32(IN_MODIFY))
        var buffer = [UInt8](repeating: 0, count: 4096)
        while try !condition(events) {
            var awaited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            precondition(poll(&awaited, 1, Int32(patience * 1000)) == 1, "no more events come")
            _ = read(descriptor, &buffer, buffer.count)
        }
    }
}

extension Terminal {
    /// Closes the terminal, as a window is closed: the shell and its jobs get SIGHUP.
    func hangUp() { _ = kill(shell, SIGHUP) }
}
