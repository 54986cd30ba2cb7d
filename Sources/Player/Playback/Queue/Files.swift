public import UndersongBase

/// Files for the queue. Paths are absolute; folders and playlists stand for their contents.
/// `-` is the MP3 stream whose descriptor comes with the message, and may occur once.
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

    /// Creates files from strings.
    public init(_ paths: [String]) { self.init(paths.map { FilePath($0) }) }

    /// Creates files from paths.
    public init(_ paths: [FilePath], start: WireTime? = nil, end: WireTime? = nil) {
        self.paths = paths
        self.start = start
        self.end = end
    }
}

extension Files: Codable {
    private enum CodingKeys: String, CodingKey { case paths, pathBytes, start, end }

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
    }

    /// Encodes files.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(paths.map(\.description), forKey: .paths)
        let bytes = paths.map(\.exactBytes)
        if bytes.contains(where: { $0 != nil }) { try members.encode(bytes, forKey: .pathBytes) }
        try members.encodeIfPresent(start, forKey: .start)
        try members.encodeIfPresent(end, forKey: .end)
    }
}
