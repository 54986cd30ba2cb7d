package import UndersongLibrary
import UndersongPlayback

/// The sound and the tags of a file, as a library keeps them.
package struct MediaSurvey: Sendable {
    /// The bytes at the start and at the end of a file that are read in any case.
    static let (firstBytes, lastBytes) = (16 << 10, 256)

    package var sound: TrackSound
    package var fields: TagFields

    init(_ sound: TrackSound, _ fields: TagFields) {
        self.sound = sound
        self.fields = fields
    }

    /// The survey of a file of `size` bytes that had to be opened by a decoder.
    init(_ description: MediaDescription, size: Int?, _ fields: TagFields) {
        let duration = description.duration
        sound = TrackSound(
            seconds: duration.isNumeric ? duration.seconds : nil, SoundFormat(description))
        sound.setBitRate(ofBytes: size ?? 0)
        self.fields = fields
    }
}

extension TrackSound {
    /// Sets the mean bit rate of sound with this many bytes, if the length is known.
    mutating func setBitRate(ofBytes count: Int) {
        guard let seconds, seconds > 0.1, count > 0 else { return }
        bitRate = Int(min(Double(count) * 8 / seconds, 1e9).rounded())
    }
}
