import ArgumentParser
import UndersongBackground
import UndersongBase
import UndersongCommandOptions

extension PushVerb {
    /// `undersong push send`: sends a push.
    struct Send: Verb {
        static let configuration = described(
            "send", "Send a push to the service, or to another machine.",
            discussion: """
                The payload comes from FILE, or from standard input for -: a JSON object with an \
                object aps, 4096 bytes at most. With -n, -m, -b, -s, -y or -d it is made from these \
                instead. With a TOKEN, the push is refused unless it is the service's ('undersong \
                push token'). The command returns when the push is on the disk.

                With --to ntfy URL, publish it to a topic of ntfy: the payload is the message, for \
                those who have set 'undersong push provider ntfy URL', and the alert its title, for \
                people. With --to ENDPOINT, encrypt it for an endpoint of Web Push such as those of \
                UnifiedPush; the receiver's 'undersong push token' shows the endpoint and its keys. \
                Then the command returns when the server there has accepted the push.

                Options of 'apn push' that are only about Apple's servers are accepted and ignored.

                Examples:
                  undersong push send payload.json
                  undersong push send -n -d content-id=42
                  undersong push send --to ntfy https://ntfy.sh/a-secret-topic -m Hello
                  undersong push send --to https://push.example.org/UP?token=SfK1 \
                --p256dh BCVx... --auth BTBZ... payload.json
                """)

        @OptionGroup(title: "The payload") var made: MadePayload
        @OptionGroup(title: "Another machine") var remote: RemotePush
        @Option(help: "The topic of the push; by default the service itself.") var topic: String?

        @Option(
            help: "An identifier; of several pushes with the same one, only the first is accepted.")
        var id: String?

        @Option(
            choice: "Its type: background or alert; by default alert if it has something to show.")
        var type: PushType?

        @Flag(help: "Handle the push at once, without waiting for the next wake.") var now = false
        @OptionGroup(title: "Options of 'apn push'") var foreign: ApplePushOptions
        @OptionGroup var options: SessionOptions

        @Argument(
            help: ArgumentHelp(
                "The payload file, which the service's token or a topic's URL may precede.",
                valueName: "token|url> <file"))
        var words: [String] = []

        func validate() throws {
            try remote.validate(words: words, topic: topic)
            let files = remote.payloadWords(words)
            let most = remote.to == nil ? 2 : 1
            if made.isMade, files.count > most - 1 {
                throw ValidationError("With -n, -m, -b, -s, -y or -d, give no FILE.")
            }
            if !made.isMade, !(1...most).contains(files.count) {
                throw ValidationError("Name the file with the payload, or - for standard input.")
            }
            let local = [
                (id != nil, "--id"), (type != nil, "--type"), (now, "--now"),
            ].first { $0.0 }
            if remote.to != nil, let local {
                throw ValidationError("\(local.1) is for this machine's service, not for --to.")
            }
        }

        func perform() throws {
            if let note = foreign.note { complain(note) }
            let files = remote.payloadWords(words)
            let text =
                made.isMade ? PushText.payload(made) : try PayloadFile.text(of: files.last ?? "-")
            if let recipient = remote.recipient(words: words, topic: topic) {
                let connection = try TransferConnection(to: "send", session: options.session)
                let receipt = try connection.call(
                    PublishPush(to: recipient, text, urgency: remote.urgency))
                return options.show(receipt, PushText.receipt)
            }
            var push = SendPush(text, topic: topic, id: id)
            push.token = made.isMade ? files.first : files.dropLast().first
            push.type = type
            push.now = now ? true : nil
            try options.ask("send the push", push, PushText.receipt)
        }
    }
}

/// The values of which a payload is made, with the letters of `apn push`.
struct MadePayload: ParsableArguments {
    @Flag(
        name: [.customShort("n"), .long],
        help: "Make a payload that wakes the service: \"content-available\": 1.")
    var contentAvailable = false

    @Option(name: [.customShort("m"), .long], help: "Make a payload with this alert.")
    var alert: String?

    @Option(
        name: [.customShort("b"), .long],
        help: ArgumentHelp("Make a payload with this badge.", valueName: "number"))
    var badge: Int?

    @Option(name: [.customShort("s"), .long], help: "Make a payload with this sound.")
    var sound: String?

    @Option(name: [.customShort("y"), .long], help: "Make a payload with this category.")
    var category: String?

    @Option(
        name: [.customShort("d"), .long],
        help: ArgumentHelp(
            "Add a value to the payload: a number, true, false, null, or text.",
            valueName: "key=value"))
    var data: [String] = []

    /// True if there is something of which to make a payload.
    var isMade: Bool {
        contentAvailable || badge != nil || !data.isEmpty
            || [alert, sound, category].contains { $0 != nil }
    }

    func validate() throws {
        for entry in data where !entry.dropFirst().contains("=") {
            throw ValidationError("'\(entry)' is not KEY=VALUE.")
        }
        if let badge, badge < 0 { throw ValidationError("A badge is 0 or above.") }
    }
}

