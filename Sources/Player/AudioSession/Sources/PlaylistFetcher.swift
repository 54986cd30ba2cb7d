import UndersongAudioIO
package import UndersongBase
import UndersongPlayback

/// Fetches playlists from the network.
package struct PlaylistFetcher: Sendable {
    /// The seconds that a server may take.
    private static let patience = 15.0
    /// The codes of errors that another attempt would not change.
    private static let finalCodes: Set<MediaErrorCode> = [
        .unsupportedFormat, .notSound, .unknownHost, .cannotConnect, .refusedByServer,
    ]

    private let streams: any NetworkStreams
    private let clock: any HostClock

    package init(_ streams: any NetworkStreams, clock: any HostClock) {
        self.streams = streams
        self.clock = clock
    }

    /// True if it is worth asking what is at a URL: its name is a playlist's or, if the user has
    /// named it, not that of a sound file.
    func mayBePlaylist(_ url: FilePath, isNamedByUser: Bool) -> Bool {
        Self.format(of: url) != nil || isNamedByUser && !FileName.isMedia(Self.path(of: url))
    }

    /// The playlist at `url`; nil if there is something else, or if what is there cannot be known
    /// now.
    /// - Throws: An error if it is a playlist that cannot be fetched or played.
    func playlist(at url: FilePath) throws(MediaError) -> PlaylistFile? {
        let format = Self.format(of: url)
        var refusal: StreamFailure?
        do throws(MediaError) {
            let document = try NetworkDocument(
                url, from: streams, within: Self.patience, clock: clock
            ) { type in
                guard format == nil, Self.format(ofType: type) == nil else { return true }
                refusal = StreamContent(mediaType: type).refusal
                return false
            }
            if let refusal { throw MediaError(playing: url.description, refusal) }
            guard let document else { return nil }
            return try Self.file(document, url, format)
        } catch {
            // The player waits for servers that may answer yet.
            guard format != nil || Self.finalCodes.contains(error.code) else { return nil }
            throw error
        }
    }

    private static func file(
        _ document: NetworkDocument, _ url: FilePath, _ named: PlaylistFormat?
    ) throws(MediaError) -> PlaylistFile? {
        let text = String(decoding: document.head, as: UTF8.self)
        guard !text.contains("#EXT-X-") else {
            throw MediaError(
                .unsupportedFormat, operation: "play \(url)",
                reason: "It is an HLS playlist, which is not supported")
        }
        let format =
            PlaylistFormat(head: document.head) ?? named ?? Self.format(ofType: document.type)
        guard let format, format != .cue else { return nil }
        return PlaylistFile(document.file(), of: url, format)
    }

    /// The format that a URL's name promises; nil for none. The files of a CUE sheet are not fetched.
    private static func format(of url: FilePath) -> PlaylistFormat? {
        let format = PlaylistFormat(fileExtension: path(of: url).fileExtension)
        return format == .cue ? nil : format
    }

    private static func path(of url: FilePath) -> FilePath {
        FilePath(NetworkName.path(url.description))
    }

    /// The format that a media type names; nil for none.
    private static func format(ofType type: String?) -> PlaylistFormat? {
        // The type of HLS is also used for simple lists.
        if type == "application/vnd.apple.mpegurl" { return .m3u }
        guard case .playlist(let name) = StreamContent(mediaType: type) else { return nil }
        return PlaylistFormat(fileExtension: name)
    }
}

extension PlaylistFile {
    /// The URL of a playlist on the network.
    var url: NetworkBase? { NetworkBase(path) }
}

/// The URL to which the names in a playlist refer. They never lead to files of this machine.
struct NetworkBase {
    private let origin: String

    init?(_ url: FilePath) {
        guard let text = url.string, let host = NetworkName.host(text),
            case let scheme = text.prefix(while: { $0 != ":" })
        else { return nil }
        origin = "\(scheme)://\(host)"
    }

    /// The source that a playlist there names.
    func source(of source: MediaSource) -> MediaSource {
        let path = source.path
        let name = path.isAbsolute ? FilePath(bytes: Array(origin.utf8) + path.bytes) : path
        return .network(url: NetworkName.escaped(name))
    }
}
