import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongAudioIO
import UndersongAudioSession
import UndersongBackground
import UndersongPlayback

/// Files that libsndfile plays, without a sound server.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `A sound file` {
    private let music: Music

    init() throws { music = try Music() }

    // MARK: Samples

    @Test(arguments: SoundFileKind.allCases.filter { $0.bits != nil })
    func `A lossless sound file has exactly the samples that were put into it`(
        kind: SoundFileKind
    ) throws {
        let source = Music.fineNoise(frames: 10_007)
        let path = try music.make(kind, of: source, to: "a")

        let decoded = try Decoded(path)

        let bits = kind.bits ?? 0
        #expect(decoded.format.sampleFormat == (bits > 16 ? .float32 : .int16))
        #expect(decoded.duration == CMTime(value: 10_007, timescale: 44_100))
        #expect(decoded.error == nil)
        // What 16 or 24 bits of the source are; with 8 sox rounds.
        let kept = bits > 16 ? source : source.map { ($0 >> 8) << 8 }
        let tolerance: Float = bits == 8 ? 1 / 128 : 0
        #expect(decoded.samples.count == kept.count)
        let isSame = zip(decoded.samples, kept).allSatisfy { (sample: Float, value: Int32) in
            abs(sample - Float(value) / 8_388_608) <= tolerance
        }
        #expect(isSame)
    }

    @Test func `A sound file of Vorbis gives what oggdec does`() throws {
        let path = try music.make(.vorbis, seconds: 3.1, to: "a")

        let decoded = try Decoded(path)
        let reference = try output(of: "oggdec", ["-Q", "-R", "-b", "16", "-o", "-", path])

        #expect(decoded.samples.count == Int(3.1 * 44_100) * 2)
        #expect(decoded.isLike(integers: reference))
    }

    @Test(arguments: [44_100, 48_000])
    func `A sound file of Opus gives what opusdec does, without the encoder's delay`(rate: Int)
        throws
    {
        let path = try music.make(.opus, seconds: 2.25, rate: rate, to: "a")

        let decoded = try Decoded(path)
        let reference = try output(
            of: "opusdec", ["--quiet", "--rate", "48000", "--no-dither", path, "-"])

        #expect(decoded.format.sampleRate == 48_000)
        #expect(decoded.samples.count == 108_000 * 2)
        // opusdec gives a WAV file with the header of a stream.
        #expect(decoded.isLike(integers: reference.suffix(decoded.samples.count * 2)))
    }

    @Test func `A sound file of Opus is as loud as its header says`() throws {
        let path = try music.make(.opus, seconds: 1, rate: 48_000, to: "a")
        let plain = try Decoded(path)

        try patchOpusHead(path) { head in
            // -6.02 dB in steps of 1/256.
            let gain = UInt16(bitPattern: -1541)
            (head[16], head[17]) = (UInt8(gain & 0xFF), UInt8(gain >> 8))
        }
        let soft = try Decoded(path)

        #expect(soft.samples.count == plain.samples.count)
        let isHalf = zip(soft.samples, plain.samples).allSatisfy { abs(2 * $0 - $1) < 0.001 }
        #expect(isHalf)
    }

    @Test(arguments: [SoundFileKind.vorbis, .opus, .flac24, .oggFLAC24])
    func `A sound file is sought to the frame, from wherever it is`(kind: SoundFileKind) throws {
        // Its last block is not full.
        let count = 960_037
        let path = try music.make(kind, of: Music.fineNoise(frames: count), rate: 48_000, to: "a")
        let whole = try Decoded(path).samples
        let decoder = try DecoderRegistry.standard.decoder(for: .file(path: path))
        var samples = SampleBuffer()

        for step in 0..<60 {
            // Back and forth over the whole file, its first and its last second.
            let frame: Int
            switch step {
            case ..<20: frame = step * 2399
            case ..<40: frame = count - 1 - (step - 20) * 2399
            default: frame = step * 367_001 % count
            }
            try decoder.seek(to: frame)
            #expect(decoder.position == frame)
            try decoder.read(into: &samples)
            let isSame = samples.float32.elementsEqual(
                whole[(frame * 2)...].prefix(samples.count))
            #expect(isSame && !samples.isEmpty, "frame \(frame) is another")
        }
    }

    // MARK: Channels and rates

    @Test func `A sound file of 8 channels keeps them, and has them mixed for two`() throws {
        let levels: [Int32] = (1...8).map { Int32($0) << 18 }
        let source = [[Int32]](repeating: levels, count: 1000).flatMap { $0 }
        let eight = try music.make(.wav24, of: source, channels: 8, to: "eight")
        let stereo = try music.make(.flac16, seconds: 0.1, to: "two")

        let expected: [Float] = source.map { Float($0) / 8_388_608 }
        let isSame = try Decoded(eight).samples == expected
        #expect(isSame)
        let alone = try render([eight])
        #expect(alone.count == 68 + 8 * 4 * 1000)
        #expect(try alone[68...].elementsEqual(Decoded(eight).bytes))
        let mixed = try render([stereo, eight])
        let frames = mixed.dropFirst(44).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        try #require(frames.count == 2 * (4410 + 1000))
        // Left and right count 1, and the others 1 / √2; all that in a sum of 1. Of the channels from
        // 1/32 to 8/32 the fourth, of low frequency, is heard by none.
        let half = Float(0.5).squareRoot()
        let scale = 32 * (1 + 3 * half)
        let left: Float = (1 + 15 * half) / scale
        let right: Float = (2 + 17 * half) / scale
        #expect(abs(frames[8820] - left) < 1e-6)
        #expect(abs(frames[8821] - right) < 1e-6)
    }

    @Test func `A sound file of Vorbis or Opus has its six channels in the order of a WAV file`()
        throws
    {
        // Each channel has a tone of its own.
        let tones = [200.0, 300, 400, 60, 500, 600]
        var source: [Int32] = []
        for frame in 0..<48_000 {
            for tone in tones {
                let phase: Double = 2 * Double.pi * tone * Double(frame) / 48_000
                source.append(Int32(2_000_000 * sin(phase)))
            }
        }
        for kind in [SoundFileKind.vorbis, .opus] {
            let path = try music.make(kind, of: source, rate: 48_000, channels: 6, to: "six")

            let decoded = try Decoded(path)

            #expect(decoded.format.channelCount == 6)
            for (channel, tone) in tones.enumerated() where tone > 100 {
                let own = decoded.level(of: tone, channel: channel)
                let others = tones.filter { $0 != tone }
                    .map { decoded.level(of: $0, channel: channel) }
                #expect(own > 4 * (others.max() ?? 0), "\(kind): channel \(channel) is another")
            }
        }
    }

    @Test func `A sound file of 192 kHz keeps its rate`() throws {
        let path = try music.make(.flac24, seconds: 0.25, rate: 192_000, to: "a")

        let written = try render([path])

        #expect(written[24..<28].elementsEqual([0, 0xEE, 2, 0]))
        #expect(try written.dropFirst(44).elementsEqual(Decoded(path).bytes))
    }

    // MARK: Queues

    @Test func `A sound file is rendered with others as each is decoded, with no frame between`()
        throws
    {
        let kinds: [SoundFileKind] = [.flac16, .flac24, .vorbis, .wav16, .aiff24, .wavFloat]
        var paths = try kinds.enumerated().map { index, kind in
            try music.make(kind, seconds: 0.5, seed: UInt64(index + 1), to: "\(index)")
        }
        paths.insert(try music.encode(Music.noise(seconds: 0.5), to: "a.mp3"), at: 0)

        let written = try render(paths)

        let expected = try paths.flatMap { try Decoded($0).samples }
        #expect(try Decoded(paths[0]).format.sampleFormat == .int16)
        let samples = written.dropFirst(44).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        #expect(samples.count == 7 * 2 * 22_050)
        let isSame = samples == expected
        #expect(isSame)
    }

    @Test func `A sound file of 16 bits leaves an MP3 at 16 bits, to the bit`() throws {
        let mp3 = try music.encode(Music.noise(seconds: 0.5), to: "a.mp3")
        let flac = try music.make(.flac16, seconds: 0.5, to: "b")
        let wav = try music.make(.wav16, seconds: 0.5, seed: 2, to: "c")

        let written = try render([mp3, flac, wav, mp3])

        #expect(written[20] == 1 && written[34] == 16)
        let decoded = try Music.decoded([mp3])
        let all = frames(written.dropFirst(44))
        #expect(all.count == 4 * 22_050)
        let isSame = Array(all.prefix(22_050)) == decoded && Array(all.suffix(22_050)) == decoded
        #expect(isSame)
    }

    @Test func `A sound file of 24 bits is rendered without loss, however many precede it`() throws
    {
        let narrow = try music.make(.flac16, seconds: 0.01, to: "a")
        let wide = try music.make(.flac24, seconds: 0.1, seed: 2, to: "b")

        let written = try render([String](repeating: narrow, count: 70) + [wide])

        #expect(try written.suffix(4410 * 8).elementsEqual(Decoded(wide).bytes))
    }

    @Test(arguments: [SoundFileKind.flac24, .wav16])
    func `A sound file is cut by a CUE sheet to the frame`(kind: SoundFileKind) throws {
        let path = try music.make(kind, seconds: 3, to: "album")
        let name = URL(filePath: path).lastPathComponent
        let sheet = """
            FILE "\(name)" WAVE
              TRACK 01 AUDIO
                INDEX 01 00:00:00
              TRACK 02 AUDIO
                INDEX 01 00:01:01
              TRACK 03 AUDIO
                INDEX 01 00:02:33
            """
        let cue = try music.write(Data(sheet.utf8), to: "album.cue")

        let written = try render([cue])

        #expect(try written.dropFirst(44).elementsEqual(Decoded(path).bytes))
    }

    @Test func `A sound file stands in for the WAV file that a CUE sheet names`() throws {
        let path = try music.make(.flac16, seconds: 1, to: "album")
        let sheet = "FILE \"album.wav\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\n"
        let cue = try music.write(Data(sheet.utf8), to: "album.cue")

        #expect(try render([cue]).dropFirst(44).elementsEqual(try Decoded(path).bytes))
    }

    // MARK: Tags

    @Test(arguments: [SoundFileKind.flac16, .oggFLAC16, .vorbis, .opus])
    func `A sound file has its Vorbis comments`(kind: SoundFileKind) throws {
        let path = try music.make(
            kind, seconds: 0.3, rate: 48_000,
            tags: [
                "TITLE=Grüße", "artist=A", "ARTIST=B", "ALBUM=C", "TRACKNUMBER=7", "DATE=1999",
                "GENRE=D", "MOOD=calm", "REPLAYGAIN_TRACK_GAIN=-3.5 dB",
                "REPLAYGAIN_TRACK_PEAK=0.5",
            ], to: "a")

        let description = try DecoderRegistry.standard.decoder(for: .file(path: path)).description
        let tags = try DecoderRegistry.standard.tags(of: .file(path: path))

        #expect(
            description.tags == [
                "title": "Grüße", "artist": "A; B", "album": "C", "track": "7", "year": "1999",
                "genre": "D",
            ])
        #expect(description.replayGain == ReplayGain(trackGain: -3.5, trackPeak: 0.5))
        #expect(description.encoder?.isEmpty == false)
        let texts = tags.texts.map { [$0.name, $0.detail, $0.text] }
        #expect(texts.contains(["TIT2", "", "Grüße"]) && texts.contains(["TXXX", "MOOD", "calm"]))
    }

    @Test func `A sound file of Opus has the gain of its R128 tags`() throws {
        let path = try music.make(
            .opus, seconds: 0.3, rate: 48_000,
            tags: ["R128_TRACK_GAIN=-1280", "R128_ALBUM_GAIN=256"], to: "a")

        let gain = try DecoderRegistry.standard.decoder(for: .file(path: path)).description
            .replayGain

        #expect(gain == ReplayGain(trackGain: 0, albumGain: 6))
    }

    @Test func `A sound file has its cover, from FLAC, Vorbis and Opus`() throws {
        var data = Data([0x89, 0x50, 0x4E, 0x47])
        for index in 0..<20_000 { data.append(UInt8(truncatingIfNeeded: index)) }
        var block = Data([0, 0, 0, 3, 0, 0, 0, 9])
        block += Data("image/png".utf8)
        block += Data([0, 0, 0, 1])
        block += Data("x".utf8)
        block += Data(repeating: 0, count: 16)
        block += Data([0, 0, 0x4E, 0x24])
        block += data
        let flac = try music.make(.flac16, seconds: 0.3, to: "a")
        var bytes = try Data(contentsOf: URL(filePath: flac))
        // After STREAMINFO.
        bytes.insert(contentsOf: Data([6, 0, 0x4E, 0x4E]) + block, at: 42)
        try bytes.write(to: URL(filePath: flac))
        let comment = "METADATA_BLOCK_PICTURE=" + block.base64EncodedString()
        let vorbis = try music.make(.vorbis, seconds: 0.3, tags: [comment], to: "b")
        let opus = try music.make(.opus, seconds: 0.3, rate: 48_000, tags: [comment], to: "c")

        for path in [flac, vorbis, opus] {
            let pictures = try DecoderRegistry.standard.tags(of: .file(path: path)).pictures

            #expect(pictures.map(\.kind) == [3])
            #expect(pictures.map(\.mediaType) == ["image/png"])
            #expect(pictures.map(\.detail) == ["x"])
            let isSame = pictures.first?.data == Array(data)
            #expect(isSame)
            #expect(try Decoded(path).error == nil)
        }
    }

    @Test func `A sound file of WAV has its texts`() throws {
        let path = try music.make(.wav16, seconds: 0.1, to: "a")
        var bytes = try Data(contentsOf: URL(filePath: path))
        let list = Data("INFOINAM\u{6}\0\0\0Title\0IART\u{4}\0\0\0Who\0".utf8)
        bytes += Data("LIST".utf8) + Data([UInt8(list.count), 0, 0, 0]) + list
        withUnsafeBytes(of: UInt32(bytes.count - 8)) { size in
            bytes.replaceSubrange(4..<8, with: size)
        }
        try bytes.write(to: URL(filePath: path))

        let description = try DecoderRegistry.standard.decoder(for: .file(path: path)).description

        #expect(description.tags == ["title": "Title", "artist": "Who"])
    }

    // MARK: Chains

    @Test(arguments: [(2, 1, 44_100), (2, 2, 22_050), (1, 6, 44_100)])
    func `A chain of sound files is played to its end, each stream in its format`(
        first: Int, second: Int, rate: Int
    ) throws {
        let one = try music.make(.vorbis, seconds: 1, channels: first, to: "1")
        let two = try music.make(
            .vorbis, seconds: 1.5, rate: rate, channels: second, seed: 2, to: "2")
        let chain = try join([one, two, one], to: "chain.ogg")

        let decoded = try Decoded(chain)

        let parts = try [one, two, one].map { try Decoded($0) }
        #expect(decoded.error == nil)
        let isSame = decoded.samples == parts.flatMap(\.samples)
        #expect(isSame)
        #expect(decoded.duration == CMTime(value: 3 * 44_100 + 22_050, timescale: 44_100))
        #expect(decoded.formats == parts.map(\.format))
    }

    @Test func `A sound file of Opus may change its channels`() throws {
        let one = try music.make(.opus, seconds: 1, rate: 48_000, channels: 1, to: "1")
        let two = try music.make(.opus, seconds: 1, rate: 48_000, channels: 2, to: "2")
        let chain = try join([one, two], to: "chain.opus")

        let decoded = try Decoded(chain)

        let both = try Decoded(one).samples + Decoded(two).samples
        let isSame = decoded.samples == both
        #expect(isSame)
        #expect(decoded.formats.map(\.channelCount) == [1, 2])
    }

    @Test func `A sound file with the same stream again and again is played as often`() throws {
        let one = try music.make(.vorbis, seconds: 1, to: "1")
        let chain = try join([one, one, one], to: "chain.ogg")
        let whole = try Decoded(one).samples
        let decoder = try DecoderRegistry.standard.decoder(for: .file(path: chain))

        let thrice = whole + whole + whole
        let isThrice = try Decoded(chain).samples == thrice
        #expect(isThrice)
        try decoder.seek(to: 100_000)
        #expect(decoder.position == 100_000)
        var samples = SampleBuffer()
        try decoder.read(into: &samples)
        let start = (100_000 - 2 * 44_100) * 2
        let isSame = samples.float32.elementsEqual(whole[start...].prefix(samples.count))
        #expect(isSame)
    }

    // MARK: Bad input

    @Test(arguments: [SoundFileKind.flac16, .flac24, .aiff24, .wav16])
    func `A sound file that is cut short gives what is there, and at most one error`(
        kind: SoundFileKind
    ) throws {
        let path = try music.make(kind, seconds: 2, to: "a")
        let whole = try Decoded(path).samples
        let bytes = try Data(contentsOf: URL(filePath: path))
        try bytes.prefix(bytes.count * 3 / 5).write(to: URL(filePath: path))

        let decoded = try Decoded(path)

        let isSame = decoded.samples.elementsEqual(whole.prefix(decoded.samples.count))
        #expect(isSame)
        #expect(decoded.samples.count > whole.count / 2)
        if kind == .flac16 || kind == .flac24 {
            #expect(decoded.error?.code == .decodeFailed)
            #expect(decoded.error?.reason.contains("are missing") == true)
        }
        let program = try Program(Program.undersong, ["verify", "--json", path])
        #expect(try program.wait() == 1)
        let damage = try Events(program.text).lines.first?["damage"] as? [[String: Any]]
        let code = decoded.error == nil ? "missing-bytes" : "abandoned"
        #expect(damage?.contains { $0["code"] as? String == code } == true)
    }

    @Test(arguments: [0, 5, 300, 20_000])
    func `Vorbis or Opus that is cut short gives what is there, and one error`(
        missing: Int
    ) throws {
        for kind in [SoundFileKind.vorbis, .opus] {
            let path = try music.make(kind, seconds: 3, rate: 48_000, to: "a\(missing)")
            let whole = try Decoded(path).samples
            let bytes = try Data(contentsOf: URL(filePath: path))
            try bytes.dropLast(missing).write(to: URL(filePath: path))

            let decoded = try Decoded(path)

            #expect(decoded.samples.count <= whole.count)
            #expect(decoded.samples.count > (missing < 20_000 ? whole.count / 2 : 0))
            let isSame = decoded.samples.elementsEqual(whole.prefix(decoded.samples.count))
            #expect(isSame)
            #expect(decoded.error?.code == (missing == 0 ? nil : .decodeFailed))
            let frames = Int64(decoded.samples.count / 2)
            #expect(decoded.duration == CMTime(value: frames, timescale: 48_000))
            guard missing == 300 else { continue }
            let next = try music.make(.wav16, seconds: 0.1, rate: 48_000, to: "b")
            let verification = try Program(Program.undersong, ["verify", "--json", path])
            #expect(try verification.wait() == 1)
            let damage = try Events(verification.text).lines.first?["damage"] as? [[String: Any]]
            #expect(damage?.map { $0["code"] as? String } == ["abandoned"])
            let out = music.path("\(kind).wav")
            let player = try Program(
                Program.undersong, ["render", "-o", out, "--json", path, next])
            #expect(try player.wait() == 1)
            let errors = try Events(player.text)["error"]
            #expect(errors.map { $0["code"] as? String } == ["decode-failed"])
            let samples = try decoded.samples + Decoded(next).samples
            let isAll = try floats(ofWAV: out) == samples
            #expect(isAll)
        }
    }

    @Test func `A sound file with damage in its middle continues after it`() throws {
        let path = try music.make(.flac16, seconds: 3, to: "a")
        let whole = try Decoded(path).samples
        var bytes = try Data(contentsOf: URL(filePath: path))
        let middle = bytes.count / 2
        bytes.replaceSubrange(middle..<middle + 3000, with: Data(repeating: 0x5A, count: 3000))
        try bytes.write(to: URL(filePath: path))

        let decoded = try Decoded(path)

        #expect(decoded.samples.count > whole.count * 8 / 10)
        let isSame =
            decoded.samples.suffix(20_000).elementsEqual(whole.suffix(20_000))
            && decoded.samples.prefix(60_000).elementsEqual(whole.prefix(60_000))
        #expect(isSame)
        let isNoise = decoded.samples.contains { abs($0) > 1 }
        #expect(!isNoise)
    }

    @Test(arguments: [0, 1, 0x7FFF_FFFF, 0xFFFF_FFFF])
    func `A sound file of WAV whose size lies is played as far as it goes`(size: UInt32) throws {
        let path = try music.make(.wav16, seconds: 0.5, to: "a")
        let whole = try Decoded(path).samples
        var bytes = try Data(contentsOf: URL(filePath: path))
        withUnsafeBytes(of: size) { bytes.replaceSubrange(40..<44, with: $0) }
        try bytes.write(to: URL(filePath: path))

        let decoded = try Decoded(path)

        #expect(decoded.samples.count <= whole.count)
        let isSame = decoded.samples.elementsEqual(whole.prefix(decoded.samples.count))
        #expect(isSame)
        if size > 1 { #expect(decoded.samples.count == whole.count) }
    }

    @Test func `A floating-point sound file makes silence of what is not a number`() throws {
        let path = try music.make(.wavFloat, seconds: 0.1, to: "a")
        var bytes = try Data(contentsOf: URL(filePath: path))
        let whole = try Decoded(path).samples
        let start = bytes.count - whole.count * 4
        for (index, value) in [Float.nan, .infinity, -.infinity].enumerated() {
            withUnsafeBytes(of: value) { value in
                bytes.replaceSubrange(start + 4 * index..<start + 4 * index + 4, with: value)
            }
        }
        try bytes.write(to: URL(filePath: path))

        let decoded = try Decoded(path)

        #expect(decoded.samples.prefix(3).elementsEqual([0, 0, 0]))
        let isSame = decoded.samples.dropFirst(3).elementsEqual(whole.dropFirst(3))
        #expect(isSame)
    }

    @Test(arguments: SoundFileKind.allCases)
    func `A sound file that becomes shorter while it plays ends with one error or none`(
        kind: SoundFileKind
    ) throws {
        let path = try music.make(kind, seconds: 20, rate: 48_000, to: "a")
        let decoder = try DecoderRegistry.standard.decoder(for: .file(path: path))
        var samples = SampleBuffer()
        try decoder.read(into: &samples)
        #expect(truncate(path, 60_000) == 0)

        let rest = Decoded(decoder)

        #expect(rest.samples.count < 20 * 96_000)
        let isNoise = rest.samples.contains { abs($0) > 2 }
        #expect(!isNoise)
        try decoder.read(into: &samples)
        #expect(samples.isEmpty)
    }

    @Test(arguments: [
        ("nine.wav", "It has 9 channels, more than 8"),
        ("fast.wav", "It has 400000 frames a second, too many or too few"),
    ])
    func `A sound file that no output can play is refused`(name: String, reason: String) throws {
        let isFast = name == "fast.wav"
        let data = Music.wav(
            [Int32](repeating: 0, count: 900), rate: isFast ? 400_000 : 44_100,
            channels: isFast ? 1 : 9, bits: 16)
        let path = try music.write(data, to: name)

        let error = #expect(throws: MediaError.self) { _ = try Decoded(path) }

        #expect(error?.code == .unsupportedFormat)
        #expect(error?.reason == reason)
    }

    @Test func `A sound file without a frame is refused with one error`() throws {
        let path = try music.write(
            Music.wav([], rate: 44_100, channels: 2, bits: 16), to: "none.wav")

        let player = try Program(
            Program.undersong, ["render", "-o", music.path("out.wav"), path])

        #expect(try player.wait() == 1)
        #expect(player.errorText.split(separator: "\n").count == 1)
        #expect(player.errorText.contains("It has nothing between its start and end"))
    }

    @Test(arguments: [5, 300, 100_000])
    func `FLAC in Ogg pages that is cut short gives what is there, and one error`(
        missing: Int
    ) throws {
        let path = try music.make(.oggFLAC16, seconds: 2, to: "a")
        let whole = try Decoded(path).samples
        let bytes = try Data(contentsOf: URL(filePath: path))
        try bytes.dropLast(missing).write(to: URL(filePath: path))

        let decoded = try Decoded(path)

        let isStart = decoded.samples.elementsEqual(whole.prefix(decoded.samples.count))
        #expect(isStart)
        #expect(decoded.samples.count < whole.count && decoded.samples.count > whole.count / 2)
        #expect(decoded.error?.code == .decodeFailed)
    }

    @Test func `FLAC in Ogg pages may be a chain of streams of different formats`() throws {
        let one = try music.make(.oggFLAC16, seconds: 1, to: "1")
        let two = try music.make(.oggFLAC24, seconds: 1.5, channels: 6, seed: 2, to: "2")
        let native = try music.make(.flac24, seconds: 1.5, channels: 6, seed: 2, to: "3")
        let chain = try join([one, two, one], to: "chain.oga")

        let decoded = try Decoded(chain)
        let decoder = try DecoderRegistry.standard.decoder(for: .file(path: chain))
        try decoder.seek(to: 3 * 44_100)
        var samples = SampleBuffer()
        try decoder.read(into: &samples)

        let parts = try [one, native, one].map { try Decoded($0) }
        let isSame = decoded.samples == parts.flatMap(\.samples)
        #expect(isSame && decoded.error == nil)
        #expect(decoded.formats == parts.map(\.format))
        let isThere = samples.float32.elementsEqual(
            parts[2].samples.dropFirst(44_100).prefix(samples.count))
        #expect(isThere && !samples.isEmpty)
    }

    @Test(arguments: [("mp4a", "AAC in an MP4 file"), ("alac", "Apple Lossless in an MP4 file")])
    func `A sound file that is an MP4 file is refused with its name`(kind: String, name: String)
        throws
    {
        func box(_ kind: String, _ body: Data) -> Data {
            withUnsafeBytes(of: UInt32(body.count + 8).bigEndian) { Data($0) } + Data(kind.utf8)
                + body
        }
        let entry = Data([0, 0, 0, 0, 0, 0, 0, 1]) + box(kind, Data(repeating: 0, count: 28))
        let table = box("stbl", box("stsd", entry))
        let track = box("trak", box("mdia", box("minf", table)))
        var file = box("ftyp", Data("M4A \0\0\0\0".utf8))
        file += box("free", Data(repeating: 1, count: 99))
        file += box("moov", box("mvhd", Data(repeating: 0, count: 100)) + track)
        let path = try music.write(file, to: "a.m4a")

        let error = #expect(throws: MediaError.self) { _ = try Decoded(path) }

        #expect(error?.code == .unsupportedFormat)
        #expect(error?.reason == "It is \(name), which is not supported")
    }

    // MARK: Support

    private func render(_ paths: [String]) throws -> Data {
        let out = music.path("out-\(UUID()).wav")
        let player = try Program(Program.undersong, ["render", "-o", out] + paths)
        #expect(try player.wait() == 0, "\(player.errorText)")
        return try Data(contentsOf: URL(filePath: out))
    }

    private func join(_ paths: [String], to name: String) throws -> String {
        try music.write(
            paths.reduce(Data()) { try $0 + Data(contentsOf: URL(filePath: $1)) }, to: name)
    }

    /// Changes the first packet of an Opus file, and its page's checksum.
    private func patchOpusHead(_ path: String, _ change: (inout Data) -> Void) throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        var head = Data(bytes[28..<47])
        change(&head)
        bytes.replaceSubrange(28..<47, with: head)
        bytes.replaceSubrange(22..<26, with: Data(count: 4))
        var crc: UInt32 = 0
        for byte in bytes[0..<47] {
            crc ^= UInt32(byte) << 24
            for _ in 0..<8 { crc = crc & 0x8000_0000 == 0 ? crc << 1 : crc << 1 ^ 0x04C1_1DB7 }
        }
        withUnsafeBytes(of: crc) { bytes.replaceSubrange(22..<26, with: $0) }
        try bytes.write(to: URL(filePath: path))
    }
}

