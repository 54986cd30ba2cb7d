import AudioSession
import Control
import Dispatch
import Glibc
import Playback
import Store

/// The queue and the settings, as clients see and change them.
extension ServiceCore {
    func edit(_ action: Queue.Action) async throws(ControlError) -> Queue.Reply {
        switch action {
        case .list(let offset, let limit):
            guard offset >= 0, limit >= 0 else {
                throw ControlError(.invalidParams, "cannot list the queue: A place is negative")
            }
            return Queue.Reply(
                queue: await list(offset: offset, limit: min(limit, Queue.limit)))
        case .search(let words): return await search(words)
        case .add(let files): return try await add(files, .end, "add to the queue")
        case .insert(let files, let after):
            let target = try after.map(item).map(QueueChange.Target.behind) ?? .next
            return try await add(files, target, "insert into the queue")
        case .replace(let files): return try await replace(files)
        case .move(let moved, let after):
            try await commit(.move(item(moved), after: after.map(item)), "move in the queue")
        case .remove(let numbers):
            var ids: [ItemID] = []
            for number in numbers { ids.append(try item(number)) }
            try await commit(.remove(ids), "remove from the queue")
        case .clear: try await commit(.removeAll, "clear the queue")
        case .undo: try await converting { () async throws(QueueError) in try await session.undo() }
        case .jump(let number):
            let id = try item(number)
            try await converting { () async throws(QueueError) in
                try await session.player.jump(to: id)
            }
            await session.flush()
        }
        return Queue.Reply(queue: await listAroundCurrent)
    }

    private func add(
        _ files: Files, _ target: QueueChange.Target, _ name: String
    ) async throws(ControlError) -> Queue.Reply {
        let found = try await find(files, nil)
        if !found.ids.isEmpty {
            let change = QueueChange.insert(found.ids, target, seed: .random(in: 0...UInt64.max))
            try await commit(change, name, bringing: found.ids)
        }
        return await reply(to: found)
    }

    private func replace(_ files: Files) async throws(ControlError) -> Queue.Reply {
        let found = try await find(files, nil)
        if !found.ids.isEmpty {
            await session.player.pause()
            let change = QueueChange.replaceAll(found.ids, seed: .random(in: 0...UInt64.max))
            try await commit(change, "replace the queue", bringing: found.ids)
        }
        return await reply(to: found)
    }

    private func reply(to found: Found) async -> Queue.Reply {
        Queue.Reply(
            queue: await listAroundCurrent, added: found.ids.prefix(Queue.limit).map(\.number),
            addedCount: found.ids.count, problems: found.errors.map(\.description))
    }

    private func search(_ words: [String]) async -> Queue.Reply {
        let found = await session.search(words, limit: Queue.limit)
        let page = await session.page(offset: 0, limit: 0)
        var reply = Queue.Reply(
            queue: QueueList(
                items: [], current: page.current?.number, count: page.count))
        reply.found = found.map { Queue.FoundEntry(place: $0.place, entry: entry($0.item, nil)) }
        return reply
    }

    /// Makes an edit; the items that it was to bring are forgotten where it is refused.
    private func commit(
        _ change: QueueChange, _ name: String, bringing staged: [ItemID] = []
    ) async throws(ControlError) {
        do throws(ControlError) {
            try await converting { () async throws(QueueError) in
                try await session.commit(change, as: name)
            }
        } catch {
            store.forget(staged)
            throw error
        }
    }

    /// Does what may fail with an error of the queue, and has it as one of the wire.
    private func converting(_ work: () async throws(QueueError) -> Void) async throws(ControlError)
    {
        do throws(QueueError) {
            try await work()
        } catch {
            let reason = error.reason.prefix(1).uppercased() + error.reason.dropFirst()
            throw ControlError(
                error.code == .noSuchItem ? .notFound : .notPossible,
                "cannot \(error.operation): \(reason)")
        }
    }

    private func item(_ number: Int) throws(ControlError) -> ItemID {
        guard let id = ItemID(exactly: number) else {
            throw ControlError(
                .notFound, "cannot find item \(number): The queue has no such item")
        }
        return id
    }

    // MARK: Lists

    /// The whole queue when it is short, else the part around the current item.
    private var listAroundCurrent: QueueList {
        get async {
            let page = await session.page(offset: 0, limit: 0)
            let isShort = page.count <= Queue.listedItems
            return await list(
                offset: isShort ? 0 : max(0, page.place - 10), limit: Queue.listedItems)
        }
    }

    private func list(offset: Int, limit: Int) async -> QueueList {
        let page = await session.page(offset: offset, limit: limit)
        let missing = await Self.missing(of: page.items)
        return QueueList(
            items: page.items.map { item in
                var entry = entry(item, page.descriptions[item.id])
                if missing.contains(item.id) { entry.missing = true }
                return remembered(entry)
            }, current: page.current?.number, offset: page.offset, count: page.count)
    }

    /// Those of `items` whose files are not there. The disk is looked at elsewhere.
    private static func missing(of items: [QueueItem]) async -> Set<ItemID> {
        await withCheckedContinuation { continuation in
            filesQueue.async {
                let missing = items.filter { item in
                    guard case .file(let path) = item.source else { return false }
                    return unsafe access(path, F_OK) != 0
                }
                continuation.resume(returning: Set(missing.map(\.id)))
            }
        }
    }

    func set(_ change: Settings.Change) async throws(ControlError) -> Settings {
        try change.check()
        await session.player.set { change.apply(to: &$0) }
        await session.flush()
        return Settings(await session.player.settings)
    }

    var status: Status {
        get async {
            let report = await session.report
            return report.status(isSuspended: isSuspended, sleep: sleepState(report))
        }
    }

