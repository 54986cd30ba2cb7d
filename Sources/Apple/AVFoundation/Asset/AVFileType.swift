/// A file format, with Apple's names.
public struct AVFileType: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String

    /// Makes a format of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// MPEG audio, layer III.
    public static let mp3 = AVFileType(rawValue: "public.mp3")
    /// For ported code only; it is not played.
    public static let m4a = AVFileType(rawValue: "com.apple.m4a-audio")
    /// WAV audio.
    public static let wav = AVFileType(rawValue: "com.microsoft.waveform-audio")
    /// AIFF audio.
    public static let aiff = AVFileType(rawValue: "public.aiff-audio")
    /// For ported code only; it is not played.
    public static let caf = AVFileType(rawValue: "com.apple.coreaudio-format")
    /// For ported code only; it is not played.
    public static let mp4 = AVFileType(rawValue: "public.mpeg-4")
}
