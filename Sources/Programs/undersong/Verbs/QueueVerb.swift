import ArgumentParser
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// `undersong queue`: shows and changes the queue. Places count from 1, as shown.
struct QueueVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Show the queue, or change it.",
        subcommands: [
            List.self, Add.self, Insert.self, Move.self, Remove.self, Clear.self, Jump.self,
            Shuffle.self, Sort.self, Crop.self, Dedupe.self, Undo.self, Redo.self, Search.self,
            Export.self, Save.self, Load.self, Saved.self, Forget.self,
        ],
        defaultSubcommand: List.self)

    struct List: Verb {
        static let configuration = described("list", "Show the queue.")
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let service = try options.service(to: "show the queue")
            let pages = QueuePages(service)
            defer { service.noteHolder() }
            if options.json {
                return options.show(ChangedQueue(queue: try pages.all())) { _ in "" }
            }
            var length = QueueLength()
            try pages.forEach { page in
                length.add(page.items)
                writeOutput(
                    (page.count == 0 ? ["the queue is empty"] : QueueText.lines(page))
                        .joined(separator: "\n") + "\n")
            }
            if let text = length.text { writeOutput(text + "\n") }
        }
    }

    struct Search: Verb {
        static let configuration = described(
            "search", "Find items by title, artist, album or path.",
            discussion: """
                Each word must be found in one of these; artist:, album:, title: or path: before \
                the word says in which. A minus sign excludes a word, OR between words finds either, and \
                parentheses group. Case and diacritics do not matter: bjork finds Björk.

                Exit status: 1 if nothing is found; with --play, 77 if it stays silent because \
                music may not play in the background.
                """)
        /// The length of the first page, which is shown while the others are requested.
        private static let firstPage = 100

        @Argument(help: "Words to find, such as bjork or artist:bjork.") var word: [String]
        @Flag(help: "Play the first item that is found.") var play = false
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let query = try CheckedQuery(word, to: "search the queue").text
            let service = try options.service(to: "search the queue")
            var reply = try service.call(SearchQueue(query, limit: play ? 1 : Self.firstPage))
            if reply.hasUnreadTags == true {
                complain("still reading tags; try again for more matches")
            }
            if play, let first = reply.found.first {
                _ = try service.call(UndersongBackground.Jump(to: first.id))
                return try options.perform(.resume)
            }
            reply.found = try show(from: reply, of: query, in: service)
            if options.json { options.show(reply) { _ in "" } }
            if reply.found.isEmpty { throw ExitCode(1) }
        }

        /// Shows what is found page by page, unless all of it is wanted as JSON, and returns all.
        private func show(
            from first: FoundItems, of query: String, in service: Service
        ) throws -> [ListedItem] {
            var found: [ListedItem] = []
            var page = first
            repeat {
                if !options.json { options.show(page, QueueText.found) }
                found += page.found
                guard found.count < first.foundCount else { break }
                page = try service.call(SearchQueue(query, offset: found.count))
            } while !page.found.isEmpty
            return found
        }
    }

    struct Undo: Verb {
        static let configuration = described(
            "undo", "Undo the last change to the queue.",
            discussion: "Repeat it to undo the change before that.")
        @OptionGroup var options: SessionOptions

        func perform() throws { try QueueEdit("undo", options).change(UndoQueueChange()) }
    }

    struct Add: Verb {
        static let configuration = described("add", "Add files at the end.")
        @OptionGroup var added: AddedFiles
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let purpose = "add to the queue"
            try QueueEdit(purpose, options).add(added.files(to: purpose)) { AddToQueue($1) }
        }
    }

    struct Insert: Verb {
        static let configuration = described("insert", "Add files after an item.")
        @Option(
            help: ArgumentHelp(
                "The item's place, \(Place.help); by default the current item's.",
                valueName: "place"))
        var after: Place?
        @OptionGroup var added: AddedFiles
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let purpose = "insert into the queue"
            let edit = QueueEdit(purpose, options)
            try edit.add(added.files(to: purpose), atEnd: false) { service, files in
                InsertIntoQueue(
                    files, after: try after.map { try edit.places(service).id(at: $0) })
            }
        }
    }

    struct Move: Verb {
        static let configuration = described("move", "Move an item to another place.")
        @Argument(help: "The item's place, \(Place.help).") var from: Place
        @Argument(help: "Its new place.") var to: Place
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try QueueEdit("move in the queue", options).change { queue in
                let target = try queue.number(of: to)
                return (try queue.move(from: queue.number(of: from), to: target), target)
            }
        }
    }

    struct Remove: Verb {
        static let configuration = described("remove", "Remove items.")
        @Argument(help: "The items' places, such as 3, 3-5, current, -1, or current-last.")
        var place: [PlaceRange]
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try QueueEdit("remove from the queue", options).change { queue in
                (
                    RemoveFromQueue(try queue.ids(at: place)),
                    try place.first.map { try queue.number(of: $0.first) }
                )
            }
        }
    }

    struct Clear: Verb {
        static let configuration = described("clear", "Remove all items.")
        @OptionGroup var options: SessionOptions

        func perform() throws { try QueueEdit("clear the queue", options).change(ClearQueue()) }
    }

    struct Jump: Verb {
        static let configuration = described("jump", "Jump to an item.")
        @Argument(help: "The item's place, \(Place.help).") var place: Place
        @OptionGroup var options: SessionOptions

        func perform() throws { try QueueEdit("jump in the queue", options).jump(to: place) }
    }
}

/// The files that a verb adds to the queue.
struct AddedFiles: ParsableArguments {
    @Argument(help: "What to add.") var file: [FilePath] = []
    @OptionGroup var list: FileListOptions
    @Option(help: ArgumentHelp("Start each item at this time.", valueName: "time"))
    var start: Seconds?
    @Option(help: ArgumentHelp("End each item at this time.", valueName: "time"))
    var end: Seconds?

    @OptionGroup var library: LibraryOption

    func validate() throws { if library.query == nil { try list.check(file) } }

    /// The files, with the part of each to play. `purpose` names the operation in errors.
    func files(to purpose: String) throws -> Files {
        var files = try Files(named: try list.names(after: file), start: start, end: end)
        files.query = try library.checked(to: purpose)
        return files
    }
}
