/// What the file's journal of changes holds, without the changes themselves: which of its edits can
/// be taken back, and which of its rows are needed for that or for restoring the order.
struct Journal {
    private struct Entry {
        var sequence: Int
        var size: Int
    }

    /// The change up to which the order was written as a whole, and the bytes that it took.
    private(set) var snapshot = (sequence: 0, size: 0)
    private var entries: [Entry] = []
    /// The edits that can be taken back, the last one at the end.
    private var edits: [Int] = []
    /// Bytes of the changes behind the snapshot.
    private var sizeBehindSnapshot = 0
    private var countBehindSnapshot = 0

    /// The edit that is taken back next.
    var lastEdit: Int? { edits.last }

    /// The first change that is needed to take edits back; those before it have no use but for
    /// restoring the order.
    var firstForUndo: Int { edits.first ?? .max }

    /// Whether it is time to write the order as a whole.
    var wantsSnapshot: Bool {
        countBehindSnapshot >= 1000 || sizeBehindSnapshot > max(1 << 16, snapshot.size)
    }

    mutating func add(_ row: ChangeRow) {
        entries.append(Entry(sequence: row.sequence, size: row.size))
        if let forward = row.forward, row.sequence > snapshot.sequence {
            sizeBehindSnapshot += forward.count
            countBehindSnapshot += 1
        }
        switch row.kind {
        case .keep: break
        case .edit: edits.append(row.sequence)
        case .undo: edits.removeAll { $0 == row.undoes }
        }
        forgetEdits()
    }

    mutating func didWriteSnapshot(at sequence: Int, size: Int) {
        snapshot = (sequence, size)
        sizeBehindSnapshot = 0
        countBehindSnapshot = 0
    }

    mutating func didRemove(before sequence: Int) {
        entries.removeAll { $0.sequence < sequence }
    }

    /// Whether many changes are not needed to take edits back.
    var isFullOfUnused: Bool {
        let unused = entries.prefix { $0.sequence < firstForUndo }
        return unused.count >= 64 || unused.reduce(0) { $0 + $1.size } >= 1 << 16
    }

    private mutating func forgetEdits() {
        if edits.count > 20 { edits.removeFirst() }
        while let first = edits.first {
            let size = entries.reduce(0) { $1.sequence < first ? $0 : $0 + $1.size }
            guard size > (edits.count > 1 ? 1 << 24 : 1 << 26) else { return }
            edits.removeFirst()
        }
    }
}
