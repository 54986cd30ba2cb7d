import AVFoundation
import Testing

@Suite struct `An asset's chapters` {
    @Test func `An asset's chapters have titles and times, and extend to the next one or the end`()
        async throws
    {
        let file = try TaggedFile([
            .chapter("a", "One", from: 0, to: 500), .chapter("b", "Two", from: 500, to: nil),
            .chapter("c", nil, from: 1500, to: nil),
        ])
        let asset = AVURLAsset(url: file.url)

        let locales = try await asset.load(.availableChapterLocales)
        let locale = try #require(locales.first)
        let groups = try await asset.loadChapterMetadataGroups(withTitleLocale: locale)
        let titles = groups.map { group in
            AVMetadataItem.metadataItems(
                from: group.items, filteredByIdentifier: .commonIdentifierTitle
            ).first?.stringValue
        }

        #expect(locales.count == 1 && asset.availableChapterLocales == locales)
        #expect(titles == ["One", "Two", nil])
        #expect(groups.map(\.timeRange.start.seconds) == [0, 0.5, 1.5])
        #expect(groups.prefix(2).map(\.timeRange.end.seconds) == [0.5, 1.5])
        #expect(groups.last?.timeRange.end == asset.duration)
        #expect(groups[1].items.first?.time.seconds == 0.5)
        #expect(groups[1].items.first?.duration.seconds == 1)
        #expect(
            asset.chapterMetadataGroups(bestMatchingPreferredLanguages: ["de"]).count == 3)
        #expect(
            asset.chapterMetadataGroups(
                withTitleLocale: locale, containingItemsWithCommonKeys: [.commonKeyArtwork]
            ).count == 3)
        #expect(
            asset.chapterMetadataGroups(
                withTitleLocale: locale, containingItemsWithCommonKeys: nil
            ).count == 3)
        #expect(asset.chapterMetadataGroups(withTitleLocale: Locale(identifier: "de")).isEmpty)
    }

    @Test func `A file without chapters has none, and a missing file is an error`() async throws {
        let asset = AVURLAsset(url: Sound.url(0))
        let missing = AVURLAsset(url: URL(fileURLWithPath: "/nowhere/nothing.mp3"))

        #expect(try await asset.load(.availableChapterLocales).isEmpty)
        #expect(
            try await asset.loadChapterMetadataGroups(bestMatchingPreferredLanguages: []).isEmpty)
        #expect(missing.availableChapterLocales.isEmpty)
        await #expect(throws: URLError.self) {
            try await missing.loadChapterMetadataGroups(bestMatchingPreferredLanguages: [])
        }
    }
}

@Suite struct `An AVError` {
    @Test func `An AVError is made of a code, and compares by it`() throws {
        let text = "It is damaged"
        let error: any Error = AVError(
            .fileFailedToParse, userInfo: [NSLocalizedDescriptionKey: text])

        #expect((error as NSError).code == -11829)
        #expect((error as NSError).domain == AVFoundationErrorDomain)
        #expect(error.localizedDescription == text)
        #expect((error as? AVError)?.code == .fileFailedToParse)
        #expect(AVError(.unknown).code == AVError.unknown)
        #expect(AVError.Code(rawValue: -11855) == .undecodableMediaData)
        do {
            throw error
        } catch AVError.decodeFailed {
            Issue.record("the code is another")
        } catch AVError.fileFailedToParse {}
    }
}
