import AVFoundation

/// The levels of a song, measured in its file: a player has no meter.
struct SongLevels: Sendable {
    /// Seconds between two levels.
    static let interval = 0.05
    /// Decibels below full scale that are shown as 0.
    private static let range = 48.0

    private var levels: [Double] = []

    /// Measures a file, all of which is read.
    ///
    /// - Throws: The file cannot be read, or the task is cancelled.
    init(of url: URL) throws {
        let file = try AVAudioFile(forReading: url)
        let format = file.processingFormat
        let count = AVAudioFrameCount(format.sampleRate * Self.interval)
        guard let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: count) else { return }
        while true {
            try Task.checkCancellation()
            try file.read(into: buffer, frameCount: count)
            guard buffer.frameLength > 0 else { return }
            levels.append(Self.level(of: buffer))
        }
    }

    /// The level at a time of the song, from 0 to 1; nil outside of it.
    func level(at seconds: Double) -> Double? {
        let index = (seconds / Self.interval).rounded(.down)
        guard index >= 0, index < Double(levels.count) else { return nil }
        return levels[Int(index)]
    }

    /// The mean level of a buffer in decibels, from the silence that is shown as 0 to full scale.
    private static func level(of buffer: AVAudioPCMBuffer) -> Double {
        guard let channels = buffer.floatChannelData else { return 0 }
        let frames = Int(buffer.frameLength)
        var sum = 0.0
        for channel in 0..<Int(buffer.format.channelCount) {
            for frame in 0..<frames {
                let sample = Double(channels[channel][frame])
                sum += sample * sample
            }
        }
        let mean = sum / Double(frames * Int(buffer.format.channelCount))
        // A sine at full scale has a mean square of a half.
        return min(max(1 + 10 * log10(2 * mean) / range, 0), 1)
    }
}