    var why: Why {
        get async {
            let report = await session.report
            return Why(
                status: report.status(isSuspended: isSuspended, sleep: sleepState(report)),
                suppressions: report.decision.reasons.map {
                    Why.Suppression(
                        reason: $0.rawValue, since: report.suppressedSince[$0] ?? report.hostTime)
                }, now: report.hostTime, hostSince: report.applicationStateSince,
                clients: host.clients.map { client in
                    Why.Client(
                        name: clients[client.identifier]?.name ?? "unknown",
                        process: clients[client.identifier]?.connection.process ?? 0,
                        state: client.state.name, source: client.source)
                }, hostOverride: host.override?.name, loginSession: host.login.name,
                category: report.category.rawValue,
                audioCapability: report.decision.hasAudioCapability,
                capabilitySource: report.decision.capabilitySource,
                output: report.output.description,
                tasks: tasks.account.identifiers.compactMap { tasks.names[$0] },
                stateTrouble: store.trouble?.description,
                backgroundTimeRemaining: tasks.timeRemaining)
        }
    }
}

/// An item as clients see it.
private func entry(_ item: QueueItem, _ description: MediaDescription?) -> Control.QueueEntry {
    // A file's tag is the title of all of it.
    let tag = description?.tags["title"]
    let isPart = item.start != .zero || item.end != nil
    let title = isPart ? item.title ?? tag : tag ?? item.title
    var entry = Control.QueueEntry(
        id: item.id.number, title: title ?? item.source.title, path: item.source.path,
        duration: description.flatMap { $0.duration.isNumeric ? WireTime($0.duration) : nil })
    if item.start != .zero { entry.start = WireTime(item.start) }
    entry.end = item.end.map { WireTime($0) }
    return entry
}

extension SessionReport {
    func status(isSuspended: Bool, sleep: SleepState?) -> Status {
        Status(
            status: status.name, reason: status.reason, wantsPlayback: wantsPlayback,
            item: current.map { entry($0, descriptions[$0.id]) }, place: place, count: count,
            position: WireTime(position), settings: Settings(settings),
            host: applicationState.name, hostSource: applicationStateSource,
            suspended: isSuspended, sleep: sleep)
    }
}

extension OutputDestination {
    /// As `undersong why` names it.
    fileprivate var description: String {
        switch self {
        case .pulse(nil, nil): "pulse"
        case .pulse(let server, let device):
            "pulse" + (server.map { " on \($0)" } ?? "") + (device.map { ", sink \($0)" } ?? "")
        case .null: "null"
        case .wav(let path): "wav \(path)"
        }
    }
}

extension Settings {
    init(_ settings: PlayerSettings) {
        self.init(
            volume: (Double(settings.volume) * 1000).rounded() / 10, muted: settings.isMuted,
            rate: settings.rate, repeat: settings.modes.repeatMode.rawValue,
            shuffle: settings.modes.isShuffled, single: settings.modes.isSingle,
            consume: settings.modes.isConsuming, replayGain: settings.replayGain.rawValue,
            crossfade: settings.crossfade, resumeItems: settings.resumesItems,
            skipBack: settings.skipBack)
    }
}

extension Settings.Change {
    /// Errors: a value that does not exist or is out of range.
    fileprivate func check() throws(ControlError) {
        try check("volume", volume, 0...100)
        try check("rate", rate, 0.5...2)
        try check("crossfade", crossfade, 0...12)
        try check("skip-back", skipBack, 0...600)
        if let name = self.repeat, RepeatMode(rawValue: name) == nil {
            throw .unknown("repeat mode", name, RepeatMode.allCases.map(\.rawValue))
        }
        if let name = replayGain, ReplayGainMode(rawValue: name) == nil {
            throw .unknown("ReplayGain mode", name, ReplayGainMode.allCases.map(\.rawValue))
        }
        guard volumeBy?.isFinite ?? true, rateBy.map({ $0 > 0 && $0.isFinite }) ?? true else {
            throw ControlError(.invalidParams, "cannot change a setting: The number is none")
        }
    }

    private func check(
        _ name: String, _ value: Double?, _ range: ClosedRange<Double>
    ) throws(ControlError) {
        guard let value, !range.contains(value) else { return }
        throw ControlError(
            .invalidParams,
            "cannot set the \(name) to \(value): It is from \(range.lowerBound) to "
                + "\(range.upperBound)")
    }

    /// The settings of a new player with this change.
    var applied: PlayerSettings {
        var settings = PlayerSettings()
        apply(to: &settings)
        return settings
    }

    fileprivate func apply(to settings: inout PlayerSettings) {
        if let volume { settings.volume = Float(volume / 100) }
        if let volumeBy { settings.volume += Float(volumeBy / 100) }
        if let muted { settings.isMuted = muted }
        if toggleMuted == true { settings.isMuted.toggle() }
        if let rate { settings.rate = rate }
        if let rateBy { settings.rate *= rateBy }
        if let mode = self.repeat.flatMap(RepeatMode.init) { settings.modes.repeatMode = mode }
        if nextRepeat == true { settings.modes.repeatMode = settings.modes.repeatMode.next }
        if let shuffle { settings.modes.isShuffled = shuffle }
        if toggleShuffle == true { settings.modes.isShuffled.toggle() }
        if let single { settings.modes.isSingle = single }
        if let consume { settings.modes.isConsuming = consume }
        if let mode = replayGain.flatMap(ReplayGainMode.init) { settings.replayGain = mode }
        if let crossfade { settings.crossfade = crossfade }
        if let resumeItems { settings.resumesItems = resumeItems }
        if let skipBack { settings.skipBack = skipBack }
    }
}

extension RepeatMode {
    fileprivate var next: RepeatMode {
        switch self {
        case .off: .all
        case .all: .one
        case .one: .off
        }
    }
}
