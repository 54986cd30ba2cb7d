package import UndersongBase
package import UndersongPlayback

extension MediaInspection {
    /// Decodes all of `source` as the player does, and examines the file's structure. Memory use
    /// does not depend on the file's length. Blocks until that is done. `examine` gets all samples
    /// in order.
    /// - Throws: An error if opening failed; later errors are part of the result.
    package init(
        _ source: MediaSource, clock: any HostClock,
        examine: (SampleBuffer, StreamFormat) -> Void = { _, _ in }
    ) throws(MediaError) {
        let file = try MediaFile(source)
        let codec = try DecoderRegistry.standard.codec(for: file)
        let decoder = try codec.decoder(for: file)
        var decoding = Decoding(decoder, clock)
        decoding.run(examine)
        // A stream has been read by now, and cannot be read again.
        let found = file.size == nil ? nil : try codec.structure(of: MediaFile(source))
        var structure = found ?? FileStructure()
        structure.damage += decoding.damage
        self.init(
            description: decoder.description, structure: structure,
            frameCount: decoding.frameCount, duration: decoding.duration,
            decodeNanoseconds: decoding.nanoseconds)
    }
}

/// Runs a decoder to its end and counts its output.
private struct Decoding {
    private let decoder: any AudioDecoder
    private let clock: any HostClock
    /// The number of frames at each sample rate.
    private var counts: [Int: Int] = [:]
    private var format: StreamFormat
    private var change: (count: Int, from: StreamFormat, to: StreamFormat, frame: Int)?
    private var failure: MediaError?
    private(set) var nanoseconds: Int64 = 0

    init(_ decoder: any AudioDecoder, _ clock: any HostClock) {
        self.decoder = decoder
        self.clock = clock
        format = decoder.format
    }

    mutating func run(_ examine: (SampleBuffer, StreamFormat) -> Void) {
        let start = clock.now
        var samples = SampleBuffer()
        do {
            repeat {
                try decoder.read(into: &samples)
                count(samples.count)
                examine(samples, decoder.format)
            } while !samples.isEmpty
        } catch {
            failure = error
        }
        nanoseconds = clock.now - start
    }

    var frameCount: Int { counts.values.reduce(0, +) }

    var duration: CMTime {
        let parts = counts.sorted { $0.key < $1.key }.map { rate, count in
            CMTime(value: Int64(count), timescale: Int32(rate))
        }
        guard let first = parts.first else {
            return CMTime(value: 0, timescale: Int32(format.sampleRate))
        }
        return parts.dropFirst().reduce(first, +)
    }

    var damage: [MediaDamage] {
        var damage: [MediaDamage] = []
        if let change {
            damage.append(
                .formatChanges(
                    count: change.count, from: change.from, to: change.to, atFrame: change.frame))
        }
        if let (count, reason) = decoder.undecodable {
            damage.append(.undecodable(count: count, reason: reason))
        }
        if let failure { damage.append(.abandoned(reason: failure.reason)) }
        return damage
    }

    private mutating func count(_ samples: Int) {
        guard samples > 0 else { return }
        let next = decoder.format
        if next != format {
            let first = change ?? (0, format, next, frameCount)
            change = (first.count + 1, first.from, first.to, first.frame)
            format = next
        }
        counts[next.sampleRate, default: 0] += samples / next.channelCount
    }
}
