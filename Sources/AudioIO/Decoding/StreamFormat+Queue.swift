package import Playback

extension StreamFormat {
    /// How many coming items are looked at, where the first one does not settle it.
    package static let lookahead = 16
    /// How many coming items' names are looked at.
    package static let nameLookahead = 64

    /// The format that a queue is played in, given the first item's; `upcoming` are those behind it.
    /// Blocks on the disk where it has to look at them.
    package static func forQueue(
        first: StreamFormat, upcoming: some Sequence<MediaSource>
    ) -> StreamFormat {
        let registry = DecoderRegistry.standard
        let sources = Array(upcoming.prefix(nameLookahead))
        func format(of source: MediaSource) -> StreamFormat? {
            // What comes as a stream is read only once.
            guard case .file = source else { return nil }
            return try? registry.decoder(for: source).format
        }
        return forQueue(first: first) {
            sources.prefix(lookahead).lazy.compactMap(format)
        } isWider: {
            sources.lazy.filter { registry.mayBeWide($0.path) }.prefix(lookahead)
                .contains { format(of: $0)?.sampleFormat == .float32 }
        }
    }
}
