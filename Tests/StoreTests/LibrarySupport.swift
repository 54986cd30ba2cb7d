import Glibc
import UndersongBase
import UndersongLibrary
import UndersongPlayback

@testable import UndersongStore

extension TemporaryFolder {
    var library: String { store + "/library.sqlite" }

    /// Opens the library in it.
    func openLibrary(
        _ notices: Notices = Notices(), clock: any HostClock = SystemClock()
    ) -> LibraryStore {
        LibraryStore(folder: store, clock: clock, zone: .utc) { notices.add($0) }
    }

    /// Changes the library's database without the store.
    func editLibrary(_ body: (Database) throws -> Void) throws {
        let database = try Database(library, for: .peeking)
        try body(database)
        database.close()
    }
}

extension ScannedFile {
    /// A file with one track. Its date is its size, so that others differ.
    init(
        _ path: FilePath, title: String? = nil, artists: [String] = [], album: String? = nil,
        size: Int64 = 1, _ change: (inout TrackTags) -> Void = { _ in }
    ) {
        var tags = TrackTags()
        (tags.title, tags.artists, tags.album) = (title, artists, album)
        change(&tags)
        let sound = TrackSound(
            seconds: 100, SoundFormat(sampleRate: 44100, channels: 2, encoding: "FLAC"))
        self.init(
            path: path, stamp: ScanStamp(size: size, modified: size * 1_000_000_000),
            tracks: [ScannedTrack(tags: tags, sound: sound)])
    }
}

/// Makes files with the texts of a few words, so that random queries find some of them.
struct RandomFiles {
    private static let words = [
        "Björk", "bjork", "love", "The", "Ænima", "Straße", "a", "b/c", "L'été", "10", "9", "日本",
        "Kater \"Karl\"", "x\u{301}y", "OR", "-no", "İstanbul", "é\u{323}", "love me",
    ]
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func choice<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &generator)]
    }
    mutating func word() -> String { choice(Self.words) }
    mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }
    mutating func text() -> String { chance(3) ? word() : "\(word()) \(word())" }
    private mutating func texts() -> [String] {
        (0..<choice([0, 1, 1, 2])).map { _ in text() }
    }
    private mutating func number(_ range: ClosedRange<Int>) -> Int? {
        chance(3) ? nil : .random(in: range, using: &generator)
    }

    mutating func file(_ number: Int) -> ScannedFile {
        var tags = TrackTags()
        tags.title = chance(4) ? nil : text()
        tags.artists = texts()
        tags.albumArtists = chance(2) ? [] : texts()
        tags.album = chance(4) ? nil : text()
        tags.genres = texts()
        tags.composers = texts()
        tags.disc = self.number(1...3)
        tags.number = self.number(1...20)
        tags.date = self.number(1960...2025).map { "\($0)" + (chance(2) ? "-06-13" : "") }
        tags.originalDate = self.number(1960...2025).map(String.init)
        tags.isCompilation = chance(5)
        tags.hasCover = chance(2)
        if chance(3) { tags.others["Performer"] = [text()] }
        if chance(3) { tags.gain = ReplayGain(trackGain: -3.5, albumPeak: 0.9) }
        let sound = TrackSound(
            seconds: chance(5) ? nil : .random(in: 0...400, using: &generator),
            SoundFormat(
                sampleRate: choice([44100, 48000]),
                channels: .random(in: 1...2, using: &generator),
                encoding: choice(["FLAC", "MPEG 1 Layer III"])),
            bitRate: self.number(64000...320_999))
        let folder = word().replacing("/", with: "_") + (chance(2) ? "" : "/" + word())
        var path = Array("/music/\(folder)/\(number) \(word().replacing("/", with: "_"))".utf8)
        if chance(9) { path.append(0xe9) }
        let modified = Int64.random(in: 0...1_000_000_000, using: &generator) * 1_000_000_000
        return ScannedFile(
            path: FilePath(bytes: path), stamp: ScanStamp(size: Int64(number), modified: modified),
            tracks: [ScannedTrack(tags: tags, sound: chance(9) ? nil : sound)])
    }

    /// A part of a text of the files.
    private mutating func part() -> String {
        let text = chance(3) ? "/music/\(word())/" : self.text()
        guard !chance(4) else { return text }
        let scalars = Array(text.unicodeScalars)
        let start = Int.random(in: 0..<scalars.count, using: &generator)
        var view = String.UnicodeScalarView()
        view.append(
            contentsOf: scalars[start...].prefix(.random(in: 0...4, using: &generator)))
        return String(view)
    }

    mutating func condition(depth: Int = 3) -> LibraryQuery.Condition {
        let kind = Int.random(in: depth > 0 ? 0...9 : 3...9, using: &generator)
        switch kind {
        case 0, 1:
            let count = Int.random(in: 0...3, using: &generator)
            let conditions = (0..<count).map { _ in condition(depth: depth - 1) }
            return kind == 0 ? .all(conditions) : .any(conditions)
        case 2: return .not(condition(depth: depth - 1))
        case 3, 4: return .word(part())
        case 5, 6:
            let field = choice(LibraryQuery.TextField.allCases)
            let comparisons: [LibraryQuery.TextComparison] = [.contains, .equals, .begins]
            return .text(field, choice(comparisons), part())
        case 7:
            let field = choice(LibraryQuery.NumberField.allCases)
            let most: ClosedRange<Double> =
                switch field {
                case .year: 1960.0...2025
                case .samplerate: 44100...48000
                case .length, .bitrate: 0...400
                case .disc, .track, .rating, .plays, .skips, .channels: 0...5
                }
            let numbers = (0..<2).map { _ in
                Double.random(in: most, using: &generator).rounded()
            }.sorted()
            return .number(field, numbers[0]...(chance(3) ? .infinity : numbers[1]))
        case 8:
            let field = choice(LibraryQuery.TimeField.allCases)
            let time = Int.random(in: 0...1_000_000_000, using: &generator)
            return .time(
                field,
                chance(2) ? TimeRange(from: .time(time)) : TimeRange(to: .time(time)))
        default:
            return .flag(choice(LibraryQuery.Flag.allCases))
        }
    }
}
