/// One of MPRIS's interfaces, by version 2.2 of the specification.
struct MPRISInterface: Sendable {
    /// An argument of a method or signal.
    struct Argument: Sendable {
        let name: String
        let signature: String
    }

    struct Method: Sendable {
        let name: String
        var takes: [Argument] = []
        var gives: [Argument] = []

        /// The types of the arguments, as a D-Bus signature.
        var signature: String { takes.map(\.signature).joined() }
    }

    struct Property: Sendable {
        /// The contents of a report that a property has changed.
        enum Report: String, Sendable {
            case value = "true"
            /// Only that it changed.
            case invalidation = "invalidates"
            case nothing = "false"
            /// It never changes.
            case constant = "const"
        }

        let name: String
        let signature: String
        var isWritable = false
        var report = Report.value
    }

    struct Signal: Sendable {
        let name: String
        let carries: [Argument]
    }

    let name: Name
    let methods: [Method]
    let properties: [Property]
    var signals: [Signal] = []

    /// The names of the interfaces.
    enum Name: String, Sendable, CaseIterable {
        case root = "org.mpris.MediaPlayer2"
        case player = "org.mpris.MediaPlayer2.Player"
        case trackList = "org.mpris.MediaPlayer2.TrackList"
        case playlists = "org.mpris.MediaPlayer2.Playlists"
    }

    static func named(_ name: Name) -> MPRISInterface {
        switch name {
        case .root: root
        case .player: player
        case .trackList: trackList
        case .playlists: playlists
        }
    }

    private static let root = MPRISInterface(
        name: .root, methods: [Method(name: "Raise"), Method(name: "Quit")],
        properties: [
            Property(name: "CanQuit", signature: "b"),
            Property(name: "CanRaise", signature: "b"),
            Property(name: "HasTrackList", signature: "b"),
            Property(name: "Identity", signature: "s"),
            Property(name: "SupportedUriSchemes", signature: "as"),
            Property(name: "SupportedMimeTypes", signature: "as"),
        ])

    private static let player = MPRISInterface(
        name: .player,
        methods: [
            Method(name: "Next"), Method(name: "Previous"), Method(name: "Pause"),
            Method(name: "PlayPause"), Method(name: "Stop"), Method(name: "Play"),
            Method(name: "Seek", takes: [Argument(name: "Offset", signature: "x")]),
            Method(
                name: "SetPosition",
                takes: [
                    Argument(name: "TrackId", signature: "o"),
                    Argument(name: "Position", signature: "x"),
                ]),
            Method(name: "OpenUri", takes: [Argument(name: "Uri", signature: "s")]),
        ],
        properties: [
            Property(name: "PlaybackStatus", signature: "s"),
            Property(name: "LoopStatus", signature: "s", isWritable: true),
            Property(name: "Rate", signature: "d", isWritable: true),
            Property(name: "Shuffle", signature: "b", isWritable: true),
            Property(name: "Metadata", signature: "a{sv}"),
            Property(name: "Volume", signature: "d", isWritable: true),
            Property(name: "Position", signature: "x", report: .nothing),
            Property(name: "MinimumRate", signature: "d"),
            Property(name: "MaximumRate", signature: "d"),
            Property(name: "CanGoNext", signature: "b"),
            Property(name: "CanGoPrevious", signature: "b"),
            Property(name: "CanPlay", signature: "b"),
            Property(name: "CanPause", signature: "b"),
            Property(name: "CanSeek", signature: "b"),
            Property(name: "CanControl", signature: "b", report: .nothing),
        ],
        signals: [
            Signal(name: "Seeked", carries: [Argument(name: "Position", signature: "x")])
        ])

    private static let trackList = MPRISInterface(
        name: .trackList,
        methods: [
            Method(
                name: "GetTracksMetadata", takes: [Argument(name: "TrackIds", signature: "ao")],
                gives: [Argument(name: "Metadata", signature: "aa{sv}")]),
            Method(
                name: "AddTrack",
                takes: [
                    Argument(name: "Uri", signature: "s"),
                    Argument(name: "AfterTrack", signature: "o"),
                    Argument(name: "SetAsCurrent", signature: "b"),
                ]),
            Method(name: "RemoveTrack", takes: [Argument(name: "TrackId", signature: "o")]),
            Method(name: "GoTo", takes: [Argument(name: "TrackId", signature: "o")]),
        ],
        properties: [
            Property(name: "Tracks", signature: "ao", report: .invalidation),
            Property(name: "CanEditTracks", signature: "b"),
        ],
        signals: [
            Signal(
                name: "TrackListReplaced",
                carries: [
                    Argument(name: "Tracks", signature: "ao"),
                    Argument(name: "CurrentTrack", signature: "o"),
                ]),
            Signal(
                name: "TrackAdded",
                carries: [
                    Argument(name: "Metadata", signature: "a{sv}"),
                    Argument(name: "AfterTrack", signature: "o"),
                ]),
            Signal(
                name: "TrackRemoved", carries: [Argument(name: "TrackId", signature: "o")]),
            Signal(
                name: "TrackMetadataChanged",
                carries: [
                    Argument(name: "TrackId", signature: "o"),
                    Argument(name: "Metadata", signature: "a{sv}"),
                ]),
        ])

    private static let playlists = MPRISInterface(
        name: .playlists,
        methods: [
            Method(
                name: "ActivatePlaylist", takes: [Argument(name: "PlaylistId", signature: "o")]),
            Method(
                name: "GetPlaylists",
                takes: [
                    Argument(name: "Index", signature: "u"),
                    Argument(name: "MaxCount", signature: "u"),
                    Argument(name: "Order", signature: "s"),
                    Argument(name: "ReverseOrder", signature: "b"),
                ], gives: [Argument(name: "Playlists", signature: "a(oss)")]),
        ],
        properties: [
            Property(name: "PlaylistCount", signature: "u"),
            Property(name: "Orderings", signature: "as"),
            Property(name: "ActivePlaylist", signature: "(b(oss))"),
        ],
        signals: [
            Signal(
                name: "PlaylistChanged",
                carries: [Argument(name: "Playlist", signature: "(oss)")])
        ])
}
