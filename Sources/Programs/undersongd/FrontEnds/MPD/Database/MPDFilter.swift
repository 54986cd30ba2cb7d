import UndersongBase
import UndersongLibrary

/// A filter of MPD's database commands: `(artist == 'Björk')`, or pairs of a tag and a text as clients
/// wrote them before version 0.21.
///
/// `find` compares texts exactly, `search` without case. `libraryQuery` finds at least the songs that
/// match, so that the library need not read all others.
struct MPDFilter: Hashable, Sendable {
    indirect enum Condition: Hashable, Sendable {
        /// All of them hold; of none, that is true.
        case all([Condition])
        case not(Condition)
        case tag(MPDTag, Text)
        /// Any tag of the song.
        case anyTag(Text)
        case uri(Text)
        /// In a folder, or the song itself.
        case base(String)
        /// In seconds since 1970.
        case modifiedSince(Double)
        case format(FormatMask)
    }

    /// A comparison with a text.
    struct Text: Hashable, Sendable {
        enum Comparison: Hashable, Sendable {
            case equals
            case contains
            case matches(MPDPattern)
        }

        let comparison: Comparison
        let value: String
        let isNegated: Bool
        let ignoresCase: Bool
        /// The value as it is compared.
        private let key: [UInt8]

        init(
            _ comparison: Comparison, _ value: String, isNegated: Bool = false,
            ignoresCase: Bool = false
        ) {
            self.comparison = comparison
            self.value = value
            self.isNegated = isNegated
            self.ignoresCase = ignoresCase
            key = Array((ignoresCase ? value.caseFolded : value).utf8)
        }

        /// True if the comparison holds for `text`, whether it is negated or not.
        func finds(_ text: String) -> Bool {
            if case .matches(let pattern) = comparison { return pattern.matches(text) }
            let text = ignoresCase ? text.caseFolded : text
            return comparison == .equals
                ? text.utf8.elementsEqual(key) : text.utf8.contains(key)
        }
    }

    /// A format of sound, in which parts may be any.
    struct FormatMask: Hashable, Sendable {
        var sampleRate: Int?
        var bits: String?
        var channels: Int?

        /// The format of `44100:16:2`; with `isMask`, a part may be `*`.
        ///
        /// - Throws: It is none.
        init(_ text: String, isMask: Bool) throws(MPDError) {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            func part(_ index: Int, _ name: String) throws(MPDError) -> Substring? {
                guard index < parts.count else {
                    throw MPDError(.argument, "Failed to parse the \(name)")
                }
                return isMask && parts[index] == "*" ? nil : parts[index]
            }
            if let rate = try part(0, "sample rate") {
                guard let number = Int(rate), 1...768_000 ~= number else {
                    throw MPDError(.argument, "Failed to parse the sample rate")
                }
                sampleRate = number
            }
            if let text = try part(1, "sample format") {
                guard ["8", "16", "24", "32", "f", "dsd"].contains(text) else {
                    throw MPDError(.argument, "Failed to parse the sample format")
                }
                bits = String(text)
            }
            if let count = try part(2, "channel count") {
                guard parts.count == 3, let number = Int(count), 1...8 ~= number else {
                    throw MPDError(.argument, "Failed to parse the channel count")
                }
                channels = number
            }
        }

        func matches(_ sound: TrackSound) -> Bool {
            sampleRate ?? sound.format.sampleRate == sound.format.sampleRate
                && bits ?? sound.bitsPerSample == sound.bitsPerSample
                && channels ?? sound.format.channels == sound.format.channels
        }
    }

    var condition = Condition.all([])

    init(_ condition: Condition = .all([])) { self.condition = condition }

    /// The first folder that all of it must be in; nil if it names none.
    var base: String? {
        let conditions: [Condition] =
            if case .all(let conditions) = condition { conditions } else { [condition] }
        return conditions.lazy.compactMap { condition in
            if case .base(let folder) = condition { folder } else { nil }
        }.first
    }

    // MARK: Matching

    func matches(_ song: MPDSong) -> Bool { Self.holds(condition, song) }

    private static func holds(_ condition: Condition, _ song: MPDSong) -> Bool {
        switch condition {
        case .all(let conditions): conditions.allSatisfy { holds($0, song) }
        case .not(let condition): !holds(condition, song)
        case .tag(let tag, let text): holds(text, tag, song)
        case .anyTag(let text):
            MPDTag.listed.contains { song.texts(of: $0).contains(where: text.finds) }
                != text.isNegated
        case .uri(let text): text.finds(song.uri) != text.isNegated
        case .base(let folder): song.uri.isWithin(folder)
        case .modifiedSince(let time): song.modified.map { $0 >= time } ?? false
        case .format(let mask): song.sound.map(mask.matches) ?? false
        }
    }

    /// A tag that the song does not have is that which stands for it, or else equal to an empty text.
    private static func holds(_ text: Text, _ tag: MPDTag, _ song: MPDSong) -> Bool {
        let texts = song.textsOrSubstitutes(of: tag)
        let isFound = texts.isEmpty ? text.value.isEmpty : texts.contains(where: text.finds)
        return isFound != text.isNegated
    }

    // MARK: The library

    /// A query that finds at least the tracks whose songs match.
    var libraryQuery: LibraryQuery { LibraryQuery(Self.libraryCondition(condition)) }

    /// A condition that holds for all songs of `condition`; nil if it leaves none out.
    private static func libraryCondition(_ condition: Condition) -> LibraryQuery.Condition? {
        switch condition {
        case .all(let conditions):
            let known = conditions.compactMap(libraryCondition)
            return known.isEmpty ? nil : .all(known)
        case .tag(let tag, let text):
            guard !text.isNegated, !text.value.folded.isEmpty else { return nil }
            let conditions = ([tag] + tag.substitutes).map { tag in
                tag == .albumArtist ? .albumartist : tag.field
            }.map { field in field.flatMap { field in libraryCondition(field, text) } }
            guard conditions.allSatisfy({ $0 != nil }) else { return nil }
            return .any(conditions.compactMap(\.self))
        case .uri(let text):
            let name = text.value.split(separator: "/").last.map(String.init) ?? ""
            guard !text.isNegated, !name.folded.isEmpty, text.value.isPathOfFile else { return nil }
            return libraryCondition(.path, Text(.contains, name))
        case .format(let mask):
            return mask.sampleRate.map { .number(.samplerate, Double($0)...Double($0)) }
        case .not, .anyTag, .base, .modifiedSince: return nil
        }
    }

    private static func libraryCondition(
        _ field: LibraryQuery.TextField, _ text: Text
    ) -> LibraryQuery.Condition? {
        switch text.comparison {
        case .equals: .text(field, .equals, text.value)
        case .contains: .text(field, .contains, text.value)
        case .matches: nil
        }
    }
}

extension String {
    /// The text without the difference of capitals, as MPD's searches compare it.
    var caseFolded: String { uppercased().lowercased() }

    /// True if it is the path `folder`, or of something below it; every path is below the empty one.
    func isWithin(_ folder: String) -> Bool {
        let rest = utf8.dropFirst(folder.utf8.count)
        return folder.isEmpty
            || utf8.starts(with: folder.utf8)
                && (rest.isEmpty || rest.first == UInt8(ascii: "/"))
    }

    /// False for a part of a CUE sheet, whose name is not one in the file system.
    fileprivate var isPathOfFile: Bool {
        MPDTrackName(split(separator: "/").last ?? "") == nil
    }
}
