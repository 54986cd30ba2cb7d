import AVFoundation
import Foundation
import TestSupport
import Testing

extension Players {
    @Suite struct `An audio engine` {
        private let session = AVAudioSession.sharedInstance()

        @Test func `An audio engine connects nodes and reports their formats`() throws {
            let engine = AVAudioEngine.silent()
            let (node, pitch) = (AVAudioPlayerNode(), AVAudioUnitTimePitch())
            let format = try #require(
                AVAudioFormat(standardFormatWithSampleRate: 22_050, channels: 1))

            engine.attach(node)
            engine.attach(pitch)
            engine.connect(node, to: pitch, format: format)
            engine.connect(pitch, to: engine.mainMixerNode, format: nil)

            #expect(node.engine === engine)
            #expect(node.outputFormat(forBus: 0) == format)
            #expect(pitch.inputFormat(forBus: 0) == format)
            #expect(pitch.outputFormat(forBus: 0).sampleRate == session.sampleRate)
            #expect(
                engine.attachedNodes
                    == [node, pitch, engine.mainMixerNode, engine.outputNode])
            #expect(engine.mainMixerNode.nextAvailableInputBus == 1)
            let other = AVAudioPlayerNode()
            engine.attach(other)
            engine.connect(other, to: engine.mainMixerNode, fromBus: 0, toBus: 0, format: format)
            #expect(engine.mainMixerNode.inputFormat(forBus: 0) == format)
            engine.detach(other)
            engine.connect(pitch, to: engine.mainMixerNode, format: nil)
            engine.detach(pitch)
            #expect(engine.mainMixerNode.nextAvailableInputBus == 0)
            #expect(pitch.engine == nil)
        }

        @Test func `An audio engine has no times before it is started and while it is paused`()
            throws
        {
            let engine = AVAudioEngine.silent()
            let node = engine.playerNode()
            node.play()

            #expect(node.lastRenderTime == nil)
            try engine.start()
            #expect(engine.isRunning)
            let time = try #require(node.lastRenderTime)
            #expect(node.playerTime(forNodeTime: time) != nil)
            #expect(time.isHostTimeValid && time.isSampleTimeValid)
            engine.pause()

            #expect(!engine.isRunning)
            #expect(node.isPlaying)
            #expect(node.lastRenderTime == nil)
            #expect(node.playerTime(forNodeTime: time) == nil)
        }

        @Test
        func `An audio engine plays files, parts and buffers without a gap, to the frame`()
            async throws
        {
            let file = try AVAudioFile(
                forReading: Sound.url(0), commonFormat: .pcmFormatInt16, interleaved: true)
            let buffer = try file.buffer(from: 300_000, frames: 3000)
            let heard = try await written { engine, done in
                let node = engine.playerNode(file.processingFormat)
                node.scheduleSegment(file, startingFrame: 100_000, frameCount: 20_000, at: nil)
                node.scheduleBuffer(buffer)
                node.scheduleSegment(
                    file, startingFrame: 250_000, frameCount: 10_000,
                    at: AVAudioTime(sampleTime: 24_000, atRate: 44_100))
                node.scheduleBuffer(
                    buffer, completionCallbackType: .dataPlayedBack, completionHandler: done)
                node.play()
            }

            let expected =
                try file.samples(100_000, 20_000) + file.samples(300_000, 3000)
                + [Int16](repeating: 0, count: 1000 * 2)
                + file.samples(250_000, 10_000) + file.samples(300_000, 3000)
            #expect(heard.count == expected.count)
            #expect(heard == expected.map { Float($0) / 32768 })
        }

        @Test func `An audio engine plays buffers of floats unchanged`() async throws {
            let format = try #require(
                AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2))
            let buffer = try AVAudioPCMBuffer.floats(format, frames: 4800) { frame, channel in
                channel == 0 ? Float(frame) / 8192 : -Float(frame) / 16384
            }

            let heard = try await written { engine, done in
                let node = engine.playerNode(format)
                node.scheduleBuffer(buffer)
                node.scheduleBuffer(
                    buffer, completionCallbackType: .dataPlayedBack, completionHandler: done)
                node.play()
            }

            let once = (0..<4800).flatMap { [Float($0) / 8192, -Float($0) / 16384] }
            #expect(heard == once + once)
        }

        @Test func `An audio engine calls back in order, after the end and after a stop`()
            async throws
        {
            let engine = AVAudioEngine.silent()
            let node = engine.playerNode()
            let file = try AVAudioFile(forReading: Sound.url(0))
            let log = Log()
            for name in ["a", "b"] {
                node.scheduleSegment(
                    file, startingFrame: 0, frameCount: 4410, at: nil,
                    completionCallbackType: .dataPlayedBack
                ) { log.note("\(name) \($0.rawValue)") }
            }
            try engine.start()
            node.play()
            await log.wait { $0.count == 2 }
            node.scheduleFile(file, at: nil) { log.note("consumed") }
            node.scheduleFile(file, at: nil, completionCallbackType: .dataRendered) {
                log.note("rendered \($0.rawValue)")
            }

            node.stop()
            await log.wait { $0.count == 4 }

            #expect(log.all == ["a 2", "b 2", "consumed", "rendered 1"])
            #expect(!node.isPlaying)
        }

        @Test func `An audio engine calls back before the end for what is consumed`() async throws {
            let engine = AVAudioEngine.silent()
            let node = engine.playerNode()
            let file = try AVAudioFile(forReading: Sound.url(0))
            let log = Log()
            try engine.start()
            node.play()
            node.scheduleSegment(file, startingFrame: 0, frameCount: 88_200, at: nil) {
                log.note("consumed")
            }

            await log.wait { !$0.isEmpty }

            let time = try #require(node.time)
            #expect(time >= 1.8)
            await node.scheduleSegment(
                file, startingFrame: 0, frameCount: 4410, at: nil,
                completionCallbackType: .dataPlayedBack)
        }

        @Test func `An audio engine calls back for nothing, and for what cannot be played`()
            async throws
        {
            let engine = AVAudioEngine.silent()
            let node = engine.playerNode()
            let file = try TaggedFile([])
            let sound = try AVAudioFile(forReading: file.url)
            let log = Log()
            try engine.start()
            node.play()
            node.scheduleSegment(sound, startingFrame: 1_000_000_000, frameCount: 5, at: nil) {
                log.note("nothing")
            }
            await log.wait { $0 == ["nothing"] }
            file.remove()

            node.scheduleFile(sound, at: nil, completionCallbackType: .dataPlayedBack) { _ in
                log.note("gone")
            }

            await log.wait { $0 == ["nothing", "gone"] }
        }

        @Test func `An audio engine counts what is heard, and stops while paused`() async throws {
            let engine = AVAudioEngine.silent()
            let node = engine.playerNode()
            let file = try AVAudioFile(forReading: Sound.url(0))
            node.scheduleSegment(
                file, startingFrame: 441_000, frameCount: 441_000, at: nil, completionHandler: nil)
            try engine.start()
            node.play()
            try await eventually { (node.time ?? 0) > 0.1 }
            engine.pause()
            #expect(node.time == nil)
            try engine.start()
            try await eventually { (node.time ?? 0) > 0.2 }
            let time = try #require(node.time)
            #expect(time < 10)

            node.pause()
            #expect(!node.isPlaying && node.time == nil)
            node.play()
            try await eventually { (node.time ?? 0) > time }
            let moment = try #require(
                node.nodeTime(forPlayerTime: AVAudioTime(sampleTime: 882_000, atRate: 44_100)))
            let now = try #require(node.lastRenderTime)
            #expect(moment.hostTime > now.hostTime)
            let back = try #require(node.playerTime(forNodeTime: moment))
            #expect(abs(back.sampleTime - 882_000) < 44_100)
            node.stop()

            node.play()
            let later = try #require(node.lastRenderTime)
            let counted = try #require(node.playerTime(forNodeTime: later))
            let elapsed = AVAudioTime.seconds(forHostTime: later.hostTime - now.hostTime)
            #expect(Double(counted.sampleTime) / counted.sampleRate <= elapsed)
        }

        @Test func `An audio engine plays faster what comes through a time pitch`() async throws {
            let engine = AVAudioEngine.silent()
            let (node, pitch) = (AVAudioPlayerNode(), AVAudioUnitTimePitch())
            let other = engine.playerNode()
            let file = try AVAudioFile(forReading: Sound.url(0))
            engine.attach(node)
            engine.attach(pitch)
            engine.connect(node, to: pitch, format: file.processingFormat)
            engine.connect(pitch, to: engine.mainMixerNode, format: nil)
            pitch.rate = 4
            for node in [node, other] { node.scheduleFile(file, at: nil, completionHandler: nil) }
            try engine.start()

            for node in [node, other] { node.play() }
            try await eventually { (node.time ?? 0) > 2 }

            let (fast, slow) = try (#require(node.time), #require(other.time))
            #expect(fast > slow * 2)
            pitch.bypass = true
            #expect(pitch.rate == 4)
            (pitch.rate, pitch.pitch) = (100, -9999)
            #expect(pitch.rate == 32 && pitch.pitch == -2400)
        }

        @Test(arguments: [(true, 882.0, 66_150), (false, 661.5, 44_100)])
        func `An audio engine plays what comes through a time pitch or a varispeed higher`(
            isTimePitch: Bool, frequency: Double, frames: Int
        ) async throws {
            let format = try #require(
                AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 1))
            let buffer = try AVAudioPCMBuffer.floats(format, frames: 66_150) { frame, _ in
                Float(sin(Double(frame) / 100 * 2 * .pi)) / 2
            }

            let heard = try await written { engine, done in
                let node = AVAudioPlayerNode()
                let (pitch, speed) = (AVAudioUnitTimePitch(), AVAudioUnitVarispeed())
                pitch.pitch = 1200
                speed.rate = 1.5
                let effect = isTimePitch ? pitch : speed
                engine.attach(node)
                engine.attach(effect)
                engine.connect(node, to: effect, format: format)
                engine.connect(effect, to: engine.mainMixerNode, format: format)
                node.scheduleBuffer(
                    buffer, completionCallbackType: .dataPlayedBack, completionHandler: done)
                node.play()
            }

            let crossings = zip(heard, heard.dropFirst()).enumerated()
                .filter { $1.0 < 0 && $1.1 >= 0 }.map(\.offset)
            let (first, last) = try (#require(crossings.first), #require(crossings.last))
            let heardFrequency = Double(crossings.count - 1) * 44_100 / Double(last - first)
            #expect(abs(heardFrequency / frequency - 1) < 0.01)
            #expect(abs(heard.count - frames) <= 1)
        }

        @Test func `An audio engine repeats a buffer until another interrupts it`() async throws {
            let engine = AVAudioEngine.silent()
            let node = engine.playerNode()
            let file = try AVAudioFile(forReading: Sound.url(0))
            let log = Log()
            node.scheduleBuffer(
                try file.buffer(from: 0, frames: 2205), at: nil, options: .loops,
                completionCallbackType: .dataPlayedBack
            ) { _ in log.note("loop") }
            try engine.start()
            node.play()
            try await eventually { (node.time ?? 0) > 0.2 }
            #expect(log.all.isEmpty)

            node.scheduleBuffer(
                try file.buffer(from: 0, frames: 2205), at: nil, options: .interruptsAtLoop,
                completionCallbackType: .dataPlayedBack
            ) { _ in log.note("after the loop") }
            await log.wait { $0.count == 2 }
            node.scheduleBuffer(
                try file.buffer(from: 0, frames: 441_000), at: nil,
                completionCallbackType: .dataPlayedBack
            ) { _ in log.note("interrupted") }
            node.scheduleBuffer(
                try file.buffer(from: 0, frames: 2205), at: nil, options: .interrupts,
                completionCallbackType: .dataPlayedBack
            ) { _ in log.note("interrupting") }
            await log.wait { $0.count == 4 }

            #expect(log.all == ["loop", "after the loop", "interrupted", "interrupting"])
        }

        @Test func `An audio engine starts at a host time`() async throws {
            let engine = AVAudioEngine.silent()
            let node = engine.playerNode()
            try engine.start()
            let now = try #require(node.lastRenderTime)
            let start = AVAudioTime(
                hostTime: now.hostTime + AVAudioTime.hostTime(forSeconds: 0.2))

            node.play(at: start)
            let isEarly = !node.isPlaying
            let soon = try #require(node.lastRenderTime)
            #expect(isEarly || soon.hostTime >= start.hostTime)
            try await eventually { node.isPlaying }

            #expect(try #require(node.lastRenderTime).hostTime >= start.hostTime)
        }

        @Test
        func `An audio engine is paused by an interruption, and continues when it is started`()
            async throws
        {
            let engine = AVAudioEngine.silent()
            let node = engine.playerNode()
            node.scheduleFile(
                try AVAudioFile(forReading: Sound.url(0)), at: nil, completionHandler: nil)
            try engine.start()
            node.play()
            try await eventually { (node.time ?? 0) > 0 }

            session.host.beginInterruption()
            #expect(!engine.isRunning)
            session.host.endInterruption(shouldResume: true)
            #expect(!engine.isRunning)
            try engine.start()

            let time = try #require(node.time)
            try await eventually { (node.time ?? 0) > time }
        }

        @Test
        func `An audio engine stops its nodes when it is stopped, and a node that is detached`()
            async throws
        {
            let engine = AVAudioEngine.silent()
            let (node, other) = (engine.playerNode(), engine.playerNode())
            let file = try AVAudioFile(forReading: Sound.url(0))
            let log = Log()
            try engine.start()
            for node in [node, other] {
                node.scheduleFile(file, at: nil) { log.note("discarded") }
                node.play()
            }

            engine.detach(other)
            await log.wait { $0.count == 1 }
            #expect(!other.isPlaying && node.isPlaying)
            engine.stop()
            await log.wait { $0.count == 2 }

            #expect(!node.isPlaying)
        }

        @Test func `An audio engine mixes at the product of the volumes`() async throws {
            let file = try AVAudioFile(
                forReading: Sound.url(0), commonFormat: .pcmFormatInt16, interleaved: true)

            let heard = try await written { engine, done in
                let node = engine.playerNode(file.processingFormat)
                node.volume = 0.5
                engine.mainMixerNode.outputVolume = 0.5
                node.scheduleSegment(
                    file, startingFrame: 200_000, frameCount: 10_000, at: nil,
                    completionCallbackType: .dataPlayedBack, completionHandler: done)
                node.play()
            }

            let plain = try file.samples(200_000, 10_000)
            #expect(heard.count == plain.count)
            #expect(zip(heard, plain).allSatisfy { abs($0 * 4 - Float($1) / 32768) < 0.0001 })
        }

        // MARK: Acting

        /// The output of an engine to a WAV file until what is scheduled with `done` was heard.
        private func written(
            _ schedule: (
                AVAudioEngine, _ done: @escaping AVAudioPlayerNodeCompletionHandler
            ) throws -> Void
        ) async throws -> [Float] {
            try await Sound.written {
                let engine = AVAudioEngine()
                let log = Log()
                try schedule(engine) { _ in log.note("done") }
                try engine.start()
                await log.wait(for: "done")
            }
        }
    }
}

