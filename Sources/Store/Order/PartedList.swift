import Playback

/// A list of ids in parts, so that each of very many patches moves only the ids around its place.
struct PartedList {
    static let partLength = 16_384

    private(set) var parts: [[ItemID]]

    init(_ ids: [ItemID] = []) {
        parts = stride(from: 0, to: ids.count, by: Self.partLength).map {
            Array(ids[$0..<min($0 + Self.partLength, ids.count)])
        }
    }

    init(parts: [[ItemID]]) { self.parts = parts }

    var count: Int { parts.reduce(0) { $0 + $1.count } }

    var ids: [ItemID] {
        if parts.count == 1 { return parts[0] }
        var ids: [ItemID] = []
        ids.reserveCapacity(count)
        for part in parts { ids += part }
        return ids
    }

    /// Whether the patch is one for this list: if not, the list is of no more use. Hands the ids that
    /// it drops to `dropped`.
    mutating func apply(_ patch: ListPatch, dropped: (ArraySlice<ItemID>) -> Void = { _ in })
        -> Bool
    {
        var place = (part: 0, offset: 0)
        for step in patch.steps {
            guard skip(step.skipped, from: &place) else { return false }
            guard drop(step.dropped, at: place, dropped) else { return false }
            insert(step.inserted, at: &place)
        }
        return true
    }

    private func skip(_ count: Int, from place: inout (part: Int, offset: Int)) -> Bool {
        var rest = count
        while place.part < parts.count, rest > parts[place.part].count - place.offset {
            rest -= parts[place.part].count - place.offset
            place = (place.part + 1, 0)
        }
        place.offset += rest
        return rest == 0 || place.part < parts.count
    }

    private mutating func drop(
        _ count: Int, at place: (part: Int, offset: Int), _ dropped: (ArraySlice<ItemID>) -> Void
    ) -> Bool {
        var (part, offset) = place
        var rest = count
        while rest > 0 {
            guard part < parts.count else { return false }
            let range = offset..<min(offset + rest, parts[part].count)
            dropped(parts[part][range])
            parts[part].removeSubrange(range)
            rest -= range.count
            (part, offset) = (part + 1, 0)
        }
        return true
    }

    private mutating func insert(
        _ ids: ArraySlice<ItemID>, at place: inout (part: Int, offset: Int)
    ) {
        guard !ids.isEmpty else { return }
        if ids.count > Self.partLength || place.part == parts.count {
            let front = place.part < parts.count ? Array(parts[place.part][..<place.offset]) : []
            let rest = place.part < parts.count ? Array(parts[place.part][place.offset...]) : []
            let new = [front] + PartedList(Array(ids)).parts + [rest]
            parts.replaceSubrange(place.part..<min(place.part + 1, parts.count), with: new)
            place = (place.part + new.count - 1, 0)
            return
        }
        parts[place.part].insert(contentsOf: ids, at: place.offset)
        place.offset += ids.count
        split(&place)
    }

    private mutating func split(_ place: inout (part: Int, offset: Int)) {
        let part = parts[place.part]
        guard part.count > 2 * Self.partLength else { return }
        let half = part.count / 2
        parts.replaceSubrange(
            place.part...place.part, with: [Array(part[..<half]), Array(part[half...])])
        if place.offset > half { place = (place.part + 1, place.offset - half) }
    }
}
