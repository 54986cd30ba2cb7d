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
