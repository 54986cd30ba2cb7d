import AVFoundation
import Testing

@Suite struct `An asset's metadata` {
    @Test func `An asset's metadata has values that the older API loads too`() async throws {
        let items = AVURLAsset(url: Sound.url(0)).commonMetadata
        let title = try #require(items.first { $0.commonKey == .commonKeyTitle })
        let log = Log()

        title.loadValuesAsynchronously(forKeys: ["value"]) { log.note(title.stringValue ?? "") }
        await log.wait(for: title.stringValue ?? "none")

        #expect(title.statusOfValue(forKey: "value", error: nil) == .loaded)
        #expect(log.all.count == 1)
    }

    @Test func `An asset's metadata is found by common identifiers`() async throws {
        let asset = AVURLAsset(url: Sound.url(0))
        let items = try await asset.load(.commonMetadata)

        let texts = [
            AVMetadataIdentifier.commonIdentifierTitle, .commonIdentifierArtist,
            .commonIdentifierAlbumName, .commonIdentifierType, .commonIdentifierCreationDate,
        ].map { identifier in
            AVMetadataItem.metadataItems(from: items, filteredByIdentifier: identifier)
                .first?.stringValue
        }

        #expect(texts == ["Slack Water", "Undersong", "Evening Tide", "Ambient", "2025"])
    }

    @Test func `An asset's metadata is found by key and key space`() {
        let items = AVURLAsset(url: Sound.url(0)).metadata

        let common = AVMetadataItem.metadataItems(
            from: items, withKey: AVMetadataKey.commonKeyTitle, keySpace: .common)
        let frames = AVMetadataItem.metadataItems(from: items, withKey: "TALB", keySpace: .id3)
        let any = AVMetadataItem.metadataItems(
            from: items, withKey: AVMetadataKey.id3MetadataKeyTrackNumber, keySpace: nil)
        let all = AVMetadataItem.metadataItems(from: items, withKey: nil, keySpace: .id3)
        let none = AVMetadataItem.metadataItems(from: items, withKey: "TIT2", keySpace: .common)

        #expect(common.map(\.stringValue) == ["Slack Water"])
        #expect(frames.map(\.stringValue) == ["Evening Tide"])
        #expect(any.map(\.stringValue) == ["1/3"])
        #expect(all == items)
        #expect(none.isEmpty)
    }

    @Test func `An asset's metadata has both a common and an ID3 key`() async throws {
        let items = try await AVURLAsset(url: Sound.url(0)).load(.metadata)

        let title = try #require(items.first { $0.commonKey == .commonKeyTitle })

        #expect(title.identifier == .id3MetadataTitleDescription)
        #expect(title.key as? String == "TIT2")
        #expect(title.keySpace == .id3)
        #expect(title.value as? String == "Slack Water")
        #expect(title.commonKey?.rawValue == "title")
        #expect(title.numberValue == nil)
        #expect(try await title.load(.stringValue) == "Slack Water")
        let (value, data) = try await title.load(.value, .dataValue)
        #expect(value as? String == "Slack Water")
        #expect(data == Data("Slack Water".utf8))
    }

    @Test func `An asset's metadata has a value once if both tag versions do, the longer one`()
        throws
    {
        let file = try TaggedFile([.text("TIT2", "A long title")], olderTitle: "A lon")
        let older = try TaggedFile([], olderTitle: "A lon")

        let titles = AVURLAsset(url: file.url).metadata.map(\.stringValue)
        let olderTitles = AVURLAsset(url: older.url).metadata.map(\.stringValue)

        #expect(titles == ["A long title"])
        #expect(olderTitles == ["A lon"])
    }

    @Test func `An asset's metadata has numbers and dates`() throws {
        let file = try TaggedFile([
            .text("TBPM", "120"), .text("TDRC", "1996-05-04T10:11"), .text("TIT2", "1996 songs"),
        ])
        let items = AVURLAsset(url: file.url).metadata
        let date = AVURLAsset(url: file.url).creationDate

        let tempo = items.first { $0.identifier == .id3MetadataBeatsPerMinute }

        #expect(tempo?.numberValue?.intValue == 120)
        #expect(date?.dateValue == Date(timeIntervalSince1970: 831_168_000))
        #expect(items.first { $0.commonKey == .commonKeyTitle }?.dateValue == nil)
    }

    @Test func `An asset's metadata has lyrics, and descriptions of comments and own texts`() throws
    {
        let file = try TaggedFile([
            .userText("MOOD", "calm"), .comment("review", "good"), .lyrics("la la"),
        ])
        let asset = AVURLAsset(url: file.url)

        let mood = asset.metadata.first { $0.identifier == .id3MetadataUserText }
        let comment = asset.metadata.first { $0.identifier == .id3MetadataComments }

        #expect(mood?.stringValue == "calm")
        #expect(mood?.extraAttributes?[.info] as? String == "MOOD")
        #expect(comment?.stringValue == "good")
        #expect(comment?.extraAttributes?[.info] as? String == "review")
        #expect(asset.lyrics == "la la")
    }

    @Test func `An asset's metadata contains the cover, which is read on demand`() async throws {
        let file = try TaggedFile([
            .text("TIT2", "Title"), .picture("image/jpeg", Data([0xFF, 0xD8, 1, 2, 0, 3])),
        ])
        let items = try await AVURLAsset(url: file.url).load(.commonMetadata)

        let cover = try #require(
            AVMetadataItem.metadataItems(
                from: items, filteredByIdentifier: .commonIdentifierArtwork
            ).first)

        #expect(cover.identifier == .id3MetadataAttachedPicture)
        #expect(cover.dataType == "com.apple.metadata.datatype.JPEG")
        #expect(cover.stringValue == nil)
        #expect(try await cover.load(.dataValue) == Data([0xFF, 0xD8, 1, 2, 0, 3]))
        #expect(cover.value as? Data == Data([0xFF, 0xD8, 1, 2, 0, 3]))
        file.remove()
        #expect(cover.dataValue == nil)
    }

    @Test func `An asset's metadata has one format, or none`() async throws {
        let tagged = AVURLAsset(url: Sound.url(0))
        let file = try TaggedFile([])
        let bare = AVURLAsset(url: file.url)

        let (formats, date) = try await tagged.load(.availableMetadataFormats, .creationDate)

        #expect(formats == [.id3Metadata])
        #expect(date?.stringValue == "2025")
        #expect(tagged.metadata(forFormat: .id3Metadata).count == 8)
        #expect(tagged.metadata(forFormat: AVMetadataFormat(rawValue: "other")).isEmpty)
        #expect(try await bare.load(.availableMetadataFormats).isEmpty)
    }
}
