import Glibc

@testable import UndersongAudioIO
@testable import UndersongBase
@testable import UndersongLibrary
@testable import UndersongPlayback

/// Reads a file for a library, for its tags, by a decoder to its end, and after a seek.
func readSound(_ bytes: [UInt8]) {
    guard let path = MemoryFile.path(of: bytes) else { return }
    let source = MediaSource.file(path: path)
    _ = try? DecoderRegistry.standard.survey(of: path)
    let tags = try? DecoderRegistry.standard.tags(of: source)
    if let tags { _ = Lyrics(tags.lyrics, texts: tags.texts.map(\.text)) }
    if let file = try? MediaFile(source) {
        _ = try? DecoderRegistry.standard.codec(for: file).structure(of: file)
    }
    guard let decoder = try? DecoderRegistry.standard.decoder(for: source) else { return }
    var samples = SampleBuffer()
    for _ in 0..<64 {
        guard (try? decoder.read(into: &samples)) != nil, !samples.isEmpty else { break }
    }
    for frame in [1000, 0, 1 << 40] {
        guard (try? decoder.seek(to: frame)) != nil else { break }
        _ = try? decoder.read(into: &samples)
    }
    _ = decoder.scan { false }
}

/// A file in memory with the bytes of the current input.
enum MemoryFile {
    private static let descriptor = {
        let name = "/dev/shm/undersong-fuzz-\(getpid()).input"
        defer { unlink(name) }
        return open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    }()

    static func path(of bytes: [UInt8]) -> FilePath? {
        guard ftruncate(descriptor, 0) == 0,
            pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
        else { return nil }
        return FilePath("/proc/self/fd/\(descriptor)")
    }
}
