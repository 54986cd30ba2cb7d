import AVFoundation
import TestSupport
import Testing

extension Players {
    @Suite struct `An audio player` {
        @Test func `An audio player has its file's properties once created`() throws {
            let player = try AVAudioPlayer.silent(Sound.url(0))

            #expect(player.url == Sound.url(0))
            #expect(player.data == nil)
            #expect(player.duration == 1_270_820.0 / 44100)
            #expect(player.numberOfChannels == 2)
            #expect(player.format.sampleRate == 44100)
            #expect(player.settings[AVSampleRateKey] as? Double == 44100)
            #expect(player.settings[AVNumberOfChannelsKey] as? Int == 2)
            #expect(player.settings[AVFormatIDKey] as? AudioFormatID == kAudioFormatMPEGLayer3)
            #expect(!player.isPlaying)
            #expect(player.currentTime == 0)
            #expect(player.numberOfLoops == 0)
            #expect(player.rate == 1)
            #expect(player.volume == 1)
        }

        @Test func `An audio player of nothing does not play`() {
            AVPlayer.outputDestination = .null

            let player = AVAudioPlayer()

            #expect(!player.prepareToPlay())
            #expect(!player.play())
            #expect(!player.isPlaying)
            #expect(player.url == nil)
            #expect(player.duration == 0 && player.currentTime == 0)
        }

        @Test(.rule("T48"))
        func `An audio player has an exact duration even if the header does not state it`() throws {
            let file = try TaggedFile.withoutLength()

            let player = try AVAudioPlayer.silent(file.url)

            #expect(player.duration == 1_274_112.0 / 44100)
        }

        @Test func `An audio player cannot be created for a file that cannot be opened`() {
            let missing = #expect(throws: AVError.self) {
                try AVAudioPlayer(contentsOf: URL(fileURLWithPath: "/nowhere/nothing.mp3"))
            }
            let text = #expect(throws: AVError.self) {
                try AVAudioPlayer(data: Data("no music".utf8))
            }