/// All that a decoder gives.
struct Decoded {
    private(set) var samples: [Float] = []
    /// As they are played.
    private(set) var bytes = Data()
    let format: StreamFormat
    /// The formats that it has had, one after the other.
    private(set) var formats: [StreamFormat] = []
    let duration: CMTime
    private(set) var error: MediaError?

    init(_ path: String) throws {
        self.init(try DecoderRegistry.standard.decoder(for: .file(path: path)))
    }

    init(_ decoder: any AudioDecoder) {
        format = decoder.format
        duration = decoder.description.duration
        var block = SampleBuffer()
        do throws(MediaError) {
            repeat {
                try decoder.read(into: &block)
                guard !block.isEmpty else { break }
                samples += block.float32
                block.withUnsafeBytes { bytes.append(contentsOf: $0) }
                // A stream that is like the one before it begins at a frame that is not seen here.
                if formats.last != decoder.format { formats.append(decoder.format) }
            } while true
        } catch {
            self.error = error
        }
    }

    /// True if the samples are those of `reference`, of 16 bits, but for rounding.
    func isLike(integers reference: Data) -> Bool {
        let integers = reference.withUnsafeBytes { bytes in
            (0..<bytes.count / 2).map {
                bytes.loadUnaligned(fromByteOffset: 2 * $0, as: Int16.self)
            }
        }
        return integers.count == samples.count
            && zip(samples, integers).allSatisfy { (sample: Float, integer: Int16) in
                let level: Float = max(-1, min(1, sample)) * 32768
                return abs(level - Float(integer)) <= 2
            }
    }

