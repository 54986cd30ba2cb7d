import UndersongPlayback

/// Finds the structure of a regular file, which libmpg123 parses without decoding. Blocks on the
/// disk.
struct FrameWalk {
    private(set) var structure = FileStructure()

    private let file: MediaFile
    private let size: Int
    private var survey = FrameSurvey()

    /// Parses all of `file`; nil if it is a pipe or has no frame.
    /// - Throws: An error if libmpg123 cannot start.
    init?(_ file: MediaFile) throws(MediaError) {
        guard let size = file.size else { return nil }
        self.file = file
        self.size = size
        // As the player does.
        guard let beginning = try MusicStart(file) else { return nil }
        walk(try beginning.handle(of: file))
        guard let start = survey.start else { return nil }
        let firstFrame = file.head(256, at: start)
        structure.header = MPEGFrameHeader(firstFrame)
        let xing = XingHeader(firstFrame: firstFrame)
        let tag = LAMETag(firstFrame: firstFrame)
        let varied = tag?.bitrateMode == .average ? LAMETag.BitrateMode.average : .variable
        structure.bitrate = survey.averageBitrate.map { average in
            FileStructure.Bitrate(
                mode: survey.isConstant ? .constant : varied, average: average)
        }
        checkEdges(start)
        if let xing { check(xing, start) }
        if let tag { check(tag, start) }
    }

    private mutating func walk(_ handle: borrowing Mpg123Handle) {
        handle.treatFramesAlike()
        while let frame = handle.nextFrame() {
            let isHeader =
                survey.start == nil
                && XingHeader(firstFrame: file.head(256, at: frame.offset)) != nil
            guard let gap = survey.add(frame, isHeader: isHeader) else { continue }
            let tags = TagLength.leading(from: gap.lowerBound, read)
            survey.skip(min(gap.lowerBound + tags, gap.upperBound)..<gap.upperBound)
        }
    }

    private func read(_ offset: Int, _ count: Int) -> [UInt8] { file.head(count, at: offset) }

    /// Examines what is before the first frame, between frames and after the last one.
    private mutating func checkEdges(_ start: Int) {
        let leading = start - TagLength.leading(from: 0, read)
        if leading > 0 { structure.damage.append(.leadingGarbage(bytes: leading)) }
        if let first = survey.firstSkipped {
            structure.damage.append(
                .skippedBytes(survey.skippedBytes, places: survey.skippedPlaces, first: first))
        }
        let rest = size - TagLength.trailing(size: size, read) - survey.end
        let next = MPEGFrameHeader(file.head(4, at: survey.end))
        if rest < 0 {
            structure.damage.append(.truncatedFrame(missing: -rest))
        } else if let header = structure.header, let next, next.isOfStream(header),
            let length = next.length, length > rest, rest > 0
        {
            structure.damage.append(.truncatedFrame(missing: length - rest))
        } else if rest > 0 {
            structure.damage.append(.trailingGarbage(bytes: rest))
        }
    }

    private mutating func check(_ xing: XingHeader, _ start: Int) {
        if let expected = xing.byteCount, expected > size - start {
            structure.damage.append(.missingBytes(expected: expected, found: size - start))
        }
        if let expected = xing.frameCount, expected != survey.count {
            structure.damage.append(.frameCount(expected: expected, found: survey.count))
        }
    }

    private mutating func check(_ tag: LAMETag, _ start: Int) {
        let end = start + tag.musicLength
        guard tag.isIntact, let music = survey.headerEnd, music <= end, end <= size else { return }
        var crc = CRC16()
        for offset in stride(from: music, to: end, by: MediaFile.bufferSize) {
            crc.update(read(offset, min(MediaFile.bufferSize, end - offset)).span)
        }
        guard crc.value != tag.musicCRC else { return }
        structure.damage.append(.musicChecksum(expected: tag.musicCRC, found: crc.value))
    }
}
