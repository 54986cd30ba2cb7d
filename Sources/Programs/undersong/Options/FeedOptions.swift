import ArgumentParser
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// What happens with the episodes of a feed.
struct FeedPolicyOptions: ParsableArguments {
    /// How long files stay that were heard.
    private enum Keep {
        case latest(Int)
        case days(Int)

        /// Nil if it is none.
        init?(_ text: String) {
            if text == "all" {
                self = .latest(0)
            } else if text.hasSuffix("d"), let days = Int(text.dropLast()), days > 0 {
                self = .days(days)
            } else if let count = Int(text), count >= 0 {
                self = .latest(count)
            } else {
                return nil
            }
        }
    }

    @Option(
        help: ArgumentHelp(
            "New episodes to download: the latest N, all, or none.",
            valueName: "newest:N|all|none"))
    var auto: String?
    @Option(
        help: ArgumentHelp(
            """
            Delete the files of heard episodes, except the latest N, or N days after they \
            were heard. Episodes that were not heard to the end, or are in the queue, are kept.
            """, valueName: "N|Nd|all"))
    var keep: String?
    @Option(
        help: ArgumentHelp(
            "Add each downloaded episode to the queue: at its end, or after the current item.",
            valueName: "end|next|none"))
    var queue: String?
    @Option(
        help: ArgumentHelp(
            "The folder for the files, instead of ~/Podcasts/TITLE.", valueName: "folder"))
    var to: String?

    func validate() throws {
        if let auto, !["all", "none"].contains(auto) {
            guard auto.hasPrefix("newest:"), Int(auto.dropFirst(7)) ?? 0 > 0 else {
                throw ValidationError("'\(auto)' is not one of newest:N, all, none.")
            }
        }
        if let keep, Keep(keep) == nil {
            throw ValidationError(
                "'\(keep)' is not a number of episodes, such as 5, or of days, such as 14d, or all."
            )
        }
        if let queue, !["end", "next", "none"].contains(queue) {
            throw ValidationError("'\(queue)' is not a place: end, next or none.")
        }
    }

    func apply(to call: inout ManageFeeds) throws {
        (call.auto, call.queue) = (auto, queue)
        switch keep.flatMap({ Keep($0) }) {
        case .latest(let count): call.keep = count
        case .days(let count): call.keepDays = count
        case nil: break
        }
        call.to = try to.map { path in
            let absolute = try TransferName.absolute(path)
            return absolute.count > 1 && absolute.hasSuffix("/")
                ? String(absolute.dropLast()) : absolute
        }
    }
}

/// Whether the service looks for new episodes by itself from now on.
struct AutomaticOption: ParsableArguments {
    @Flag(
        help: """
            Let the service look for new episodes of all feeds by itself: declare the mode fetch, \
            permit net.undersong.refresh, and set an interval if there is none.
            """)
    var automatic = false

    /// Sends a call that adds feeds and shows the answer; then does what the option says, or says how
    /// to do it.
    func perform(
        _ call: ManageFeeds, to purpose: String, descriptors: [Int32] = [],
        _ options: SessionOptions, _ text: (ManageFeeds.Reply) -> String
    ) throws {
        let service = try Service(to: purpose, session: options.session, startsService: true)
        options.show(try service.call(call, descriptors: descriptors), text)
        let status = try service.call(Refresh(.status))
        var missing = status.missing
        if status.interval == "never" { missing.append("undersong fetch interval minimum") }
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

    private func begin(_ status: Refresh.Reply, _ service: Service) throws {
        _ = try service.call(Capability("fetch", on: true))
        _ = try service.call(Capability(identifier: RefreshRunner.fetchIdentifier, on: true))
        guard status.interval == "never" else { return }
        var call = Refresh(.interval)
        call.interval = "minimum"
        _ = try service.call(call)
    }
}
