import UndersongPlayback

/// A set of very many ids: one bit each, in chunks.
struct ItemSet {
    private static let chunkLength = 1 << 16

    /// Bits for a fixed number of ids per chunk; empty if the chunk has no ids.
    private var chunks: [[UInt64]] = []

    init(_ ids: some Sequence<ItemID> = []) { insert(ids) }

    func contains(_ id: ItemID) -> Bool {
        let (chunk, word, bit) = Self.position(of: id)
        return chunk < chunks.count && !chunks[chunk].isEmpty && chunks[chunk][word] & bit != 0
    }

    mutating func insert(_ ids: some Sequence<ItemID>) {
        for id in ids {
            let (chunk, word, bit) = Self.position(of: id)
            while chunks.count <= chunk { chunks.append([]) }
            if chunks[chunk].isEmpty {
                chunks[chunk] = [UInt64](repeating: 0, count: Self.chunkLength / 64)
            }
            chunks[chunk][word] |= bit
        }
    }

    private static func position(of id: ItemID) -> (chunk: Int, word: Int, bit: UInt64) {
        let offset = id.number & (chunkLength - 1)
        return (id.number / chunkLength, offset >> 6, 1 << UInt64(offset & 63))
    }
}
