import Glibc
import UndersongPlayback

/// Decodes one file with libsndfile. Owned by the decode thread; every call may block on the disk.
///
/// The streams of an Ogg chain are played one after the other, each in its own format; positions count
/// frames at the rate of the first.
final class SoundFileDecoder: AudioDecoder {
    private(set) var format: StreamFormat
    let description: MediaDescription
    private(set) var position = 0
    private(set) var undecodable: (count: Int, reason: String)?

    private static let blockFrames = 4096
    /// The number of times that the distance to skip after damage is doubled.
    private static let damageSteps = 8
    /// The number of damaged places in a row after which decoding stops.
    private static let failureLimit = 16

    /// One stream of the file.
    private struct Link {
        var range: Range<Int>
        var format: StreamFormat
        /// Its start, in frames of the file's rate.
        var start: Int
        /// The number of frames at its own rate; nil if unknown.
        var frameCount: Int?
        var isVorbis: Bool
        var lastPageFrames: Int
        /// The order of its channels.
        var order: [Int]?
    }

    private let file: MediaFile
    private let links: [Link]
    private var handle: SoundFileHandle
    private var linkIndex = 0
    /// The position in its link of the next frame from `handle`.
    private var place = 0
    private var gain = 1.0
    private var integers: [Int16] = []
    private var floats: [Float] = []
    /// Samples that were read in advance.
    private var primed: SampleBuffer?
    private var failures = 0
    /// The file's contradiction of its header; reported once everything readable has been read.
    private var failure: String?
    private var hasEnded = false

    /// Parses the heads of `file`.
    /// - Throws: An error if it is damaged, or of a kind that is not played.
    init(_ file: MediaFile, _ container: SoundFileContainer) throws(MediaError) {
        let parts = container.links()
        let first = try Self.open(file, parts[0].range)
        var links: [Link] = []
        var failure: String?
        for (index, part) in parts.enumerated() {
            do throws(MediaError) {
                let link =
                    try index == 0
                    ? Self.link(part, first, after: nil, of: nil, container)
                    : Self.link(
                        part, Self.open(file, part.range), after: links.last,
                        of: links[0].format, container)
                try Self.check(link.format, file)
                links.append(link)
            } catch {
                guard !links.isEmpty else { throw error }
                failure = error.reason
            }
        }
        self.file = file
        self.links = links
        self.failure =
            failure
            ?? (parts.contains(where: \.isCutShort)
                ? "Its stream breaks off: the last page is missing" : nil)
        format = links[0].format
        description = Self.describe(
            first, links, container, preSkip: container.preSkip(of: parts[0]))
        handle = first
    }

    /// Opens what is in a part of `file`.
    /// - Throws: An error if libsndfile cannot.
    static func open(
        _ file: MediaFile, _ range: Range<Int>
    ) throws(MediaError) -> SoundFileHandle {
        do throws(SoundFileHandle.OpenError) {
            return try SoundFileHandle(FileWindow(file, range))
        } catch {
            try check(file)
            throw MediaError(
                error.isUnknown ? .unsupportedFormat : .decodeFailed,
                operation: "play \(file.path)", reason: error.reason)
        }
    }

    // MARK: Reading

    func prime() throws(MediaError) -> Bool {
        if let primed { return !primed.isEmpty }
        var samples = SampleBuffer(format.sampleFormat)
        try read(into: &samples)
        primed = samples
        return !samples.isEmpty
    }

    func setGain(_ factor: Double) { gain = factor }

    func read(into samples: inout SampleBuffer) throws(MediaError) {
        if let ready = primed.take() {
            samples = ready
            return
        }
        samples.removeAll(for: format.sampleFormat)
        while samples.isEmpty && !hasEnded {
            let link = links[linkIndex]
            let rest = link.frameCount.map { $0 - place } ?? .max
            let count = rest > 0 ? readBlock(min(Self.blockFrames, rest), into: &samples) : 0
            try Self.check(file)
            place += count
            if count > 0 { failures = 0 }
            if count == 0, rest == 0 || link.frameCount == nil {
                try beginNextLink()
            } else if count == 0, try !passOverDamage(of: link) {
                failure = failure ?? missing(rest, of: link)
                try beginNextLink()
            }
        }
        // The samples come first, then the reason why there are no more.
        if samples.isEmpty, let reason = failure.take() {
            throw MediaError(.decodeFailed, operation: "decode \(file.path)", reason: reason)
        }
    }

