package import Playback

extension StreamFormat {
    /// How many items are looked at, from the current one on, to choose the format of a stream.
    package static let reach = 65
    /// How many of those that come are opened, where the first one does not settle it.
    private static let openLimit = 16

    /// The format that a queue is played in, given the first item's; `upcoming` are those after it.
    /// With `isFinal` no other stream can follow, and all that come are looked at for samples of more
    /// than 16 bits. Blocks on the disk where it has to look at them.
    package static func forQueue(
        first: StreamFormat, upcoming: some Sequence<MediaSource>, isFinal: Bool
    ) -> StreamFormat {
        let registry = DecoderRegistry.standard
        let sources = Array(upcoming.prefix(isFinal ? .max : reach - 1))
        func format(of source: MediaSource) -> StreamFormat? {
            // What comes as a stream is read only once.
            guard case .file = source else { return nil }
            return try? registry.decoder(for: source).format
        }
        return forQueue(first: first) {
            sources.prefix(openLimit).lazy.compactMap(format)
        } isWider: {
            sources.lazy.filter { registry.mayBeWide($0.path) }
                .prefix(isFinal ? .max : openLimit)
                .contains { format(of: $0)?.sampleFormat == .float32 }
        }
    }
}
