import UndersongPlayback

/// FLAC, Ogg Vorbis, Opus, WAV, AIFF, and the other formats that libsndfile knows by their first
/// bytes, such as CAF, AU and Wave64.
struct SoundFileCodec: AudioCodec {
    let fileExtensions = [
        "flac", "ogg", "oga", "opus", "wav", "aiff", "aif", "aifc", "caf", "au", "snd", "w64",
        "rf64", "voc",
    ]
    let mayBeWide = true

    func recognizes(_ head: [UInt8]) -> Bool {
        SoundFileContainer.kind(head) != nil && !isWAVOfMPEG(head)
    }

    func decoder(for file: MediaFile) throws(MediaError) -> any AudioDecoder {
        try SoundFileDecoder(file, container(of: file))
    }

    func tags(of file: MediaFile) throws(MediaError) -> MediaTags {
        let container = try container(of: file)
        var comments = container.comments(limit: SoundFileContainer.tagLimit)
        if container.hasOtherTexts {
            try SoundFileDecoder.open(file, container.links()[0].range)
                .forEachText { comments.add($0, $1) }
        }
        var tags = MediaTags()
        comments.add(to: &tags)
        tags.pictures += container.pictures()
        return tags
    }

    func survey(_ file: MediaFile) throws(MediaError) -> MediaSurvey {
        let container = try container(of: file)
        let survey = SoundFileSurvey(file, container, size: file.size ?? 0)
        var fields = survey.fields
        if let sound = survey.sound { return MediaSurvey(sound, fields) }
        let description = try SoundFileDecoder(file, container).description
        if container.hasOtherTexts {
            try SoundFileDecoder.open(file, container.links()[0].range)
                .forEachText { fields.addComment($0, $1) }
        }
        return MediaSurvey(description, size: file.size, fields)
    }

    func structure(of file: MediaFile) throws(MediaError) -> FileStructure? {
        FileStructure(damage: try container(of: file).damage())
    }

    private func container(of file: MediaFile) throws(MediaError) -> SoundFileContainer {
        guard file.size != nil else {
            let kind = file.network == nil ? "a pipe" : "a live stream"
            throw MediaError(
                .notSeekable, operation: "play \(file.path)",
                reason: "It is \(kind), and only MPEG audio can be played from it")
        }
        guard let container = SoundFileContainer(file) else {
            throw MediaError(
                .unsupportedFormat, operation: "play \(file.path)",
                reason: "No sound was found in it")
        }
        if let coding = container.unplayedCoding() {
            throw MediaError(
                .unsupportedFormat, operation: "play \(file.path)",
                reason: "It is \(coding), which is not supported")
        }
        return container
    }
}
