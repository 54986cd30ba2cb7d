/// A media player at one moment: all that its MPRIS properties show.
package struct MediaPlayerState: Hashable, Sendable {
    /// The playback states.
    package enum PlaybackStatus: String, Hashable, Sendable {
        case playing = "Playing"
        case paused = "Paused"
        case stopped = "Stopped"
    }

    /// The repeat modes.
    package enum LoopStatus: String, Hashable, Sendable, CaseIterable {
        case none = "None"
        case track = "Track"
        case playlist = "Playlist"
    }

    /// The player's name for display.
    package var identity = ""
    /// True if `Quit` ends it.
    package var canQuit = false
    /// The kinds of URLs that it opens: `file`, `http`.
    package var schemes: [String] = []
    /// The types of files that it opens: `audio/mpeg`.
    package var mediaTypes: [String] = []

    package var status = PlaybackStatus.stopped
    /// Nil if the player cannot repeat, and so lacks the property.
    package var loopStatus: LoopStatus?
    /// Nil if the player cannot shuffle, and so lacks the property.
    package var isShuffled: Bool?
    /// The rate while it plays: seconds of the track per second.
    package var rate = 1.0
    /// The supported rates, which include 1.
    package var rates = 1.0...1.0
    /// The volume from 0, silence, to 1, the loudest.
    package var volume = 1.0
    /// The current track; nil if there is none.
    package var track: TrackMetadata?
    package var position = PlaybackPosition()
    /// Increases with every jump within a track.
    package var jumpCount = 0

    package var canGoNext = false
    package var canGoPrevious = false
    package var canPlay = false
    package var canPause = false
    package var canSeek = false

    /// The tracks around the current one, in order; nil if there is no track list.
    package var tracks: [TrackMetadata]?
    /// The saved playlists, by name; nil if the player has none, and so lacks the interface.
    package var playlists: [PlaylistDescription]?
    /// The playlist that is playing, if any.
    package var activePlaylist: PlaylistDescription?

    package init() {}

    /// The position in the track at `hostTime`, in microseconds.
    package func position(at hostTime: Int64) -> Int64 {
        let microseconds = max(0, position.microseconds(at: hostTime))
        return track?.length.map { min(microseconds, max($0, position.microseconds)) }
            ?? microseconds
    }
}

/// A position in a track at one moment, and the rate at which it advances.
package struct PlaybackPosition: Hashable, Sendable {
    /// The position in microseconds.
    package var microseconds: Int64
    /// The time at which the track was there, in nanoseconds of CLOCK_MONOTONIC.
    package var hostTime: Int64
    /// Seconds of the track per second from then on; 0 while silent.
    package var rate: Double

    package init(microseconds: Int64 = 0, hostTime: Int64 = 0, rate: Double = 0) {
        self.microseconds = microseconds
        self.hostTime = hostTime
        self.rate = rate
    }

    /// The position at `hostTime` if playback simply continues.
    package func microseconds(at hostTime: Int64) -> Int64 {
        guard rate != 0 else { return microseconds }
        let way = Double(max(0, hostTime - self.hostTime)) / 1000 * rate
        return Int64(exactly: (Double(microseconds) + way).rounded()) ?? microseconds
    }

    /// Returns true if the position is to be asked for again at `hostTime`: the sound's clock
    /// drifts against the host's, and a start is reported before its first frame is heard.
    package func isStale(at hostTime: Int64) -> Bool {
        rate != 0 && hostTime - self.hostTime > 50_000_000
    }
}

/// A saved playlist.
package struct PlaylistDescription: Hashable, Sendable {
    /// The unique object path.
    package var id: String
    package var name: String
    /// The time at which it was last changed, in nanoseconds since 1970.
    package var modified: Int64

    package init(id: String, name: String, modified: Int64) {
        self.id = id
        self.name = name
        self.modified = modified
    }
}

/// The player's properties by MPRIS's names.
extension MediaPlayerState {
    /// The interfaces that the player supports.
    var interfaces: [MPRISInterface.Name] {
        MPRISInterface.Name.allCases.filter { name in
            switch name {
            case .root, .player: true
            case .trackList: tracks != nil
            case .playlists: playlists != nil
            }
        }
    }

    /// All properties of an interface except `Position`, which depends on the time.
    func properties(of interface: MPRISInterface.Name) -> [String: BusValue] {
        switch interface {
        case .root: rootProperties
        case .player: playerProperties
        case .trackList:
            ["Tracks": .objectPaths((tracks ?? []).map(\.id)), "CanEditTracks": .boolean(true)]
        case .playlists: playlistsProperties
        }
    }

    private var rootProperties: [String: BusValue] {
        [
            "CanQuit": .boolean(canQuit), "CanRaise": .boolean(false),
            "HasTrackList": .boolean(tracks != nil), "Identity": .string(identity),
            "SupportedUriSchemes": .strings(schemes), "SupportedMimeTypes": .strings(mediaTypes),
        ]
    }

    private var playerProperties: [String: BusValue] {
        var properties: [String: BusValue] = [
            "PlaybackStatus": .string(status.rawValue), "Rate": .double(rate),
            "Metadata": track?.value ?? .dictionary([:]), "Volume": .double(volume),
            "MinimumRate": .double(rates.lowerBound), "MaximumRate": .double(rates.upperBound),
            "CanGoNext": .boolean(canGoNext), "CanGoPrevious": .boolean(canGoPrevious),
            "CanPlay": .boolean(canPlay), "CanPause": .boolean(canPause),
            "CanSeek": .boolean(canSeek), "CanControl": .boolean(true),
        ]
        properties["LoopStatus"] = loopStatus.map { .string($0.rawValue) }
        properties["Shuffle"] = isShuffled.map { .boolean($0) }
        return properties
    }

