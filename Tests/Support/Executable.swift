internal import Foundation
import Glibc

/// Makes an executable file of `text`.
package func makeExecutable(_ text: String, at path: String) throws {
    let source = path + ".text"
    try Data(text.utf8).write(to: URL(filePath: source))
    try copyExecutable(from: source, to: path)
    try FileManager.default.removeItem(atPath: source)
}

/// Copies a file and makes it executable.
///
/// A process of its own writes it: a program that another thread starts at that moment would inherit
/// the open descriptor for a while, and the kernel executes no file that is open for writing.
package func copyExecutable(from source: String, to path: String) throws {
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    let program = try Child(
        "/usr/bin/install", ["-m", "755", source, path], [:], [null, null, null])
    guard try program.wait() == 0 else {
        throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
    }
}
