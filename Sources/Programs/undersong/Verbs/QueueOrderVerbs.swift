import ArgumentParser
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// Verbs of `queue` that concern the queue as a whole.
extension QueueVerb {
    struct Shuffle: Verb {
        static let configuration = described(
            "shuffle", "Put the items into a random order, the current one first.",
            discussion: "'undersong shuffle on' plays in random order and keeps the queue as it is."
        )
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try QueueEdit("shuffle the queue", options).change { _ in (ShuffleQueue(), nil) }
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
            try QueueEdit("sort the queue", options).change { _ in (SortQueue(by: key), nil) }
        }
    }

    struct Crop: Verb {
        static let configuration = described(
            "crop", "Keep only the current item, or only the items that match.",
            discussion: "As in queue search, each word is in the path, title, artist or album.")
        @Argument(help: "Words to find, in upper or lower case.") var word: [String] = []
        @OptionGroup var options: SessionOptions

        func perform() throws {
            try QueueEdit("crop the queue", options).change { _ in (CropQueue(to: word), nil) }
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

        func perform() throws {
            try QueueEdit("redo", options).change { _ in (RedoQueueChange(), nil) }
        }
    }
}

extension QueueSortKey: Choice {}
