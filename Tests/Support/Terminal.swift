import CUndersongLinux
internal import Foundation
import Glibc
internal import Synchronization

/// A shell with job control in its own terminal, as a user has it.
package final class Terminal: Sendable {
    private let controller: Int32
    private let child: Child
    /// The bytes shown so far. They come in pieces that may end within a character.
    private let screen = Mutex<[UInt8]>([])
    private let hasText = DispatchSemaphore(value: 0)

    /// Starts the shell and waits for its prompt. bash restores the terminal's attributes after its
    /// jobs; dash leaves them as they are.
    package init(environment: [String: String], shell: [String] = bash) throws {
        controller = posix_openpt(O_RDWR | O_NOCTTY)
        grantpt(controller)
        unlockpt(controller)
        let path = String(cString: ptsname(controller))
        child = try Child(
            shell[0], Array(shell.dropFirst()),
            environment.merging(["PS1": "ready> ", "TERM": "dumb"]) { $1 }, [0, 0, 0],
            terminal: path)
        let controller = controller
        Thread.detachNewThread { [weak self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(controller, &buffer, buffer.count)
                guard count > 0, let self else { return }
                self.screen.withLock { $0 += buffer[..<count] }
                self.hasText.signal()
            }
        }
        try waitFor("ready> ")
        resize(to: 80)
    }

    package static let bash = ["/bin/bash", "--norc", "--noprofile", "--noediting", "-i"]
    package static let dash = ["/bin/dash", "-i"]

    deinit {
        child.end()
        close(controller)
    }

    /// The shell's process.
    package var shell: pid_t { child.process }

    /// The process group in its foreground; nil if there is none.
    package var foregroundGroup: pid_t? {
        let group = tcgetpgrp(controller)
        return group > 0 ? group : nil
    }

    /// Everything shown so far.
    package var text: String { String(decoding: screen.withLock { $0 }, as: UTF8.self) }

    /// Changes the terminal's width, which programs in it are notified of.
    package func resize(to columns: UInt16) {
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(controller, UInt(TIOCSWINSZ), &size)
    }

    /// Types `text` and forgets what was shown before.
    package func type(_ text: String) {
        screen.withLock { $0 = [] }
        let bytes = Array(text.utf8)
        _ = write(controller, bytes, bytes.count)
    }

    /// Types a command, and with `untilPrompt` waits for the shell's next prompt.
    package func run(_ command: String, untilPrompt: Bool = true) throws {
        type(command + "\n")
        if untilPrompt { try waitFor("ready> ") }
    }

    /// The output of a command.
    package func output(of command: String) throws -> String {
        try run(command)
        return text.split(separator: "\r\n").dropFirst().dropLast().joined(separator: "\n")
    }

    /// Waits until `expected` is shown.
    package func waitFor(_ expected: String) throws {
        while !text.contains(expected) {
            try hasText.waitPatiently(
                orSay: "\(expected) is not shown in \(text.debugDescription)")
        }
    }
}
