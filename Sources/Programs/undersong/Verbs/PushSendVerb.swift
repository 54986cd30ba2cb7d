import ArgumentParser
import UndersongBackground
import UndersongBase
import UndersongCommandOptions

extension PushVerb {
    /// `undersong push send`: sends a push.
    struct Send: Verb {
        static let configuration = described(
            "send", "Send a push to the service.",
            discussion: """
                The payload comes from FILE, or from standard input for -: a JSON object with an \
                object aps, 4096 bytes at most. With -n, -m or -d it is made from these instead. \
                With a TOKEN, the push is refused unless it is the service's ('undersong push token').

                The command returns when the push is on the disk.

                Examples:
                  undersong push send payload.json
                  undersong push send -n -d content-id=42
                """)

        @Flag(
            name: [.customShort("n"), .long],
            help: "Make a payload that wakes the service: \"content-available\": 1.")
        var contentAvailable = false

        @Option(name: [.customShort("m"), .long], help: "Make a payload with this alert.")
        var alert: String?

        @Option(
            name: [.customShort("d"), .long],
            help: ArgumentHelp(
                "Add a value to the payload: a number, true, false, null, or text.",
                valueName: "key=value"))
        var data: [String] = []

        @Option(help: "The topic of the push; by default the service itself.") var topic: String?

        @Option(
            help: "An identifier; of several pushes with the same one, only the first is accepted.")
        var id: String?

        @Option(
            choice: "Its type: background or alert; by default alert if it has something to show.")
        var type: PushType?

        @Flag(help: "Handle the push at once, without waiting for the next wake.") var now = false
        @OptionGroup var options: SessionOptions

        @Argument(
            help: ArgumentHelp(
                "The file with the payload, or before it also the service's token.",
                valueName: "token> <file"))
        var words: [String] = []

        private var isMade: Bool { contentAvailable || alert != nil || !data.isEmpty }

        func validate() throws {
            if isMade, words.count > 1 {
                throw ValidationError("With -n, -m or -d, give no FILE.")
            }
            if !isMade, !(1...2).contains(words.count) {
                throw ValidationError("Name the file with the payload, or - for standard input.")
            }
            for entry in data where !entry.dropFirst().contains("=") {
                throw ValidationError("'\(entry)' is not KEY=VALUE.")
            }
        }

        func perform() throws {
            let purpose = "send the push"
            let text =
                isMade
                ? PushText.payload(contentAvailable, alert: alert, data)
                : try PayloadFile.text(of: words.last ?? "-")
            var push = SendPush(text, topic: topic, id: id)
            push.token = isMade ? words.first : words.dropLast().first
            push.type = type
            push.now = now ? true : nil
            try options.ask(purpose, push, PushText.receipt)
        }
    }
}

extension PushType: Choice {}

/// Reads payloads.
enum PayloadFile {
    /// More than a payload may have, so that the service reports how many bytes there are.
    private static let limit = 1 << 20

    /// The text of a file, or of the standard input for `-`.
    static func text(of name: String) throws -> String {
        let file = InputFile(path: FilePath(argument: name))
        let bytes = try file.bytes(limit: limit)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw file.failure("The payload is not UTF-8")
        }
        return text
    }
}
