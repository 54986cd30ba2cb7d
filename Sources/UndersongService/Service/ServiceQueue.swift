import AudioSession
import Control
import Playback

/// The queue and the settings, as clients see and change them.
extension ServiceCore {
    func edit(_ action: Queue.Action) async throws(ControlError) -> Queue.Reply {
        var found = Found(entries: [], errors: [])
        var added: [ItemID] = []
        var page = (offset: 0, limit: 1000)
        do throws(any Error) {
            switch action {
            case .list(let offset, let limit):
                guard offset >= 0, limit >= 0 else {
                    throw ControlError(
                        .invalidParams, "cannot list the queue: A place is negative")
                }
                page = (offset, limit)
            case .replace(let files):
                found = try await find(files, nil)
                await session.player.removeAllItems()
                added = await session.player.append(found.entries)
            case .add(let files):
                found = try await find(files, nil)
                added = await session.player.append(found.entries)
            case .insert(let files, let after):
                found = try await find(files, nil)
                guard let after else {
                    added = await session.player.insertNext(found.entries)
                    break
                }
                added = try await session.player.insert(found.entries, after: item(after))
            case .move(let moved, let after):
                let other = try await optional(after)
                try await session.player.move(item(moved), after: other)
            case .remove(let numbers):
                var ids: [ItemID] = []
                for number in numbers { ids.append(try await item(number)) }
                for id in ids { await session.player.remove(id) }
            case .clear: await session.player.removeAllItems()
            case .jump(let number): try await session.player.jump(to: item(number))
            }
        } catch let error as ControlError {
            throw error
        } catch {
            throw ControlError(.notFound, "\(error)")
        }
        let report = await session.report
        return Queue.Reply(
            queue: QueueList(
                items: report.items.dropFirst(page.offset).prefix(page.limit).map(report.entry),
                current: report.current?.id.number, offset: page.offset, count: report.items.count),
            added: added.map(\.number), problems: found.errors.map(\.description))
    }

    private func item(_ number: Int) async throws(ControlError) -> ItemID {
        guard let item = await session.report.items.first(where: { $0.id.number == number }) else {
            throw ControlError(
                .notFound, "cannot find item \(number): The queue has no such item")
        }
        return item.id
    }

    private func optional(_ number: Int?) async throws(ControlError) -> ItemID? {
        guard let number else { return nil }
        return try await item(number)
    }

    func set(_ change: Settings.Change) async throws(ControlError) -> Settings {
        try change.check()
        await session.player.set { change.apply(to: &$0) }
        return Settings(await session.player.settings)
    }

    var status: Status {
        get async { await session.report.status(isSuspended: isSuspended) }
    }

    var why: Why {
        get async {
            let report = await session.report
            return Why(
                status: report.status(isSuspended: isSuspended),
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
                backgroundTimeRemaining: tasks.timeRemaining)
        }
    }
}

extension SessionReport {
    func entry(_ item: QueueItem) -> Control.QueueEntry {
        let description = descriptions[item.id]
        // A file's tag is the title of all of it.
        let tag = description?.tags["title"]
        let isPart = item.start != .zero || item.end != nil
        let title = isPart ? item.title ?? tag : tag ?? item.title
        return Control.QueueEntry(
            id: item.id.number, title: title ?? item.source.title, path: item.source.path,
            duration: description.flatMap { $0.duration.isNumeric ? WireTime($0.duration) : nil },
            start: item.start == .zero ? nil : WireTime(item.start),
            end: item.end.map { WireTime($0) })
    }

    func status(isSuspended: Bool) -> Status {
        Status(
            status: status.name, reason: status.reason, wantsPlayback: wantsPlayback,
            item: current.map(entry), place: place, count: items.count,
            position: WireTime(position), settings: Settings(settings),
            host: applicationState.name, hostSource: applicationStateSource,
            suspended: isSuspended)
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
            crossfade: settings.crossfade)
    }
}

extension Settings.Change {
    /// Errors: a value that does not exist or is out of range.
    fileprivate func check() throws(ControlError) {
        try check("volume", volume, 0...100)
        try check("rate", rate, 0.5...2)
        try check("crossfade", crossfade, 0...12)
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
