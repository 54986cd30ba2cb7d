import AVFoundation

/// Plays sound files without a gap, and the end of the last one again, written as in any AVAudioEngine
/// tutorial.
func audioEngine(_ urls: [URL]) async throws {
    try AVAudioSession.sharedInstance().setCategory(.playback)
    let files = try urls.map { try AVAudioFile(forReading: $0) }
    let player = try EnginePlayer(format: files[0].processingFormat)
    try await player.play(files)
    print("Finished")
}

final class EnginePlayer {
    private let engine = AVAudioEngine()
    private let player = AVAudioPlayerNode()
    private let timePitch = AVAudioUnitTimePitch()

    init(format: AVAudioFormat) throws {
        engine.attach(player)
        engine.attach(timePitch)
        engine.connect(player, to: timePitch, format: format)
        engine.connect(timePitch, to: engine.mainMixerNode, format: format)
        engine.prepare()
        try engine.start()
    }

    var currentFrame: AVAudioFramePosition? {
        guard let nodeTime = player.lastRenderTime else { return nil }
        return player.playerTime(forNodeTime: nodeTime)?.sampleTime
    }

    func play(_ files: [AVAudioFile]) async throws {
        for file in files { player.scheduleFile(file, at: nil, completionHandler: nil) }
        guard let last = files.last,
            let buffer = AVAudioPCMBuffer(
                pcmFormat: last.processingFormat,
                frameCapacity: AVAudioFrameCount(last.length / 2))
        else { return }
        last.framePosition = last.length - AVAudioFramePosition(buffer.frameCapacity)
        try last.read(into: buffer)
        async let end = player.scheduleBuffer(buffer, completionCallbackType: .dataPlayedBack)
        player.play()
        print("Playing: \(player.isPlaying)")
        _ = await end
        let length = files.map(\.length).reduce(AVAudioFramePosition(buffer.frameLength), +)
        if let currentFrame { print("Played to the end: \(currentFrame >= length)") }
        player.stop()
        engine.stop()
    }
}