    /// Continues after damage, leaving out some blocks; returns false if nothing follows it.
    private func passOverDamage(of link: Link) throws(MediaError) -> Bool {
        guard let reason = handle.error, let count = link.frameCount,
            failures < Self.failureLimit
        else { return false }
        failures += 1
        for step in 0..<Self.damageSteps {
            let next = place + Self.blockFrames << step
            guard next < count else { return false }
            handle = try Self.open(file, link.range)
            guard handle.seek(to: next) else { continue }
            undecodable = ((undecodable?.count ?? 0) + 1, reason)
            place = next
            return true
        }
        return false
    }

    private func readBlock(_ count: Int, into samples: inout SampleBuffer) -> Int {
        format = links[linkIndex].format
        samples.removeAll(for: format.sampleFormat)
        switch format.sampleFormat {
        case .int16:
            integers = Self.sized(integers, count * format.channelCount, 0)
            let done = unsafe integers.withUnsafeMutableBufferPointer { target in
                unsafe target.baseAddress.map { unsafe handle.read(into: $0, count: count) } ?? 0
            }
            let length = done * format.channelCount
            if gain != 1 {
                for index in 0..<length {
                    integers[index] = Int16(rounding: Float(Double(integers[index]) * gain))
                }
            }
            let block = integers
            unsafe samples.append(block.span.extracting(0..<length).bytes)
            return done
        case .float32:
            floats = Self.sized(floats, count * format.channelCount, 0)
            let done = unsafe floats.withUnsafeMutableBufferPointer { target in
                unsafe target.baseAddress.map { unsafe handle.read(into: $0, count: count) } ?? 0
            }
            let length = done * format.channelCount
            // A NaN would become noise, or worse, from here on.
            for index in 0..<length where !floats[index].isFinite { floats[index] = 0 }
            if gain != 1 {
                let factor = Float(gain)
                for index in 0..<length { floats[index] *= factor }
            }
            if let order = links[linkIndex].order { reorder(length, order) }
            let block = floats
            unsafe samples.append(block.span.extracting(0..<length).bytes)
            return done
        }
    }

    /// Brings the channels of the first `length` samples into the order of a WAV file.
    private func reorder(_ length: Int, _ order: [Int]) {
        var frame = [Float](repeating: 0, count: order.count)
        for start in stride(from: 0, to: length, by: order.count) {
            for channel in order.indices { frame[channel] = floats[start + order[channel]] }
            for channel in order.indices { floats[start + channel] = frame[channel] }
        }
    }

    private static func sized<Sample>(
        _ block: [Sample], _ count: Int, _ zero: Sample
    ) -> [Sample] {
        block.count >= count ? block : [Sample](repeating: zero, count: count)
    }

    private func beginNextLink() throws(MediaError) {
        guard linkIndex + 1 < links.count else {
            hasEnded = true
            return
        }
        try begin(linkIndex + 1)
    }

    /// Opens a link at its start.
    private func begin(_ index: Int) throws(MediaError) {
        linkIndex = index
        place = 0
        handle = try Self.open(file, links[index].range)
    }

    private func missing(_ count: Int, of link: Link) -> String {
        let seconds = CMTime(value: Int64(count), timescale: Int32(link.format.sampleRate)).seconds
        let tenths = Int((seconds * 10).rounded())
        return "The last \(tenths / 10).\(tenths % 10) s of its length are missing"
    }

    // MARK: Seeking

    func seek(to frame: Int) throws(MediaError) {
        primed = nil
        failures = 0
        let target = max(0, frame)
        let index = links.lastIndex { $0.start <= target } ?? 0
        let link = links[index]
        var local = Self.scaled(target - link.start, from: links[0].format, to: link.format)
        hasEnded = false
        if let count = link.frameCount, local >= count {
            hasEnded = true
            local = count
        } else {
            try begin(index, at: local)
        }
        place = local
        position = link.start + Self.scaled(local, from: link.format, to: links[0].format)
        format = link.format
    }

    /// Lets the handle continue with frame `local` of a link.
    private func begin(_ index: Int, at local: Int) throws(MediaError) {
        let link = links[index]
        if !link.isVorbis {
            if index != linkIndex { try begin(index) }
            linkIndex = index
            if handle.seek(to: local) { return }
        }
        // libsndfile 1.2 goes astray in Vorbis from anywhere but the start, and on the last page. It is
        // exact from a fresh handle to what lies before that page.
        try begin(index)
        guard link.isVorbis, let count = link.frameCount else { return try skip(local) }
        let start = min(local, count - link.lastPageFrames)
        try skip(start > 0 && handle.seek(to: start) ? local - start : local)
    }

