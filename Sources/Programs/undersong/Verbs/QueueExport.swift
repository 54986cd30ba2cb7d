import ArgumentParser
import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

extension WrittenPlaylist: Choice {}

extension QueueVerb {
    /// `undersong queue export`: writes the queue to a playlist, completely or not at all.
    struct Export: Verb {
        static let configuration = described(
            "export", "Write the queue as a playlist.",
            discussion: """
                The file's extension sets the format: .m3u8, .m3u or .xspf. Other players can play \
                the file too.
                """)
        @Argument(help: "The file to write, or - for standard output.") var file: FilePath
        @Option(choice: "The format: m3u8, m3u, xspf.") var format: WrittenPlaylist?
        @Flag(help: "Replace an existing file.") var force = false
        @OptionGroup var options: SessionOptions

        /// The result, as JSON.
        private struct Answer: Encodable {
            var path: String
            var count: Int
        }

        func perform() throws {
            if file.bytes.isEmpty {
                throw Failure("cannot export the queue: The name is empty", status: 64)
            }
            let format = try format ?? Self.format(of: file)
            let service = try options.service(to: "export the queue")
            let writer = QueueWriter(service: service, format: format)
            guard file != .standardStream else {
                _ = try writer.write { writeOutput($0) }
                return
            }
            let isTaken = unsafe file.withPlatformString { unsafe access($0, F_OK) } == 0
            guard force || !isTaken else {
                throw Failure(
                    "cannot write \(Columns.printable(file.description)): It exists; --force "
                        + "replaces it", status: 64)
            }
            let count = try writer.write(to: file, replaces: force)
            options.show(Answer(path: file.description, count: count)) { answer in
                "wrote \(QueueText.count(answer.count)) to \(Columns.printable(answer.path))"
            }
        }

        /// The format that a file's name implies.
        static func format(of file: FilePath) throws -> WrittenPlaylist {
            guard file != .standardStream else { return .m3u8 }
            let name = file.lastComponent
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            let named = parts.count > 1 ? parts.last.map { $0.lowercased() } : nil
            guard let format = named.flatMap(WrittenPlaylist.init) else {
                throw Failure(
                    "cannot export the queue: The name \(Columns.printable(name)) names no format; "
                        + "use --format", status: 64)
            }
            return format
        }
    }
}
