import Synchronization
import UndersongBackground
import UndersongLibrary
import UndersongPlayback

/// The time during which something was heard.
struct MPDPlaytime {
    private var total: Int64 = 0
    /// The time from which it is heard without a break; nil while nothing is.
    private var start: Int64?

    /// Notes whether something is heard from `now` on, in nanoseconds.
    mutating func follow(isPlaying: Bool, at now: Int64) {
        if isPlaying {
            start = start ?? now
        } else {
            total += start.map { max(0, now - $0) } ?? 0
            start = nil
        }
    }

    /// The seconds until `now`.
    func seconds(at now: Int64) -> Double {
        Double(total + (start.map { max(0, now - $0) } ?? 0)) / 1e9
    }
}

/// Collects the changes for clients, from the session's events on any thread.
final class MPDChanges: Sendable {
    /// The changes of a moment.
    struct Changes: Equatable {
        /// The subsystems that have changed.
        var subsystems: MPDSubsystems = []
        /// The items of which more is known now.
        var items: Set<ItemID> = []
        /// True if more is known of items, but not of which.
        var hasUnknownItems = false
        /// The last item that has begun to be heard; nil if none has.
        var begun: ItemID?
        /// True if something played, or was asked to, at a change of the player.
        var hasPlayed = false
        /// True if a run has ended since.
        var hasEnded = false
        /// True if a scan of the library has begun, false if one has ended; nil for neither.
        var isScanning: Bool?
        /// The last error of the player; nil if there was none.
        var error: String?
    }

    private struct State {
        var changes = Changes()
        var isPosted = false
        var settings: SettingsEvent?
        var isScanning = false
        var playtime = MPDPlaytime()
    }

    private let state = Mutex(State())

    /// Notes an event. Returns true if somebody has to be asked to take the changes.
    func receive(_ event: PlayerEvent) -> Bool {
        if case .time = event.kind { return false }
        return state.withLock { state in
            state.playtime.follow(isPlaying: event.head.status == .playing, at: event.head.hostTime)
            guard Self.note(event, &state) else { return false }
            defer { state.isPosted = true }
            return !state.isPosted
        }
    }

    /// The seconds that something was heard, until `now` in nanoseconds of CLOCK_MONOTONIC.
    func playtime(at now: Int64) -> Double { state.withLock { $0.playtime.seconds(at: now) } }

    /// Removes and returns the changes.
    func removeAll() -> Changes {
        state.withLock { state in
            defer { (state.changes, state.isPosted) = (Changes(), false) }
            return state.changes
        }
    }

    /// Notes an event. Returns whether it concerns clients.
    private static func note(_ event: PlayerEvent, _ state: inout State) -> Bool {
        let subsystems = subsystems(of: event.kind, &state)
        state.changes.subsystems.formUnion(subsystems)
        if subsystems.contains(.player), !isAtRest(event) { state.changes.hasPlayed = true }
        switch event.kind {
        case .tags: state.changes.hasUnknownItems = true
        // Another item becomes the current one while nothing plays, too.
        case .item(.began(let item, _)) where event.head.status != .paused:
            (state.changes.begun, state.changes.hasEnded) = (item.id, false)
        case .runEnded: (state.changes.begun, state.changes.hasEnded) = (nil, true)
        case .metadata: if let item = event.head.item { state.changes.items.insert(item) }
        case .error(let failure) where failure.item != nil: state.changes.error = failure.message
        default: break
        }
        return !subsystems.isEmpty
    }

    /// True for a change of a player that is paused, which clients may not see.
    private static func isAtRest(_ event: PlayerEvent) -> Bool {
        switch event.kind {
        case .item, .state, .policy, .metadata, .runEnded: event.head.status == .paused
        default: false
        }
    }

    private static func subsystems(
        of kind: PlayerEvent.Kind, _ state: inout State
    ) -> MPDSubsystems {
        switch kind {
        case .queue, .tags: .playlist
        case .metadata: [.playlist, .player]
        case .item, .jump, .state, .policy, .mediaServicesWereLost, .mediaServicesWereReset,
            .runEnded:
            .player
        case .error(let failure): failure.item == nil ? [] : .player
        case .routeChanged: .output
        case .settings(let settings): changes(to: settings, &state)
        case .library(let event): subsystems(of: event.change, &state)
        case .session, .time, .boundary, .clock, .application, .interruption, .otherAudio, .network,
            .episode, .refresh, .processing, .sleep, .badge, .push, .location, .region, .visit,
            .app, .end, .other:
            []
        }
    }

    private static func subsystems(
        of change: LibraryEvent.Change, _ state: inout State
    ) -> MPDSubsystems {
        switch change {
        case .scanning:
            guard !state.isScanning else { return [] }
            state.isScanning = true
            state.changes.isScanning = true
            return .update
        case .scanned:
            state.isScanning = false
            state.changes.isScanning = false
            return [.update, .database]
        case .folders, .forgotten: return .database
        case .rated, .counted: return .sticker
        case .queries: return []
        }
    }

    private static func changes(
        to settings: SettingsEvent, _ state: inout State
    ) -> MPDSubsystems {
        let old = state.settings?.values ?? [:]
        state.settings = settings
        var subsystems: MPDSubsystems = []
        for name in Set(old.keys).union(settings.values.keys)
        where old[name] != settings.values[name] {
            switch name {
            case SettingTable.standard.volume.name, SettingTable.standard.muted.name:
                subsystems.formUnion(.mixer)
            case SettingTable.standard.outputDevice.name: subsystems.formUnion(.output)
            default: subsystems.formUnion(.options)
            }
        }
        return subsystems
    }
}