    /// The level of a tone in a channel, leaving out the codec's edges.
    func level(of tone: Double, channel: Int) -> Double {
        var (real, imaginary) = (0.0, 0.0)
        for frame in 4800..<24_000 {
            let sample = Double(samples[frame * format.channelCount + channel])
            let phase = 2 * Double.pi * tone * Double(frame) / Double(format.sampleRate)
            real += sample * cos(phase)
            imaginary += sample * sin(phase)
        }
        return (real * real + imaginary * imaginary).squareRoot()
    }
}

extension EndToEnd {
    @Suite struct `A queue of several formats` {
        @Test(.comparesSamples)
        func `A queue of several formats leaves the sink as each is decoded, without a gap`() throws
        {
            let sink = try FineSink()
            let music = try Music()
            let kinds: [SoundFileKind] = [.flac16, .flac24, .vorbis, .wav24, .aiff16]
            var paths = try kinds.enumerated().map { index, kind in
                try music.make(kind, seconds: 0.7, seed: UInt64(index + 1), to: "\(index)")
            }
            paths.insert(try music.encode(Music.noise(seconds: 0.7), to: "a.mp3"), at: 1)
            let expected = try paths.flatMap { try Decoded($0).samples }

            let player = try Program(
                Program.undersong, ["play", "--device", FineSink.name] + paths,
                environment: sink.server.environment)
            #expect(try player.wait() == 0)
            let heard = try sink.finish()

            let isAll = Self.isHeard([expected], in: heard)
            #expect(isAll)
        }

