public import Foundation
import UndersongPlayback

// Chapters, from an ID3 tag's CHAP frames. They have titles in one language, which is not named.
extension AVAsset {
    /// The language of chapters, which tags do not name.
    private static var undetermined: Locale { Locale(identifier: "und") }

    /// The locales of the chapters' titles: `und`, or none if there are no chapters. Blocks if the
    /// file's header has not been read yet.
    public var availableChapterLocales: [Locale] {
        (try? loader.load().get()).map(Self.locales) ?? []
    }

    /// The chapters in order of time, each with its title, for a locale of
    /// `availableChapterLocales`; none for any other. Of the items named by the common keys, titles
    /// are there only. Blocks if the file's header has not been read yet.
    public func chapterMetadataGroups(
        withTitleLocale locale: Locale,
        containingItemsWithCommonKeys commonKeys: [AVMetadataKey]? = nil
    ) -> [AVTimedMetadataGroup] {
        locale == Self.undetermined ? groups(try? loader.load().get()) : []
    }

    /// The chapters in order of time, each with its title, whatever the languages. Blocks if the
    /// file's header has not been read yet.
    public func chapterMetadataGroups(
        bestMatchingPreferredLanguages preferredLanguages: [String]
    ) -> [AVTimedMetadataGroup] {
        groups(try? loader.load().get())
    }

    /// Loads the chapters, as `chapterMetadataGroups(withTitleLocale:)` has them.
    /// - Throws: `AVError` or `URLError`.
    public func loadChapterMetadataGroups(
        withTitleLocale locale: Locale,
        containingItemsWithCommonKeys commonKeys: [AVMetadataKey] = []
    ) async throws -> [AVTimedMetadataGroup] {
        let groups = try await loadChapterMetadataGroups(bestMatchingPreferredLanguages: [])
        return locale == Self.undetermined ? groups : []
    }

    /// Loads the chapters, whatever the languages.
    /// - Throws: `AVError` or `URLError`.
    public func loadChapterMetadataGroups(
        bestMatchingPreferredLanguages preferredLanguages: [String]
    ) async throws -> [AVTimedMetadataGroup] {
        try await loader.value { loader, done in
            loader.load { description in done(description.map { self.groups($0) }) }
        }
    }

    static func locales(_ description: MediaDescription) -> [Locale] {
        description.chapters.isEmpty ? [] : [undetermined]
    }

    /// A chapter without an end extends to the next one, or to the end of the asset.
    private func groups(_ description: MediaDescription?) -> [AVTimedMetadataGroup] {
        guard let description else { return [] }
        let chapters = description.chapters
        return chapters.indices.map { index in
            let chapter = chapters[index]
            let next = chapters[index...].first { $0.start > chapter.start }?.start
            let end = chapter.end ?? next ?? description.duration
            let range = CMTimeRange(start: chapter.start, end: max(chapter.start, end))
            let title = chapter.title.map { title in
                AVMetadataItem(frame: "TIT2", detail: "", content: .text(title), range: range)
            }
            return AVTimedMetadataGroup(items: title.map { [$0] } ?? [], timeRange: range)
        }
    }
}
