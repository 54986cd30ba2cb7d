import ArgumentParser
import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// Verbs of `queue` that concern the queue as a whole.
extension QueueVerb {
    struct Shuffle: Verb {
        static let configuration = described(
            "shuffle", "Put the items into a random order, the current one first.",
            discussion: "'undersong shuffle on' plays in random order and keeps the queue as it is."
        )
        @Flag(help: "Shuffle the albums, and keep the order of the items in each.")
        var albums = false
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try QueueEdit("shuffle the queue", options).change(
                ShuffleQueue(byAlbum: albums ? true : nil))
        }
    }

    struct Sort: Verb {
        static let configuration = described(
            "sort", "Sort the items.",
            discussion: """
                Numbers in names count by their value, and case is ignored. Equal items keep their \
                order.
                """)
        @Argument(choice: "What to sort by: path (the default), title, artist, album, length.")
        var key = QueueSortKey.path
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try QueueEdit("sort the queue", options).change(SortQueue(by: key))
        }
    }

    struct Crop: Verb {
        static let configuration = described(
            "crop", "Keep only the current item, or only the items that match.",
            discussion: "The words are those of queue search.")
        @Argument(help: "Words to find, such as bjork or artist:bjork.") var word: [String] = []
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let query = try CheckedQuery(word, to: "crop the queue").text
            // An empty variable of a script does not stand for the current item.
            guard word.isEmpty || !query.isEmpty else {
                throw Failure("cannot crop the queue: The query is empty", status: 64)
            }
            try QueueEdit("crop the queue", options).change(CropQueue(to: query))
        }
    }

    struct Dedupe: Verb {
        static let configuration = described(
            "dedupe", "Remove duplicates.",
            discussion: "The first copy stays, or the current item.")
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try options.ask("remove duplicates", DedupeQueue()) {
                "removed " + QueueText.count($0.removedCount ?? 0)
            }
        }
    }

    struct Redo: Verb {
        static let configuration = described(
            "redo", "Redo the change that was undone last.",
            discussion: "Repeat it to redo the change undone before that.")
        @OptionGroup var options: SessionOptions

        func perform() throws { try QueueEdit("redo", options).change(RedoQueueChange()) }
    }
}

extension QueueSortKey: Choice {}

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
            guard force || !file.exists else {
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