        @Test(.comparesSamples)
        func `An item of 24 bits that is added while an MP3 plays loses nothing`() async throws {
            let sink = try FineSink()
            let music = try Music()
            let mp3 = try music.encode(Music.noise(seconds: 1.5), to: "a.mp3")
            let fine = try music.make(.flac24, seconds: 0.7, seed: 2, to: "b")
            let last = try music.encode(Music.noise(seconds: 0.7, seed: 3), to: "c.mp3")
            let session = AudioSession(
                SessionConfiguration(
                    output: .pulse(server: sink.server.address, device: FineSink.name)))
            let events = Mutex<[PlayerEvent]>([])
            let hasBegun = DispatchSemaphore(value: 0)
            session.subscribe { event in
                events.withLock { $0.append(event) }
                if case .item(.began) = event.kind { hasBegun.signal() }
            }
            async let running: Void = session.run()

            await session.player.append([.file(path: mp3)])
            await session.player.play()
            try hasBegun.waitPatiently(orSay: "nothing begins")
            await session.player.append([.file(path: fine), .file(path: last)])
            _ = await session.waitForEnd()
            await running
            let heard = try sink.finish()

            // The stream for 24 bits begins when that for 16 has ended, and carries both others.
            let (first, rest) = try (
                Decoded(mp3).samples, Decoded(fine).samples + Decoded(last).samples
            )
            let isAll = Self.isHeard([first, rest], in: heard)
            #expect(isAll)
            let begun = events.withLock { $0 }.compactMap { event -> String? in
                guard case .item(.began(let item, _)) = event.kind else { return nil }
                return item.source.path.description
            }
            #expect(begun == [mp3, fine, last])
        }

