import Glibc
import UndersongBase
import UndersongCommandOptions

/// Whether terminals are spared characters outside ASCII.
private let terminalsAreASCII = PlainCharacters.areNeeded { Environment[$0] }

/// `text` as `descriptor` can show it: a terminal that cannot show it as it is gets the nearest
/// ASCII.
private func bytes(of text: String, for descriptor: Int32) -> [UInt8] {
    let isPlain = terminalsAreASCII && isatty(descriptor) == 1
    return Array((isPlain ? PlainCharacters.only(text) : text).utf8)
}

/// Writes all of `text`, however long that takes; returns 0 or the `errno` of a failure.
@discardableResult
func writeAll(_ text: String, to descriptor: Int32) -> Int32 {
    writeAll(bytes(of: text, for: descriptor), to: descriptor)
}

/// Writes all of `text` to the standard output, or ends the program with the reason.
func writeOutput(_ text: String) {
    writeOutput(bytes(of: text, for: STDOUT_FILENO), orAfter: TerminalGuard.restore)
}

/// Reports a problem on the standard error, in the form of both programs.
func complain(_ text: String) { writeAll(complaint(text) + "\n", to: STDERR_FILENO) }
