package import UndersongBase
package import UndersongPlayback

/// The albums of a queue, in a random order.
package enum AlbumOrder {
    /// An item of a queue, as far as its album and its place in that depend on it.
    package struct Entry: Sendable {
        package var id: ItemID
        package var path: FilePath
        /// Its start in its file, in seconds.
        package var start: Double
        /// The album; nil if its file names none, or was not read.
        package var album: String?

        package init(id: ItemID, path: FilePath, start: Double, album: String?) {
            self.id = id
            self.path = path
            self.start = start
            self.album = album
        }
    }

    /// The items of an album have its name in their tags, and are in one folder, or in folders of
    /// its discs that are in one.
    private struct Album: Hashable {
        var name: String
        var folder: FilePath
    }

    /// Returns the items with those of each album together, in the order of their files, and the
    /// albums in a random order. An item without an album is one of its own. The album of `current`
    /// comes first.
    package static func shuffled(
        _ entries: [Entry], current: ItemID?, using generator: inout some RandomNumberGenerator
    ) -> [ItemID] {
        var albums: [[Entry]] = []
        var indexes: [Album: Int] = [:]
        var first: Int?
        for entry in entries {
            let album = album(of: entry)
            let index = album.flatMap { indexes[$0] } ?? albums.count
            if index == albums.count {
                albums.append([])
                if let album { indexes[album] = index }
            }
            albums[index].append(entry)
            if entry.id == current { first = index }
        }
        var order = Array(albums.indices)
        order.shuffle(using: &generator)
        if let first, let index = order.firstIndex(of: first) { order.swapAt(0, index) }
        return order.flatMap { sorted(albums[$0]).map(\.id) }
    }

    private static func sorted(_ album: [Entry]) -> [Entry] {
        guard album.count > 1 else { return album }
        let keyed = album.map { (entry: $0, name: NaturalOrder.folded($0.path.bytes)) }
        let sorted = keyed.sorted { left, right in
            NaturalOrder.precedes(left.name[...], right.name[...])
                ?? ((left.entry.start, left.entry.id) < (right.entry.start, right.entry.id))
        }
        return sorted.map(\.entry)
    }

    private static func album(of entry: Entry) -> Album? {
        guard let name = entry.album else { return nil }
        let folder = entry.path.parent
        return Album(name: name, folder: isDisc(folder.lastComponent) ? folder.parent : folder)
    }

    /// True for the name of a disc's folder: `CD1`, `Disc 2`, `disk-03 (live)`.
    private static func isDisc(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["cd", "disc", "disk"].contains { word in
            name.hasPrefix(word)
                && name.dropFirst(word.count).drop { " -_".contains($0) }.first?.isNumber == true
        }
    }
}
