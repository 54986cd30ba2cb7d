package import Playback

extension StreamFormat {
    /// How many coming items are looked at when the first one is of low quality.
    package static let lookahead = 16

    /// The format that a queue is played in, given the first item's; `upcoming` are those behind it.
    /// Blocks on the disk where it has to look at them.
    package static func forQueue(
        first: StreamFormat, upcoming: some Sequence<MediaSource>
    ) -> StreamFormat {
        forQueue(first: first) {
            upcoming.lazy.prefix(lookahead).compactMap { source in
                // What comes as a stream is read only once.
                guard case .file = source else { return nil }
                return try? DecoderRegistry.standard.decoder(for: source).format
            }
        }
    }
}
