public import UndersongBase

/// Files for the queue. Paths are absolute; folders and playlists stand for their contents.
/// `-` is the MP3 stream whose descriptor comes with the message, and may occur once. After the
/// paths come the tracks that a query finds in the library, and then those that are named.
///
/// On the wire `paths` are strings. If some are not UTF-8, `pathBytes` has the bytes of each of
/// those at the same index, and null for the others.
public struct Files: Hashable, Sendable {
    /// The paths.
    public var paths: [FilePath]
    /// The start of each item; nil for its beginning.
    public var start: WireTime?
    /// The end of each item; nil for its own.
    public var end: WireTime?
    /// A query of the library, in its written form; nil for none. A query that finds no file is an
    /// error. Tracks that are parts of files are played from their own start to their own end.
    public var query: String?
    /// Tracks of the library, by their ids; nil for none.
    public var tracks: [Int]?

    /// Creates files from strings.
    public init(_ paths: [String]) { self.init(paths.map { FilePath($0) }) }

    /// Creates files from paths.
    public init(_ paths: [FilePath], start: WireTime? = nil, end: WireTime? = nil) {
        self.paths = paths
        self.start = start
        self.end = end
    }

    /// Creates the files that a query finds in the library.
    public init(query: String) {
        self.init([FilePath]())
        self.query = query
    }

    /// Creates the files of tracks of the library.
    public init(tracks: [Int]) {
        self.init([FilePath]())
        self.tracks = tracks
    }
}

extension Files: Codable {
    private enum CodingKeys: String, CodingKey {
        case paths, pathBytes, start, end, query, tracks
    }

    /// Decodes files. Throws if a field is missing or has the wrong type.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let texts = try members.decode([String].self, forKey: .paths)
        let bytes = try members.decodeIfPresent([Base64?].self, forKey: .pathBytes) ?? []
        paths = texts.enumerated().map { index, text in
            FilePath(text: text, bytes: index < bytes.count ? bytes[index] : nil)
        }
        start = try members.decodeIfPresent(WireTime.self, forKey: .start)
        end = try members.decodeIfPresent(WireTime.self, forKey: .end)
        query = try members.decodeIfPresent(String.self, forKey: .query)
        tracks = try members.decodeIfPresent([Int].self, forKey: .tracks)
    }

    /// Encodes files.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(paths.map(\.description), forKey: .paths)
        let bytes = paths.map(\.exactBytes)
        if bytes.contains(where: { $0 != nil }) { try members.encode(bytes, forKey: .pathBytes) }
        try members.encodeIfPresent(start, forKey: .start)
        try members.encodeIfPresent(end, forKey: .end)
        try members.encodeIfPresent(query, forKey: .query)
        try members.encodeIfPresent(tracks, forKey: .tracks)
    }
}
