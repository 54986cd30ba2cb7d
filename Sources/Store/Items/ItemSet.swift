import Playback

/// A set of very many ids: one bit each, in chunks.
struct ItemSet {
    private static let chunkLength = 1 << 16

    /// Bits for a fixed number of ids per chunk; empty if the chunk has no ids.
    private var chunks: [[UInt64]] = []
    private(set) var count = 0

    init(_ ids: some Sequence<ItemID> = []) { insert(ids) }

    var isEmpty: Bool { count == 0 }

    func contains(_ id: ItemID) -> Bool {
        let (chunk, word, bit) = Self.place(of: id)
        return chunk < chunks.count && !chunks[chunk].isEmpty && chunks[chunk][word] & bit != 0
    }

    mutating func insert(_ ids: some Sequence<ItemID>) {
        for id in ids {
            let (chunk, word, bit) = Self.place(of: id)
            while chunks.count <= chunk { chunks.append([]) }
            if chunks[chunk].isEmpty {
                chunks[chunk] = [UInt64](repeating: 0, count: Self.chunkLength / 64)
            }
            if chunks[chunk][word] & bit == 0 { count += 1 }
            chunks[chunk][word] |= bit
        }
    }

    mutating func remove(_ ids: some Sequence<ItemID>) {
        guard !isEmpty else { return }
        for id in ids where contains(id) {
            let (chunk, word, bit) = Self.place(of: id)
            chunks[chunk][word] &= ~bit
            count -= 1
        }
        if isEmpty { chunks = [] }
    }

    /// The lowest ids, at most `limit` of them.
    func lowest(_ limit: Int) -> [ItemID] {
        var ids: [ItemID] = []
        for (chunk, words) in chunks.enumerated() {
            for (index, word) in words.enumerated() where word != 0 {
                for bit in 0..<64 where word & (1 << UInt64(bit)) != 0 {
                    guard ids.count < limit else { return ids }
                    ids.append(ItemID(chunk * Self.chunkLength + index * 64 + bit))
                }
            }
        }
        return ids
    }

    private static func place(of id: ItemID) -> (chunk: Int, word: Int, bit: UInt64) {
        let place = id.number & (chunkLength - 1)
        return (id.number / chunkLength, place >> 6, 1 << UInt64(place & 63))
    }
}
