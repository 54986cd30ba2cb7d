package import AudioIO
package import Playback

/// Looks into sources without playing them.
package enum MediaLoader {
    /// What the head and the tags of `source` tell. Blocks on the disk for some milliseconds.
    /// Errors: it cannot be opened, or holds no music.
    package static func description(
        of source: MediaSource
    ) throws(MediaError) -> MediaDescription {
        let decoder = try DecoderRegistry.standard.decoder(for: source)
        _ = try decoder.prime()
        return decoder.description
    }

    /// The exact length of `source`. Reads all of it, on this thread. Nil when it cannot be read, or
    /// only once.
    package static func length(of source: MediaSource) -> CMTime? {
        guard case .file = source,
            let decoder = try? DecoderRegistry.standard.decoder(for: source),
            let index = decoder.scan(isCancelled: { false })
        else { return nil }
        let rate = decoder.description.format.sampleRate
        return CMTime(value: Int64(index.frameCount), timescale: Int32(rate))
    }

    /// Everything that the tags of `source` say, pictures included. Blocks on the disk for some
    /// milliseconds. Errors: it cannot be opened, or is of a format that is not played.
    package static func tags(of source: MediaSource) throws(MediaError) -> MediaTags {
        try DecoderRegistry.standard.tags(of: source)
    }
}