    /// Decodes and discards `count` frames.
    private func skip(_ count: Int) throws(MediaError) {
        var rest = count
        var samples = SampleBuffer()
        while rest > 0 {
            let done = readBlock(min(Self.blockFrames, rest), into: &samples)
            try Self.check(file)
            guard done > 0 else { return }
            rest -= done
        }
    }

    private static func scaled(
        _ frames: Int, from: StreamFormat, to: StreamFormat
    ) -> Int {
        guard from.sampleRate != to.sampleRate else { return frames }
        return Int(Int128(frames) * Int128(to.sampleRate) / Int128(from.sampleRate))
    }

    // MARK: The length

    /// Does nothing if the file states its length.
    func scan(isCancelled: @escaping @Sendable () -> Bool) -> MediaIndex? {
        guard !isCancelled() else { return nil }
        if let count = Self.frameCount(of: links) {
            return MediaIndex(offsets: [], step: 0, frameCount: count)
        }
        file.isCancelled = isCancelled
        var (samples, count) = (SampleBuffer(), 0)
        repeat {
            guard (try? read(into: &samples)) != nil, !isCancelled() else { return nil }
            count += samples.count / format.channelCount
        } while !samples.isEmpty
        return MediaIndex(offsets: [], step: 0, frameCount: count)
    }

    /// libsndfile finds its way by itself.
    func use(_ index: MediaIndex) {}

    /// Frames in all, at the rate of the first link; nil where one does not say.
    private static func frameCount(of links: [Link]) -> Int? {
        guard let last = links.last, let count = last.frameCount else { return nil }
        return last.start + scaled(count, from: last.format, to: links[0].format)
    }

    // MARK: Opening

    private static func link(
        _ part: OggChain.Link, _ handle: borrowing SoundFileHandle, after last: Link?,
        of fileFormat: StreamFormat?, _ container: SoundFileContainer
    ) -> Link {
        let format = handle.format
        // A truncated stream does not state its length, but its pages do.
        let count =
            handle.frameCount
            ?? part.lastGranule.map { max(0, $0 - (container.preSkip(of: part) ?? 0)) }
        let start = last.map { last in
            last.start + scaled(last.frameCount ?? 0, from: last.format, to: fileFormat ?? format)
        }
        return Link(
            range: part.range, format: format, start: start ?? 0, frameCount: count,
            isVorbis: handle.encoding.hasSuffix("Vorbis"), lastPageFrames: part.lastPageFrames,
            order: ["Ogg Vorbis", "Ogg Opus"].contains(handle.encoding)
                ? order(format.channelCount) : nil)
    }

    /// Vorbis and Opus have channels in an order of their own (Vorbis I, section 4.3.9): where each of
    /// a WAV file's stands in it.
    private static func order(_ channelCount: Int) -> [Int]? {
        switch channelCount {
        case 3: [0, 2, 1]
        case 5: [0, 2, 1, 3, 4]
        case 6: [0, 2, 1, 5, 3, 4]
        case 7: [0, 2, 1, 6, 5, 3, 4]
        case 8: [0, 2, 1, 7, 5, 6, 3, 4]
        default: nil
        }
    }

    /// - Throws: An error if reading has failed.
    private static func check(_ file: MediaFile) throws(MediaError) {
        if let error = file.readError() { throw error }
    }

    /// - Throws: An error if no output can play it.
    private static func check(_ format: StreamFormat, _ file: MediaFile) throws(MediaError) {
        func refuse(_ reason: String) -> MediaError {
            MediaError(.unsupportedFormat, operation: "play \(file.path)", reason: reason)
        }
        let (rates, most) = (StreamFormat.sampleRates, StreamFormat.channelLimit)
        guard 1...most ~= format.channelCount else {
            throw refuse("It has \(format.channelCount) channels, more than \(most)")
        }
        guard rates ~= format.sampleRate else {
            throw refuse("It has \(format.sampleRate) frames a second, too many or too few")
        }
    }

    private static func describe(
        _ handle: borrowing SoundFileHandle, _ links: [Link], _ container: SoundFileContainer,
        preSkip: Int?
    ) -> MediaDescription {
        var comments = container.comments(limit: SoundFileContainer.descriptionLimit)
        handle.forEachText { name, value in
            if container.hasOtherTexts { comments.add(name, value) }
        }
        let format = links[0].format
        let duration = frameCount(of: links).map {
            CMTime(value: Int64($0), timescale: Int32(format.sampleRate))
        }
        return MediaDescription(
            format: format, encoding: handle.encoding, duration: duration ?? .invalid,
            isDurationExact: duration != nil, encoderDelay: preSkip,
            gaplessSource: .format, encoder: comments.vendor, replayGain: comments.replayGain,
            tags: comments.text)
    }
}
