import UndersongPlayback

/// A list of ids, divided into runs of consecutive ones. Each run is a row of the file, so that an
/// edit of a long list writes only a few rows, and a list of a million ids is read at once.
struct RunList {
    /// A row of the file.
    struct Run: Equatable {
        var row: Int
        /// Later runs have higher places.
        var place: Int
        /// The change of the order that wrote it.
        var since: Int
        var count: Int
        var checksum: Int
    }

    /// Part of a list: an existing run, or a stretch that needs a new one.
    private struct Piece {
        var range: Range<Int>
        /// The place of the run in `runs`; nil for a stretch.
        var run: Int?

        /// True if it becomes part of a neighbouring stretch.
        var isLoose: Bool { run == nil || range.count < RunList.shortest }
    }

    /// The most ids in a run.
    static let longest = 256
    /// Shorter runs are joined with a new neighbour.
    private static let shortest = longest / 2
    /// The distance of two runs' places, so that very many fit between them later.
    private static let distance = 1 << 32

    private(set) var ids: [ItemID] = []
    private(set) var runs: [Run] = []

    init() {}

    init(_ ids: [ItemID], _ runs: [Run]) {
        self.ids = ids
        self.runs = runs
    }

    /// The sum of the runs' checksums, which shows whether all of them are there.
    var total: Int { runs.reduce(0) { $0 &+ $1.checksum } }

    /// Returns the way to write `new` in place of this list: the runs that stay, as indices of
    /// `runs`, and the stretches of `new` that become new runs, with their places.
    func division(of new: [ItemID]) -> (kept: [Int], added: [(place: Int, range: Range<Int>)]) {
        let pieces = joined(matches(with: new))
        var added: [(place: Int, range: Range<Int>)] = []
        for (index, piece) in pieces.enumerated() where piece.run == nil {
            let parts = (piece.range.count - 1) / Self.longest + 1
            let before = index > 0 ? pieces[index - 1].run : nil
            let after = index + 1 < pieces.count ? pieces[index + 1].run : nil
            guard let places = places(parts, after: before, before: after) else {
                return ([], RunList().division(of: new).added)
            }
            for (part, place) in places.enumerated() {
                let start = piece.range.lowerBound + piece.range.count * part / parts
                let end = piece.range.lowerBound + piece.range.count * (part + 1) / parts
                added.append((place, start..<end))
            }
        }
        return (pieces.compactMap(\.run), added)
    }

    /// Divides `new` into runs that it has in common with this list, in the same order, and the
    /// stretches between them.
    private func matches(with new: [ItemID]) -> [Piece] {
        var starts: [Int] = []
        var indices: [ItemID: Int] = [:]
        var start = 0
        for (index, run) in runs.enumerated() {
            indices[ids[start]] = index
            starts.append(start)
            start += run.count
        }
        var pieces: [Piece] = []
        var (next, stretch, index) = (0, 0, 0)
        while index < new.count {
            let isNext = next < runs.count && ids[starts[next]] == new[index]
            guard let run = isNext ? next : indices[new[index]], run >= next,
                index + runs[run].count <= new.count,
                ids[starts[run]..<starts[run] + runs[run].count]
                    == new[index..<index + runs[run].count]
            else {
                index += 1
                continue
            }
            if stretch < index { pieces.append(Piece(range: stretch..<index)) }
            pieces.append(Piece(range: index..<index + runs[run].count, run: run))
            index += runs[run].count
            (next, stretch) = (run + 1, index)
        }
        if stretch < index { pieces.append(Piece(range: stretch..<index)) }
        return pieces
    }

    /// Joins stretches with short runs next to them, so that the runs stay few.
    private func joined(_ pieces: [Piece]) -> [Piece] {
        var joined: [Piece] = []
        for piece in pieces {
            if let last = joined.last, last.run == nil || piece.run == nil, last.isLoose,
                piece.isLoose
            {
                joined[joined.count - 1] = Piece(
                    range: last.range.lowerBound..<piece.range.upperBound)
            } else {
                joined.append(piece)
            }
        }
        return joined
    }

    /// Places between those of two runs, or after or before one; nil if there is no room.
    private func places(_ count: Int, after: Int?, before: Int?) -> [Int]? {
        let end = before.map { runs[$0].place }
        let start =
            after.map { runs[$0].place } ?? end.map { $0 - Self.distance * (count + 1) } ?? 0
        let distance = end.map { ($0 - start) / (count + 1) } ?? Self.distance
        return distance > 0 ? (1...count).map { start + distance * $0 } : nil
    }
}
