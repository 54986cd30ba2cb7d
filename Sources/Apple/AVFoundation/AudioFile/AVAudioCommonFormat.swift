/// The storage of a format's samples, in the machine's byte order.
public enum AVAudioCommonFormat: UInt, Sendable {
    /// Any other way, such as in a file of a compressed format.
    case otherFormat = 0
    /// Floating-point numbers of 32 bits; 1 is full scale.
    case pcmFormatFloat32 = 1
    /// Floating-point numbers of 64 bits. Buffers and files are not read in it.
    case pcmFormatFloat64 = 2
    /// Signed integers of 16 bits.
    case pcmFormatInt16 = 3
    /// Signed integers of 32 bits. Buffers and files are not read in it.
    case pcmFormatInt32 = 4
}
