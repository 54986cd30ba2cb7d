package import UndersongAudioIO
package import UndersongPlayback

/// Inspects sources without playing them.
package enum MediaLoader {
    /// Describes `source` by its header and tags. Blocks on the disk for some milliseconds, and on
    /// the network until the server has answered. Throws if the source cannot be opened, or contains
    /// no audio.
    package static func description(
        of source: MediaSource, _ network: (any NetworkStreams)? = nil
    ) throws(MediaError) -> MediaDescription {
        let decoder = try DecoderRegistry.standard.decoder(
            for: source, network.map { NetworkAccess($0) })
        _ = try decoder.prime()
        return decoder.description
    }

    /// Throws if there is nothing to play in `entry`. Blocks as `description` does.
    static func check(_ entry: QueueEntry) throws(MediaError) {
        let decoder = try DecoderRegistry.standard.decoder(for: entry.source)
        if entry.start > .zero { try decoder.seek(to: decoder.frame(at: entry.start)) }
        guard try decoder.prime(), entry.end.map(decoder.frameCount(to:)) != 0 else {
            throw MediaError(
                nothingIn: entry.source, from: entry.start, of: decoder.description.duration)
        }
    }

    /// The exact length of `source`. Reads all of it on the calling thread. Nil if it cannot be
    /// read, or can be read only once.
    package static func length(of source: MediaSource) -> CMTime? {
        guard case .file = source,
            let decoder = try? DecoderRegistry.standard.decoder(for: source),
            let index = decoder.scan(isCancelled: { false })
        else { return nil }
        let rate = decoder.description.format.sampleRate
        return CMTime(value: Int64(index.frameCount), timescale: Int32(rate))
    }

    /// All tags of `source`, including pictures. Blocks as `description` does. Throws if the source
    /// cannot be opened, or its format is not supported.
    package static func tags(
        of source: MediaSource, _ network: (any NetworkStreams)? = nil
    ) throws(MediaError) -> MediaTags {
        try DecoderRegistry.standard.tags(of: source, network.map { NetworkAccess($0) })
    }
}
