import Foundation

/// Sound in memory, made accessible to the decoder as an unnamed file.
struct SoundData: Sendable {
    /// The sound.
    let data: Data
    private let file: UnnamedFile

    /// The path for the decoder, valid during this object's lifetime.
    var path: String { file.path }

    /// Writes `data` to the folder for temporary files.
    /// - Throws: Foundation's error.
    init(_ data: Data) throws {
        file = try UnnamedFile { try $0.write(contentsOf: data) }
        self.data = data
    }
}
