import UndersongPlayback

/// MPEG audio, Layers I to III, by libmpg123. It has no signature: a file that does not begin with
/// a frame is searched for one.
struct MPEGCodec: AudioCodec {
    /// Pictures are not read from tags longer than this, in bytes.
    private static let pictureLimit = 32 << 20

    let fileExtensions = ["mp3", "mp2", "mpga"]
    let mayBeWide = false

    func recognizes(_ head: [UInt8]) -> Bool { MPEGFrameHeader(head) != nil || isWAVOfMPEG(head) }

    func decoder(for file: MediaFile) throws(MediaError) -> any AudioDecoder {
        try Mpg123Decoder(file)
    }

    func tags(of file: MediaFile) throws(MediaError) -> MediaTags {
        var tags = MediaTags()
        let hasRoom = id3v2Length(file.head(10)) <= Self.pictureLimit
        let handle = try Mpg123Handle(file, confirmsFrames: true)
        if hasRoom { handle.keepPictures() }
        // The tags are read on the way to the first frame.
        _ = handle.format()
        handle.forEachTag { tags.add(MediaTags.Text(name: $0, detail: $1, text: $2)) }
        handle.forEachPicture { tags.pictures.append($0) }
        return tags
    }

    func survey(_ file: MediaFile) throws(MediaError) -> MediaSurvey {
        var survey = MPEGSurvey(file, size: file.size ?? 0)
        if let sound = survey.sound() { return MediaSurvey(sound, survey.fields) }
        let description = try Mpg123Decoder(file).description
        var fields = survey.fields
        fields.gain.complete(with: description.replayGain)
        return MediaSurvey(description, size: file.size, fields)
    }

    func structure(of file: MediaFile) throws(MediaError) -> FileStructure? {
        try FrameWalk(file)?.structure
    }
}

/// True if it is a WAV file whose `fmt ` chunk, at its usual offset, names MPEG audio (0x50) or MP3
/// (0x55).
func isWAVOfMPEG(_ head: [UInt8]) -> Bool {
    guard head.count >= 22, head.starts(with: "RIFF".utf8),
        head[8..<16].elementsEqual("WAVEfmt ".utf8)
    else { return false }
    let tag = Int(head[20]) | Int(head[21]) << 8
    return tag == 0x50 || tag == 0x55
}
