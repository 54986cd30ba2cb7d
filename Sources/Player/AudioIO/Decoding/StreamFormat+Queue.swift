package import UndersongPlayback

extension StreamFormat {
    /// How many items to examine, from the current one on, to choose a stream's format.
    package static let reach = 65
    /// How many upcoming items to open if the first one does not decide.
    private static let openLimit = 16

    /// The format for a queue, given the first item's; `upcoming` are those after it. With `isFinal`
    /// no other stream can follow, and all of them are examined for samples of more than 16 bits.
    /// Blocks on the disk if it has to examine them.
    package static func forQueue(
        first: StreamFormat, upcoming: some Sequence<MediaSource>, isFinal: Bool
    ) -> StreamFormat {
        let registry = DecoderRegistry.standard
        let sources = Array(upcoming.prefix(isFinal ? .max : reach - 1))
        func format(of source: MediaSource) -> StreamFormat? {
            // A stream can be read only once.
            guard case .file = source else { return nil }
            return try? registry.decoder(for: source).format
        }
        return forQueue(first: first) {
            sources.prefix(openLimit).compactMap(format)
        } isWider: {
            sources.lazy.filter { registry.mayBeWide($0.path) }
                .prefix(isFinal ? .max : openLimit)
                .contains { format(of: $0)?.sampleFormat == .float32 }
        }
    }
}
