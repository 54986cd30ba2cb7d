import Foundation
import TestSupport
import Testing
import UndersongAudioIO
import UndersongPlayback

@Suite(.blockingThreads) struct `The decoder contract` {
    @Test(arguments: [["-b", "128"], ["-V", "2"], ["-b", "320"]])
    func `The decoder contract holds for MPEG audio`(options: [String]) throws {
        let music = try Music()
        let path = try music.encode(Music.noise(seconds: 1.5), to: "a.mp3", options: options)

        try expectContract(path, frameCount: 66_150)
    }

    @Test func `The decoder contract holds for mono and a low rate`() throws {
        let music = try Music()
        let path = try music.encode(
            Music.noise(seconds: 1.5, rate: 22050, channels: 1), to: "a.mp3", rate: 22050,
            channels: 1, options: ["-b", "64", "--resample", "22.05"])

        try expectContract(path, frameCount: 33_075)
    }

    @Test(arguments: [["-b", "128", "-t"], ["-V", "2", "-t"]])
    func `The decoder contract holds if the file does not state its length`(options: [String])
        throws
    {
        let music = try Music()
        let path = try music.encode(Music.noise(seconds: 1.5), to: "a.mp3", options: options)

        try expectContract(path, frameCount: Music.decoded([path]).count)
    }

    @Test func `The decoder contract holds if a comment marks where the music is`() throws {
        let music = try Music()
        let plain = try music.encode(Music.noise(seconds: 1.5), to: "plain.mp3", options: ["-t"])
        let text = " 00000000 00000240 00000300 000000000000F000 00000000 00000000"
        let body = Data([0]) + Data("eng".utf8) + Data("iTunSMPB\0".utf8) + Data(text.utf8)
        let frame = Data("COMM".utf8) + Data([0, 0, 0, UInt8(body.count)]) + Data([0, 0]) + body
        let tag = Data("ID3".utf8) + Data([3, 0, 0, 0, 0, 0, UInt8(frame.count)]) + frame
        let tagged = try music.write(
            tag + Data(contentsOf: URL(filePath: plain)), to: "tagged.mp3")

        try expectContract(tagged, frameCount: 0xF000)
    }

    @Test(arguments: SoundFileKind.allCases)
    func `The decoder contract is kept by the formats of libsndfile`(kind: SoundFileKind) throws {
        let music = try Music()
        let rate = kind == .opus ? 48_000 : 44_100
        let path = try music.make(kind, seconds: 1.5, rate: rate, to: "a")

        // A whole run over Vorbis and Opus decodes in other blocks than one after a seek.
        try expectDecoderContract(
            path, frameCount: rate * 3 / 2, rounding: 0, playsPipes: false
        ) { source throws(MediaError) in
            try DecoderRegistry.standard.decoder(for: source)
        }
    }

    private func expectContract(_ path: String, frameCount: Int) throws {
        // libmpg123 rounds depending on a frame's offset in an internal buffer, which a seek
        // changes.
        try expectDecoderContract(path, frameCount: frameCount, rounding: 1) {
            source throws(MediaError) in
            try DecoderRegistry.standard.decoder(for: source)
        }
    }
}