        /// True if only these sounds are heard, one after the other, with silence around each.
        private static func isHeard(_ sounds: [[Float]], in samples: [Float]) -> Bool {
            var rest = samples[...]
            for sound in sounds {
                let sound = sound.drop { $0 == 0 }
                rest = rest.drop { $0 == 0 }
                guard rest.starts(with: sound) else { return false }
                rest = rest.dropFirst(sound.count)
            }
            return rest.allSatisfy { $0 == 0 }
        }
    }
}

/// A sink of floating-point samples, and what it plays.
private final class FineSink {
    static let name = "fine"

    let server: SoundServer
    private let recorder: Program

    init() throws {
        server = try SoundServer(modules: [
            "module-null-sink sink_name=fine rate=44100 format=float32le channels=2 norewinds=1"
        ])
        recorder = try Program(
            "/usr/bin/parec",
            [
                "-d", "fine.monitor", "--raw", "--format=float32le", "--rate=44100",
                "--channels=2", "--latency-msec=20",
            ], environment: server.environment)
        try recorder.waitForOutput { !$0.isEmpty }
    }

    /// Everything that it has played, once half a second more is recorded.
    func finish() throws -> [Float] {
        let end = recorder.data.count + 44_100 * 4
        try recorder.waitForOutput { $0.count >= end }
        recorder.signal(SIGTERM)
        try recorder.wait()
        return recorder.data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }
}
