import Glibc
import UndersongBase
import UndersongCommandOptions

/// The log of an app, which is shown as it is, and followed. It may be replaced by a new file, and
/// cut.
struct AppLog {
    private let path: String
    private let identifier: String

    init(path: String, of identifier: String) {
        self.path = path
        self.identifier = identifier
    }

    /// Writes the log to the standard output; with `follows` also what is added, until the program
    /// is ended.
    ///
    /// - Throws: a failure if there is no log yet, unless it `follows`.
    func show(follows: Bool) throws {
        // Before anything is read, so that nothing is missed.
        let watch = follows ? FolderWatch(Folder.path(of: path), for: .writing) : nil
        guard !follows || watch != nil else {
            throw failure("The system cannot watch its folder: \(SystemError.last.reason)")
        }
        if follows { ReaderWatch.begin { endByBrokenPipe() } }
        var reader = LogReader(path: path)
        try reader.copy { writeOutput($0) }
        guard let watch else {
            if !reader.isOpen { throw failure("Nothing has happened to it yet") }
            return
        }
        while true {
            Wakeup.wait(for: watch.descriptor)
            watch.clear()
            try reader.copy { writeOutput($0) }
        }
    }

    private func failure(_ reason: String) -> Failure {
        Failure("cannot show the log of \(identifier): \(reason)")
    }
}

/// Reads what is added to a file of this name, which may be replaced by another file, and cut.
struct LogReader: ~Copyable {
    private let path: String
    private var descriptor: Int32 = -1

    init(path: String) { self.path = path }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// True if there has been a file.
    var isOpen: Bool { descriptor >= 0 }

    /// Passes all bytes that have come since the last time to `write`, those of an old file before
    /// those of the new one.
    ///
    /// - Throws: a failure if the file cannot be read.
    mutating func copy(_ write: ([UInt8]) -> Void) throws {
        try copyRest(write)
        while openNext() { try copyRest(write) }
    }

    /// Opens the file that has the name now. Returns false if it is open, or cannot be opened.
    private mutating func openNext() -> Bool {
        let next = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard next >= 0 else { return false }
        guard Self.identity(next) != Self.identity(descriptor) else {
            close(next)
            return false
        }
        if descriptor >= 0 { close(descriptor) }
        descriptor = next
        return true
    }

    private func copyRest(_ write: ([UInt8]) -> Void) throws {
        guard descriptor >= 0 else { return }
        var status = stat()
        if unsafe fstat(descriptor, &status) == 0, status.st_size < lseek(descriptor, 0, SEEK_CUR) {
            lseek(descriptor, 0, SEEK_SET)
        }
        do throws(SystemError) {
            let bytes = try readAll(from: descriptor)
            if !bytes.isEmpty { write(bytes) }
        } catch {
            throw Failure("cannot read \(path): \(error.reason)")
        }
    }

    /// The device and number of a file; nil if it is not open.
    private static func identity(_ descriptor: Int32) -> [UInt]? {
        var status = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else { return nil }
        return [UInt(status.st_dev), UInt(status.st_ino)]
    }
}
