import ArgumentParser
import Control
import Glibc

extension QueueVerb {
    /// `undersong queue save`: writes the queue as a playlist, whole or not at all.
    struct Save: Verb {
        static let configuration = CommandConfiguration(
            commandName: "save", abstract: "Write the queue as an M3U playlist.")
        @Argument(help: "The file to write, - for the standard output.") var file: String
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let service = try Service(to: "save the queue", session: options.session)
            let reply = try service.call(Queue(.list()))
            let text = Playlist.text(reply.queue.items)
            for item in reply.queue.items where !Playlist.canHold(item.path) {
                complain("cannot save \(item.title): A playlist cannot hold it")
            }
            guard file != "-" else { return _ = writeAll(text, to: STDOUT_FILENO) }
            try NewFile.write(text, to: file)
            if options.json { options.tell(reply) { _ in "" } }
        }
    }
}

/// Writes files that are there whole or not at all.
enum NewFile {
    /// Writes `text` beside `path`, and puts it there in one step when the disk has it.
    static func write(_ text: String, to path: String) throws {
        // A link is followed: what it points to is replaced, not the link.
        let target = resolved(path)
        var name = Array((target + ".XXXXXX").utf8CString)
        let descriptor = unsafe mkstemp(&name)
        guard descriptor >= 0 else { throw failure(path, errno) }
        let temporary = String(
            decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var code = writeAll(text, to: descriptor)
        if code == 0, fchmod(descriptor, mode(of: target)) != 0 { code = errno }
        if code == 0, fsync(descriptor) != 0 { code = errno }
        close(descriptor)
        if code == 0, unsafe rename(temporary, target) != 0 { code = errno }
        guard code == 0 else {
            unsafe unlink(temporary)
            throw failure(path, code)
        }
    }

    private static func resolved(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    /// The mode of the file that is replaced, else what this user's new files have.
    private static func mode(of path: String) -> mode_t {
        var status = stat()
        if unsafe stat(path, &status) == 0 { return status.st_mode & 0o777 }
        let mask = umask(0)
        umask(mask)
        return 0o666 & ~mask
    }

    private static func failure(_ path: String, _ code: Int32) -> Failure {
        Failure("cannot write \(path): " + (unsafe String(cString: strerror(code))))
    }
}