            #expect(
                missing?.localizedDescription
                    == "cannot open /nowhere/nothing.mp3: No such file or directory")
            #expect(text?.code == .fileFormatNotRecognized)
        }

        @Test func `An audio player calls its delegate once at the end`() async throws {
            let file = try TaggedFile([])
            let player = try AVAudioPlayer.silent(file.url, fromEnd: 0.2)
            let ends = Ends()
            player.delegate = ends

            #expect(player.play())
            #expect(player.isPlaying)
            await ends.log.wait { !$0.isEmpty }

            #expect(ends.log.all == ["finished true"])
            #expect(!player.isPlaying)
            #expect(player.currentTime == 0)
            player.currentTime = player.duration - 0.2
            player.play()
            await ends.log.wait { $0.count == 2 }
            #expect(ends.log.all == ["finished true", "finished true"])
        }

        @Test(.rule("T34")) func `An audio player repeats as often as numberOfLoops says`()
            async throws
        {
            let sound = try Data(contentsOf: Sound.url(0))
            let player = try AVAudioPlayer.silent(data: sound.prefix(12_000))
            let ends = Ends()
            player.delegate = ends
            player.numberOfLoops = 3
            let clock = ContinuousClock()

            player.play()
            let start = clock.now
            await ends.log.wait { !$0.isEmpty }

            let wall = clock.now - start
            #expect(wall >= .seconds(player.duration * 3.8))
            // A generous limit for a busy machine: a player that loops endlessly would not end at
            // all.
            #expect(wall < .seconds(player.duration * 40))
            #expect(ends.log.all == ["finished true"])
        }

        @Test(.rule("T34")) func `An audio player repeats endlessly until numberOfLoops is reset`()
            async throws
        {
            let sound = try Data(contentsOf: Sound.url(0))
            let player = try AVAudioPlayer.silent(data: sound.prefix(6000))
            let ends = Ends()
            player.delegate = ends
            player.numberOfLoops = -1
            player.play()
            var (turns, last) = (0, 0.0)
            try await eventually {
                let now = player.currentTime
                if now < last { turns += 1 }
                last = now
                return turns == 5
            }
            #expect(player.isPlaying)

            player.numberOfLoops = 0
            await ends.log.wait { !$0.isEmpty }

            #expect(ends.log.all == ["finished true"])
        }

        @Test(.rule("T38")) func `An audio player starts at a time set before playback`()
            async throws
        {
            let player = try AVAudioPlayer.silent(Sound.url(0))
            let start = player.deviceCurrentTime

            player.currentTime = 20
            #expect(player.currentTime == 20)
            player.prepareToPlay()
            #expect(player.currentTime == 20)
            player.play()
            try await player.waitFor { $0 > 20 }

            #expect(player.deviceCurrentTime - start < 10)
        }

        @Test(.rule("T40")) func `An audio player seeks during playback`() async throws {
            let player = try AVAudioPlayer.silent(Sound.url(0))
            let start = player.deviceCurrentTime
            player.play()
            try await player.waitFor { $0 > 0.05 }

            player.currentTime = 20
            #expect(abs(player.currentTime - 20) < 5)

            try await player.waitFor { $0 > 20.05 }
            #expect(player.deviceCurrentTime - start < 10)
        }

        @Test func `An audio player keeps its position when paused and when stopped`() async throws
        {
            let player = try AVAudioPlayer.silent(Sound.url(0))
            player.currentTime = 5
            player.play()
            try await player.waitFor { $0 > 5.1 }

            player.pause()
            #expect(!player.isPlaying)
            #expect(player.currentTime > 5)
            player.play()
            try await player.waitFor { $0 > 5.2 }
            player.stop()

            let place = player.currentTime
            #expect(!player.isPlaying)
            #expect(place > 5.1)
            #expect(place < 15)
            player.play()
            try await player.waitFor { $0 > place }
            #expect(player.currentTime - place < 5)
        }

        @Test func `An audio player uses another rate only if enableRate is set`() async throws {
            let sound = try Data(contentsOf: Sound.url(0))
            let slow = try AVAudioPlayer.silent(data: sound.prefix(20_000))
            let fast = try AVAudioPlayer.silent(data: sound.prefix(20_000))
            fast.enableRate = true
            let (slowEnds, fastEnds) = (Ends(), Ends())
            (slow.delegate, fast.delegate) = (slowEnds, fastEnds)
            (slow.rate, fast.rate) = (2, 2)

            slow.play()
            fast.play()
            await fastEnds.log.wait { !$0.isEmpty }

            #expect(slow.isPlaying)
            await slowEnds.log.wait { !$0.isEmpty }
        }

        @Test func `An audio player starts at a time of the device's clock`() async throws {
            let player = try AVAudioPlayer.silent(Sound.url(0))
            let time = player.deviceCurrentTime + 0.3

            #expect(player.play(atTime: time))
            #expect(!player.isPlaying)
            try await player.waitFor { $0 > 0 }

            #expect(player.isPlaying)
            #expect(player.deviceCurrentTime >= time)
        }

        @Test func `An audio player does not start at a device's time if paused before it`()
            async throws
        {
            let player = try AVAudioPlayer.silent(Sound.url(0))
            let other = try AVAudioPlayer.silent(Sound.url(1))
            player.play(atTime: player.deviceCurrentTime + 0.1)

            player.pause()
            other.play(atTime: other.deviceCurrentTime + 0.2)
            try await other.waitFor { $0 > 0 }

            #expect(!player.isPlaying)
        }

        @Test func `An audio player reaches the new volume within the fade's duration`()
            async throws
        {
            let player = try AVAudioPlayer.silent(Sound.url(0))
            let start = player.deviceCurrentTime

            player.setVolume(0.5, fadeDuration: 0.2)
            #expect(player.volume > 0.9)
            try await eventually { player.volume <= 0.5 }

            #expect(player.deviceCurrentTime - start >= 0.17)
            player.volume = 3
            #expect(player.volume == 1)
            player.setVolume(0, fadeDuration: 60)
            player.volume = 0.25
            #expect(player.volume == 0.25)
        }

        @Test func `An audio player plays from memory and keeps the data`() async throws {
            let sound = try Data(contentsOf: Sound.url(0))

            let player = try AVAudioPlayer.silent(data: sound)
            player.currentTime = 10
            player.play()
            try await player.waitFor { $0 > 10 }

            #expect(player.data == sound)
            #expect(player.url == nil)
        }

        @Test func `An audio player reports decoding errors to its delegate`() async throws {
            let file = try TaggedFile([])
            let player = try AVAudioPlayer.silent(file.url)
            player.numberOfLoops = 2
            let ends = Ends()
            player.delegate = ends
            file.remove()

            player.play()
            await ends.log.wait { $0.count == 2 }

            #expect(
                ends.log.all == [
                    "cannot open \(file.url.path): No such file or directory", "finished false",
                ])
            #expect(!player.isPlaying)
        }

        @Test func `An audio player does not retain its delegate`() throws {
            let player = try AVAudioPlayer.silent(Sound.url(0))

            player.delegate = Ends()

            #expect(player.delegate == nil)
        }

        @Test func `An audio player keeps the time at which it was paused, and plays from there`()
            async throws
        {
            let player = try AVAudioPlayer.silent(Sound.url(0))
            let other = try AVAudioPlayer.silent(Sound.url(1), fromEnd: 0.3)
            let ends = Ends()
            other.delegate = ends
            player.play()
            try await player.waitFor { $0 > 0.05 }

            player.pause()
            let time = player.currentTime
            // The other's sound takes longer than the device plays on.
            other.play()
            await ends.log.wait { !$0.isEmpty }

            #expect(player.currentTime == time)
            player.pause()
            #expect(player.currentTime == time)
            player.play()
            try await player.waitFor { $0 > time }
            player.pause()
            player.currentTime = 5
            #expect(player.currentTime == 5)
        }

        @Test func `An audio player is silent during an interruption and resumes after it`()
            async throws
        {
            let host = AVAudioSession.sharedInstance().host
            let player = try AVAudioPlayer.silent(Sound.url(0))
            player.play()
            try await player.waitFor { $0 > 0 }

            host.beginInterruption()
            #expect(!player.isPlaying)
            #expect(!player.play())
            host.endInterruption(shouldResume: true)

            #expect(player.isPlaying)
            let place = player.currentTime
            try await player.waitFor { $0 > place }
        }
    }
}

/// Records a player's delegate calls.
private final class Ends: NSObject, AVAudioPlayerDelegate {
    let log = Log()

    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
        log.note("finished \(flag)")
    }

    func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {
        log.note("\(error?.localizedDescription ?? "none")")
    }
}

extension AVAudioPlayer {
    /// A player without a device that runs at a device's pace.
    fileprivate static func silent(_ url: URL, fromEnd seconds: Double? = nil) throws
        -> AVAudioPlayer
    {
        AVPlayer.outputDestination = .null
        let player = try AVAudioPlayer(contentsOf: url, fileTypeHint: AVFileType.mp3.rawValue)
        if let seconds { player.currentTime = player.duration - seconds }
        return player
    }

    fileprivate static func silent(data: Data) throws -> AVAudioPlayer {
        AVPlayer.outputDestination = .null
        return try AVAudioPlayer(data: data)
    }

    /// Waits until the time reaches the wanted value. Polls, since the time cannot be observed.
    fileprivate func waitFor(_ isReached: (TimeInterval) -> Bool) async throws {
        try await eventually { isReached(currentTime) }
    }
}