/// The receiver of a push on another machine.
struct RemotePush: ParsableArguments {
    /// The word for a topic of ntfy.
    private static let ntfy = "ntfy"

    @Option(
        help: ArgumentHelp(
            "Send it to a topic of ntfy, whose URL follows, or to the endpoint with this URL.",
            valueName: "ntfy|endpoint"))
    var to: String?

    @Option(help: ArgumentHelp("The public key of the endpoint's owner.", valueName: "key"))
    var p256dh: String?

    @Option(
        // A secret may begin with a hyphen.
        parsing: .unconditional,
        help: ArgumentHelp("The secret of the endpoint's owner.", valueName: "secret"))
    var auth: String?

    @Option(
        help: ArgumentHelp(
            "The time to keep it for the receiver, such as 90 (seconds), 12h or 2d; by default 28d.",
            valueName: "time"))
    var ttl: PushLifetime?

    @Option(
        choice: ArgumentHelp(
            "Its urgency: very-low, low, normal or high; by default that of its alert.",
            valueName: "level"))
    var urgency: PushUrgency?

    /// The arguments beside the URL of a topic.
    func payloadWords(_ words: [String]) -> [String] {
        guard to == Self.ntfy, let index = words.firstIndex(where: Self.isURL) else { return words }
        var words = words
        words.remove(at: index)
        return words
    }

    /// Nil for this machine's service. The options have to be valid.
    func recipient(words: [String], topic: String?) -> PushRecipient? {
        guard let to else { return nil }
        guard to != Self.ntfy else { return .ntfy(url: words.first(where: Self.isURL) ?? "") }
        return .endpoint(
            PushEndpoint(
                to, p256dh: p256dh ?? "", auth: auth ?? "", lifetime: ttl?.seconds, topic: topic))
    }

    /// Checks the options together with the arguments, and the topic of the push.
    func validate(words: [String], topic: String?) throws {
        let keys = [(p256dh, "--p256dh"), (auth, "--auth"), (ttl.map { "\($0)" }, "--ttl")]
        let given = keys.first { $0.0 != nil }?.1
        guard let to else {
            if let given { throw ValidationError("\(given) is for --to ENDPOINT only.") }
            if urgency != nil { throw ValidationError("--urgency is for --to only.") }
            return
        }
        guard to != Self.ntfy else {
            guard words.contains(where: Self.isURL) else {
                throw ValidationError(
                    "Name the URL of the topic after --to ntfy, such as https://ntfy.sh/TOPIC.")
            }
            if let given { throw ValidationError("\(given) is for an endpoint, not for ntfy.") }
            if topic != nil { throw ValidationError("--topic is not for ntfy: its URL has one.") }
            return
        }
        guard Self.isURL(to) else {
            throw ValidationError("'\(to)' is neither ntfy nor the URL of an endpoint.")
        }
        for (value, name) in keys.prefix(2) where value == nil {
            throw ValidationError(
                "An endpoint needs \(name), which its owner's 'undersong push token' shows; "
                    + "for a topic of ntfy, write --to ntfy URL.")
        }
        if let topic, !PushEndpoint.isTopic(topic) {
            throw ValidationError(
                "The topic for an endpoint has 1 to 32 letters, digits, '-' and '_'.")
        }
    }

    private static func isURL(_ word: String) -> Bool { word.contains("://") }
}

/// The seconds for which an endpoint keeps a push: `90`, `12h`, `2d`.
struct PushLifetime: ExpressibleByArgument, Equatable {
    let seconds: Int

    init?(argument: String) {
        guard let seconds = quantity(argument, timeUnits),
            let whole = Int(exactly: seconds.rounded(.up)), PushEndpoint.lifetimes.contains(whole)
        else { return nil }
        self.seconds = whole
    }
}

/// The options of `apn push` that are only about Apple's servers.
struct ApplePushOptions: ParsableArguments {
    @Option(
        name: [.customShort("c"), .long],
        help: ArgumentHelp("The certificate for Apple's servers; ignored.", valueName: "file"))
    var certificate: String?

    @Option(
        name: [.customShort("e"), .long],
        help: ArgumentHelp("The environment of Apple's servers; ignored.", valueName: "name"))
    var environment: String?

    @Flag(
        name: [.customShort("p"), .long], help: "Ask for the certificate's passphrase; ignored.")
    var passphrase = false

    /// The sentence that names those that were given; nil if there are none.
    var note: String? {
        let given = [
            (certificate != nil, "--certificate"), (environment != nil, "--environment"),
            (passphrase, "--passphrase"),
        ]
        let names = given.filter(\.0).map(\.1)
        return names.isEmpty
            ? nil
            : "note: ignoring \(names.joined(separator: ", ")): no push goes through Apple's servers"
    }
}

extension PushType: Choice {}

extension PushUrgency: Choice {}

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
