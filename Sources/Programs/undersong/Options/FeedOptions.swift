import ArgumentParser
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongPlayback
import UndersongPodcasts

/// The options for the episodes of a feed.
struct FeedPolicyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "New episodes to download: the latest N, all, or none.",
            valueName: "newest:N|all|none"),
        transform: { try parse($0, "'\($0)' is not one of newest:N, all, none.") })
    var auto: Feed.Policy.Automatic?
    @Option(
        help: ArgumentHelp(
            """
            Delete the files of heard episodes, except the latest N, or N days after they \
            were heard. Episodes that were not heard to the end, or are in the queue, are kept.
            """, valueName: "N|Nd|all"),
        transform: {
            try parse(
                $0,
                "'\($0)' is not a number of episodes, such as 5, or of days, such as 14d, or all."
            )
        })
    var keep: Feed.Policy.Keep?
    @Option(
        help: ArgumentHelp(
            "Add each downloaded episode to the queue: at its end, or after the current item.",
            valueName: "end|next|none"),
        transform: { try parse($0, "'\($0)' is not one of end, next, none.") })
    var queue: Feed.Policy.Place?
    @Option(
        help: ArgumentHelp(
            "The folder for the files, instead of ~/Podcasts/TITLE.", valueName: "folder"))
    var to: String?

    private static func parse<Value: RawRepresentable<String>>(
        _ text: String, _ refusal: String
    ) throws -> Value {
        guard let value = Value(rawValue: text) else { throw ValidationError(refusal) }
        return value
    }

    /// The change of a policy.
    func change() throws -> Feed.Policy.Change {
        var change = Feed.Policy.Change()
        (change.auto, change.keep, change.queue) = (auto, keep, queue)
        change.folder = try to.map { path in
            let absolute = try TransferName.absolute(path)
            return absolute.count > 1 && absolute.hasSuffix("/")
                ? String(absolute.dropLast()) : absolute
        }
        return change
    }
}

/// The option that lets the service look for new episodes by itself.
struct AutomaticOption: ParsableArguments {
    @Flag(
        help: """
            Let the service look for new episodes of all feeds by itself: declare the mode fetch, \
            permit net.undersong.refresh, and set an interval if there is none.
            """)
    var automatic = false

    /// Sends a call that adds feeds and shows the answer; then does what the option says, or says
    /// how to do it.
    func perform<Call: ControlCall>(
        _ call: Call, to purpose: String, descriptors: [Int32] = [],
        _ options: SessionOptions, _ text: (Call.Reply) -> String
    ) throws {
        let service = try options.service(to: purpose)
        options.show(try service.call(call, descriptors: descriptors), text)
        let status = try service.call(GetRefreshStatus())
        var missing = status.missing
        if status.interval == .never { missing.append("undersong fetch interval minimum") }
        guard !missing.isEmpty else { return }
        if automatic {
            try begin(status, service)
        } else if !options.json {
            let lines =
                [
                    "it is updated only by 'undersong feed refresh'; "
                        + "to have it updated automatically:"
                ] + missing
            writeAll(lines.joined(separator: "\n  ") + "\n", to: 2)
        }
    }

    private func begin(_ status: RefreshStatus, _ service: Service) throws {
        _ = try service.call(DeclareMode(.fetch, on: true))
        _ = try service.call(PermitIdentifier(RefreshRunner.fetchIdentifier, on: true))
        guard status.interval == .never else { return }
        _ = try service.call(SetFetchInterval(.minimum))
    }
}
