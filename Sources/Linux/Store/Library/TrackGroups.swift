import UndersongLibrary

/// Tracks by what they have in common.
struct TrackGroups {
    /// A group; names are the numbers of their rows.
    struct Group {
        /// The name or the album; 0 for none.
        var name: UInt32 = 0
        /// The artists of an album.
        var artists: UInt32 = 0
        /// A name that is only in lists of several.
        var text: String?
        var year: Int32 = TrackFacts.unknown
        var date: Int32 = TrackFacts.unknown
        var count = 0
        var seconds = 0.0
        var added = -Double.infinity

        fileprivate mutating func add(_ other: Group) {
            count += other.count
            seconds += other.seconds
            added = max(added, other.added)
            if other.date != TrackFacts.unknown, date == TrackFacts.unknown || other.date < date {
                date = other.date
            }
            if other.year != TrackFacts.unknown, year == TrackFacts.unknown || other.year < year {
                year = other.year
            }
        }
    }

    private let grouping: LibraryGrouping
    private var groups: [Group] = []
    private var indexes: [UInt64: Int] = [:]
    /// The key and the index of the last group, since the tracks of an album follow each other.
    private var last: (key: UInt64, index: Int)?

    init(_ grouping: LibraryGrouping) { self.grouping = grouping }

    mutating func add(_ segment: Segment, _ slot: Int) {
        let (facts, marks) = (segment.facts[slot], segment.marks[slot])
        var group = Group()
        group.count = 1
        group.seconds = facts.seconds.isNaN ? 0 : facts.seconds
        group.added = marks.added
        (group.year, group.date) = (facts.year, facts.date)
        var key: UInt64
        switch grouping {
        case .artist: group.name = facts.albumArtists
        case .album: (group.name, group.artists) = (facts.album, facts.albumArtists)
        case .genre: group.name = facts.genres
        case .composer: group.name = facts.composers
        case .year: break
        }
        key = UInt64(group.name) << 32 | UInt64(group.artists)
        if grouping == .year { key = UInt64(UInt32(bitPattern: facts.year)) }
        if let last, last.key == key { return groups[last.index].add(group) }
        let index = indexes[key] ?? groups.count
        if index == groups.count {
            indexes[key] = index
            groups.append(group)
        } else {
            groups[index].add(group)
        }
        last = (key, index)
    }

    /// Distributes the groups of lists with several names to these. `names` returns the texts of a
    /// list, and `id` the number of one with one text; nil if there is none.
    mutating func separate(
        isList: (UInt32) -> Bool, names: (UInt32) throws -> [String],
        id: (String) throws -> UInt32?
    ) throws {
        guard grouping != .album, grouping != .year else { return }
        let all = groups
        groups = all.filter { !isList($0.name) }
        indexes = Dictionary(
            uniqueKeysWithValues: groups.enumerated().map { (UInt64($1.name), $0) })
        var others: [String: Int] = [:]
        for group in all where isList(group.name) {
            for name in Set(try names(group.name)) {
                let id = try id(name)
                let index = id.map { indexes[UInt64($0)] } ?? others[name]
                if let index {
                    groups[index].add(group)
                    continue
                }
                var own = group
                (own.name, own.text) = (id ?? 0, id == nil ? name : nil)
                if let id {
                    indexes[UInt64(id)] = groups.count
                } else {
                    others[name] = groups.count
                }
                groups.append(own)
            }
        }
    }

    /// The groups in their order: albums by artist, date and name, others by name. `rank` returns the
    /// position of a name.
    func sorted(newestFirst: Bool, rank: (UInt32) -> UInt32) -> [Group] {
        func key(_ number: Int32) -> Int32 { number == TrackFacts.unknown ? .max : number }
        typealias Key = (UInt32, Int32, UInt32)
        let keyed = groups.map { group -> (group: Group, key: Key) in
            let name = group.text == nil ? rank(group.name) : .max - 1
            switch grouping {
            case .album: return (group, (rank(group.artists), key(group.date), name))
            case .year: return (group, (0, key(group.year), 0))
            case .artist, .genre, .composer: return (group, (name, 0, 0))
            }
        }
        let sorted = keyed.sorted { left, right in
            if newestFirst, left.group.added != right.group.added {
                return left.group.added > right.group.added
            }
            if left.key != right.key { return left.key < right.key }
            return (left.group.text ?? "") < (right.group.text ?? "")
        }
        return sorted.map(\.group)
    }
}

extension TrackGroups.Group {
    /// The group as it is listed. `names` returns the texts of a list.
    func group(
        by grouping: LibraryGrouping, names: (UInt32) throws -> [String]
    ) rethrows -> LibraryGroup {
        typealias Condition = LibraryQuery.Condition
        var result = LibraryGroup(
            name: try text ?? names(name).first, trackCount: count, seconds: seconds, added: added,
            query: "")
        func has(_ field: LibraryQuery.TextField, _ names: [String]) -> Condition {
            if names.isEmpty { return .text(field, .equals, "") }
            return .all(names.map { .text(field, .equals, $0) })
        }
        let name = result.name.map { [$0] } ?? []
        let condition: Condition
        switch grouping {
        case .artist: condition = has(.albumartist, name)
        case .genre: condition = has(.genre, name)
        case .composer: condition = has(.composer, name)
        case .album:
            let artists = try names(self.artists)
            result.artist = artists.isEmpty ? nil : artists.joined(separator: ", ")
            condition = .all([has(.album, name), has(.albumartist, artists)])
            if year != TrackFacts.unknown { result.year = Int(year) }
        case .year:
            if year == TrackFacts.unknown {
                condition = .not(.number(.year, 0...9999))
            } else {
                result.name = String(year)
                condition = .number(.year, Double(year)...Double(year))
            }
        }
        result.query = LibraryQuery(condition).text
        return result
    }
}
