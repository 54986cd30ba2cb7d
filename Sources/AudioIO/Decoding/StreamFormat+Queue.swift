package import Playback

extension StreamFormat {
    /// How many upcoming items to examine if the first one does not decide.
    package static let lookahead = 16
    /// How many upcoming items' names to examine.
    package static let nameLookahead = 64

    /// The format for a queue, given the first item's; `upcoming` are those after it. Blocks on the
    /// disk if it has to examine them.
    package static func forQueue(
        first: StreamFormat, upcoming: some Sequence<MediaSource>
    ) -> StreamFormat {
        let registry = DecoderRegistry.standard
        let sources = Array(upcoming.prefix(nameLookahead))
        func format(of source: MediaSource) -> StreamFormat? {
            // A stream can be read only once.
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