    private var playlistsProperties: [String: BusValue] {
        let active: BusValue =
            if let activePlaylist {
                .structure([.boolean(true), activePlaylist.value])
            } else {
                .structure([
                    .boolean(false), .structure([.objectPath("/"), .string(""), .string("")]),
                ])
            }
        return [
            "PlaylistCount": .uint32(UInt32(clamping: playlists?.count ?? 0)),
            "Orderings": .strings(PlaylistOrdering.allCases.map(\.rawValue)),
            "ActivePlaylist": active,
        ]
    }
}

/// The order in which playlists are listed.
enum PlaylistOrdering: String, CaseIterable {
    case name = "Alphabetical"
    case modification = "Modified"

    func sorted(_ playlists: [PlaylistDescription]) -> [PlaylistDescription] {
        switch self {
        case .name: playlists.sorted { $0.name < $1.name }
        case .modification: playlists.sorted { ($0.modified, $0.name) < ($1.modified, $1.name) }
        }
    }
}

extension PlaylistDescription {
    /// The MPRIS value; no playlist has a picture.
    var value: BusValue { .structure([.objectPath(id), .string(name), .string("")]) }
}

/// The signals of a change.
extension MediaPlayerState {
    /// The player's object path.
    package static let path = "/org/mpris/MediaPlayer2"

    /// The most microseconds by which a position may differ from the expected one without a signal.
    private static let tolerance: Int64 = 100_000
    /// The number of changes of the track list above which one signal replaces the whole list.
    private static let trackChangeLimit = 8

    /// The signals that lead from this state to `new`, in order; they contain only what changed.
    package func signals(to new: MediaPlayerState) -> [BusSignal] {
        new.interfaces.flatMap { signals(to: new, of: $0) } + trackListSignals(to: new)
            + seekSignals(to: new)
    }

    private func signals(
        to new: MediaPlayerState, of interface: MPRISInterface.Name
    ) -> [BusSignal] {
        let (before, after) = (properties(of: interface), new.properties(of: interface))
        var changed: [String: BusValue] = [:]
        var invalidated: [String] = []
        for property in MPRISInterface.named(interface).properties
        where before[property.name] != after[property.name] {
            switch property.report {
            case .value: changed[property.name] = after[property.name]
            case .invalidation: invalidated.append(property.name)
            case .nothing, .constant: break
            }
        }
        guard !changed.isEmpty || !invalidated.isEmpty else { return [] }
        return [
            BusSignal(
                path: Self.path, interface: "org.freedesktop.DBus.Properties",
                member: "PropertiesChanged",
                [.string(interface.rawValue), .dictionary(changed), .strings(invalidated)])
        ]
    }

    // MARK: Jumps

    private func seekSignals(to new: MediaPlayerState) -> [BusSignal] {
        guard isUnexpected(new) else { return [] }
        let position = new.position(at: new.position.hostTime)
        return [Self.signal(.player, "Seeked", [.int64(position)])]
    }

    /// Returns true if the position in `new` differs from what this state predicts.
    private func isUnexpected(_ new: MediaPlayerState) -> Bool {
        guard let track = new.track else { return false }
        let isSame = track.id == self.track?.id
        if isSame, new.jumpCount != jumpCount { return true }
        let isStart = !isSame || status == .stopped && new.status != .stopped
        let expected = isStart ? 0 : position(at: new.position.hostTime)
        return abs(new.position.microseconds - expected) > Self.tolerance
    }

    // MARK: The track list

    private func trackListSignals(to new: MediaPlayerState) -> [BusSignal] {
        guard let before = tracks, let after = new.tracks, before != after else { return [] }
        let difference = after.map(\.id).difference(from: before.map(\.id))
        guard difference.count <= Self.trackChangeLimit, !Self.hasMoves(difference) else {
            return [
                Self.signal(
                    .trackList, "TrackListReplaced",
                    [
                        .objectPaths(after.map(\.id)),
                        .objectPath(new.track?.id ?? TrackMetadata.noTrack),
                    ])
            ]
        }
        let known = Dictionary(before.map { ($0.id, $0) }) { first, _ in first }
        let removals = difference.removals.map { Self.removal($0) }
        let insertions = difference.insertions.map { Self.insertion($0, after) }
        let changes = after.filter { track in known[track.id].map { $0 != track } ?? false }
        return removals + insertions
            + changes.map { track in
                Self.signal(
                    .trackList, "TrackMetadataChanged", [.objectPath(track.id), track.value])
            }
    }

    private static func hasMoves(_ difference: CollectionDifference<String>) -> Bool {
        difference.inferringMoves().contains { change in
            switch change {
            case .insert(_, _, let partner), .remove(_, _, let partner): partner != nil
            }
        }
    }

    private static func removal(_ change: CollectionDifference<String>.Change) -> BusSignal {
        switch change {
        case .remove(_, let id, _), .insert(_, let id, _):
            signal(.trackList, "TrackRemoved", [.objectPath(id)])
        }
    }

    private static func insertion(
        _ change: CollectionDifference<String>.Change, _ tracks: [TrackMetadata]
    ) -> BusSignal {
        switch change {
        case .insert(let index, _, _), .remove(let index, _, _):
            let previous = index > 0 ? tracks[index - 1].id : TrackMetadata.noTrack
            return signal(
                .trackList, "TrackAdded", [tracks[index].value, .objectPath(previous)])
        }
    }

    private static func signal(
        _ interface: MPRISInterface.Name, _ member: String, _ arguments: [BusValue]
    ) -> BusSignal {
        BusSignal(path: path, interface: interface.rawValue, member: member, arguments)
    }
}
