/// What is reported when the player changes.
extension MediaPlayerState {
    /// The player's object path.
    package static let path = "/org/mpris/MediaPlayer2"

    /// The most microseconds by which a position may differ from the expected one without a signal.
    private static let tolerance: Int64 = 100_000
    /// If the track list changed in more places, one signal replaces the whole list.
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

    /// Whether the position in `new` differs from what this state predicts.
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
