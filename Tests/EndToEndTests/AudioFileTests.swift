import AVFoundation
import Foundation
import Testing

@Suite(.blockingThreads) struct `An audio file` {
    @Test func `An audio file is read as mpg123 decodes it, also in pieces and after seeks`() throws
    {
        let music = try Music()
        let path = try music.encode(Music.noise(seconds: 1.5), to: "a.mp3")
        let file = try integers(path)
        let expected = try samples(output(of: "mpg123", ["-q", "-s", "--stereo", path]))

        #expect(file.length == 66_150)
        #expect(file.processingFormat.sampleRate == 44_100)
        #expect(try read(file, in: 1000) == expected)
        #expect(file.framePosition == file.length)
        for frame in [0, 1, 12_345, 66_149] {
            file.framePosition = AVAudioFramePosition(frame)
            #expect(try read(file, in: 4096) == Array(expected[(frame * 2)...]))
        }
        file.framePosition = 66_150
        #expect(try read(file, in: 10) == [])
    }

    @Test func `An audio file without a stated length is measured to the frame`() throws {
        let music = try Music()
        let path = try music.encode(
            Music.noise(seconds: 1.5), to: "a.mp3", options: ["-b", "128", "-t"])

        let file = try integers(path)

        #expect(Int(file.length) == (try Music.decoded([path]).count))
    }

    @Test func `An audio file of integers is read as floats, each channel for itself`() throws {
        let music = try Music()
        let noise = Music.noise(seconds: 0.5)
        let path = try music.encode(noise, to: "a.mp3")
        let expected = try samples(output(of: "mpg123", ["-q", "-s", "--stereo", path]))
        let file = try AVAudioFile(forReading: URL(filePath: path))
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 30_000))

        try file.read(into: buffer)

        let channels = try #require(unsafe buffer.floatChannelData)
        #expect(buffer.frameLength == 22_050)
        #expect(buffer.stride == 1)
        #expect(unsafe buffer.int16ChannelData == nil)
        #expect(file.processingFormat.isStandard)
        for channel in 0..<2 {
            let heard = (0..<22_050).map { unsafe channels[channel][$0] }
            #expect(heard == (0..<22_050).map { Float(expected[$0 * 2 + channel]) / 32768 })
        }
    }

    @Test func `An audio file reads no more than it is asked for`() throws {
        let music = try Music()
        let path = try music.encode(Music.noise(seconds: 0.5), to: "a.mp3")
        let file = try integers(path)
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 100))

        try file.read(into: buffer, frameCount: 7)

        #expect(buffer.frameLength == 7)
        #expect(file.framePosition == 7)
    }

    @Test func `An audio file that cannot be opened gives the error of a player`() throws {
        let url = URL(filePath: "/nowhere/nothing.mp3")

        let error = #expect(throws: AVError.self) { try AVAudioFile(forReading: url) }

        #expect(error?.code == .contentIsUnavailable)
        #expect(
            error?.localizedDescription
                == "cannot open /nowhere/nothing.mp3: No such file or directory")
    }

    @Test func `An audio file is not read into a buffer of another format`() throws {
        let music = try Music()
        let path = try music.encode(Music.noise(seconds: 0.5), to: "a.mp3")
        let format = try #require(
            AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 100))

        let file = try integers(path)
        let error = #expect(throws: AVError.self) { try file.read(into: buffer) }

        #expect(error?.code == .operationNotSupportedForAsset)
    }

    private func integers(_ path: String) throws -> AVAudioFile {
        try AVAudioFile(
            forReading: URL(filePath: path), commonFormat: .pcmFormatInt16, interleaved: true)
    }

    /// Everything up to the end, in pieces of so many frames.
    private func read(_ file: AVAudioFile, in frames: AVAudioFrameCount) throws -> [Int16] {
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: frames))
        let channels = try #require(unsafe buffer.int16ChannelData)
        var samples: [Int16] = []
        repeat {
            try file.read(into: buffer)
            let count = Int(buffer.frameLength) * buffer.stride
            unsafe samples += UnsafeBufferPointer(start: channels[0], count: count)
        } while buffer.frameLength > 0
        return samples
    }

    private func samples(_ data: Data) -> [Int16] {
        unsafe data.withUnsafeBytes { unsafe Array($0.bindMemory(to: Int16.self)) }
    }
}