extension AVAudioEngine {
    /// A player node that is connected to the mixer.
    fileprivate func playerNode(_ format: AVAudioFormat? = nil) -> AVAudioPlayerNode {
        let node = AVAudioPlayerNode()
        attach(node)
        connect(node, to: mainMixerNode, format: format)
        return node
    }

    /// An engine without a device that runs at a device's pace.
    fileprivate static func silent() -> AVAudioEngine {
        AVPlayer.outputDestination = .null
        return AVAudioEngine()
    }
}

extension AVAudioPlayerNode {
    /// The position heard now, in seconds; nil for silence.
    fileprivate var time: Double? {
        lastRenderTime.flatMap(playerTime(forNodeTime:)).map {
            Double($0.sampleTime) / $0.sampleRate
        }
    }
}

extension AVAudioFile {
    /// A buffer with frames of the file.
    fileprivate func buffer(from start: Int, frames: Int) throws -> AVAudioPCMBuffer {
        let buffer = try #require(
            AVAudioPCMBuffer(
                pcmFormat: processingFormat, frameCapacity: AVAudioFrameCount(frames)))
        framePosition = AVAudioFramePosition(start)
        try read(into: buffer)
        return buffer
    }

    /// Frames of a file of 16-bit integers.
    fileprivate func samples(_ start: Int, _ frames: Int) throws -> [Int16] {
        let buffer = try buffer(from: start, frames: frames)
        let samples = try #require(unsafe buffer.int16ChannelData)
        return unsafe Array(UnsafeBufferPointer(start: samples[0], count: frames * 2))
    }
}

extension AVAudioPCMBuffer {
    /// A full buffer of floats, by frame and channel.
    fileprivate static func floats(
        _ format: AVAudioFormat, frames: Int, _ value: (_ frame: Int, _ channel: Int) -> Float
    ) throws -> AVAudioPCMBuffer {
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(frames)))
        buffer.frameLength = AVAudioFrameCount(frames)
        let channels = try #require(unsafe buffer.floatChannelData)
        for channel in 0..<Int(format.channelCount) {
            for frame in 0..<frames { unsafe channels[channel][frame] = value(frame, channel) }
        }
        return buffer
    }
}
