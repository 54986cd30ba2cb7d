import Foundation
import Testing
import UndersongPlayback

@testable import UndersongAudioIO

@Suite struct `The registry of decoders` {
    private static let registry = DecoderRegistry(
        codecs: [MarkedCodec("ONE!", "one", "uno"), MarkedCodec("TWO!", "two")],
        searching: MarkedCodec("LAST", "last"))

    @Test func `The registry of decoders has the extensions of all codecs`() {
        #expect(Self.registry.fileExtensions == ["one", "uno", "two", "last"])
        #expect(
            DecoderRegistry.standard.fileExtensions == [
                "flac", "ogg", "oga", "opus", "wav", "aiff", "aif", "aifc", "caf", "au", "snd",
                "w64", "rf64", "voc", "mp3", "mp2", "mpga",
            ])
    }

    @Test(arguments: [
        ("a.one", "TWO!", "two"), ("a.two", "ONE!", "one"), ("a.mp3", "ONE!", "one"),
        ("a.two", "ID3\u{3}\0\0\0\0\0\u{2}xxONE!", "one"),
    ])
    func `The registry of decoders decides by the content of a file, whatever its name`(
        name: String, content: String, codec: String
    ) throws {
        #expect(try self.codec(of: name, content) == codec)
    }

    @Test(arguments: [("a.two", "two"), ("a.TWO", "two"), ("a.uno", "one"), ("a.b/two", "last")])
    func `The registry of decoders decides by the name if the content is inconclusive`(
        name: String, codec: String
    ) throws {
        #expect(try self.codec(of: name, "What is it?") == codec)
    }

    @Test
    func `The registry of decoders searches a file for music if name and content do not decide`()
        throws
    {
        #expect(try codec(of: "two", "What is it?") == "last")
        #expect(try codec(of: "a.three", "T") == "last")
    }

    @Test(arguments: [
        ("TTA1", "True Audio, which is not supported"),
        ("wvpk", "WavPack audio, which is not supported"),
        ("MThd", "a MIDI file, which is not supported"),
        ("    ftyp", "an MP4 file, which is not supported"),
        ("\u{7F}ELF", "an executable, not a sound file"),
        ("GIF89a", "a GIF image, not a sound file"),
    ])
    func `The registry of decoders refuses a format that no codec knows, whatever the name`(
        content: String, format: String
    ) throws {
        let name = "a.one"
        let error = #expect(throws: MediaError.self) { try codec(of: name, content) }

        #expect(error?.code == .unsupportedFormat)
        #expect(error?.operation.hasPrefix("play /") == true)
        #expect(error?.operation.hasSuffix("/\(name)") == true)
        #expect(error?.reason == "It is \(format)")
    }

    @Test(arguments: [
        "caff", ".snd", "dns.", "riff\u{2E}", "RIFX    WAVE", "FORM    8SVX", "NIST_1A", "PVF1",
        "Creative Voice File",
    ])
    func `libsndfile reads a file that it knows, even if that is named like an MP3`(
        content: String
    ) throws {
        // The bytes after the point of a Wave64 file are not UTF-8.
        let bytes = Array(content.utf8) + (content.hasPrefix("riff") ? [0x91, 0xCF, 0x11] : [])
        #expect(try codec(of: "a.mp3", bytes, in: .standard) == "flac")
    }

    @Test func `The registry of decoders plays an unknown format once a codec knows it`() throws {
        let registry = DecoderRegistry(
            codecs: [MarkedCodec("OggS", "ogg")], searching: MarkedCodec("LAST", "last"))

        #expect(try codec(of: "a.last", "OggS", in: registry) == "ogg")
    }

    /// The extension of the codec chosen for a file of this name and content.
    private func codec(
        of name: String, _ content: String, in registry: DecoderRegistry = Self.registry
    ) throws -> String? {
        try codec(of: name, Array(content.utf8), in: registry)
    }

    private func codec(
        of name: String, _ content: [UInt8], in registry: DecoderRegistry
    ) throws -> String? {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(content).write(to: file)
        return try registry.codec(for: MediaFile(.file(path: file.path))).fileExtensions.first
    }
}

/// Recognizes its files by their first four bytes.
private struct MarkedCodec: AudioCodec {
    let mark: String
    let fileExtensions: [String]
    let mayBeWide = false

    init(_ mark: String, _ fileExtensions: String...) {
        self.mark = mark
        self.fileExtensions = fileExtensions
    }

    func recognizes(_ head: [UInt8]) -> Bool { head.starts(with: mark.utf8) }

    func decoder(for file: MediaFile) throws(MediaError) -> any AudioDecoder {
        throw MediaError(.noFrames, operation: "play \(file.path)", reason: "It has none")
    }

    func survey(_ file: MediaFile) throws(MediaError) -> MediaSurvey {
        throw MediaError(.noFrames, operation: "survey \(file.path)", reason: "It has none")
    }

    func tags(of file: MediaFile) -> MediaTags { MediaTags() }

    func structure(of file: MediaFile) -> FileStructure? { nil }
}
