import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// The queue of a service, page by page: it may be much longer than one answer.
struct QueuePages {
    /// The number of items to request at once.
    static let length = 1000

    private let service: Service

    init(_ service: Service) { self.service = service }

    /// Up to `limit` items from `offset`.
    func page(offset: Int, limit: Int) throws -> QueueList {
        try service.call(ListQueue(offset: offset, limit: limit))
    }

    /// Passes the whole queue to `body`, at least one page.
    func forEach(_ body: (QueueList) throws -> Void) throws {
        var offset = 0
        while true {
            let page = try page(offset: offset, limit: Self.length)
            try body(page)
            offset += page.items.count
            guard !page.items.isEmpty, offset < page.count else { return }
        }
    }

    /// The whole queue at once.
    func all() throws -> QueueList {
        var items: [ListedItem] = []
        var current: Int?
        try forEach { page in
            items += page.items
            current = page.current
        }
        return QueueList(items: items, current: current)
    }
}

/// Writes a service's queue as a playlist, page by page.
struct QueueWriter {
    /// The service that has the queue.
    let service: Service
    /// The playlist's format.
    let format: WrittenPlaylist

    /// Passes the playlist to `write` in pieces, and returns how many items it contains. Reports
    /// each item that is left out because a playlist cannot contain it.
    func write(_ write: ([UInt8]) throws -> Void) throws -> Int {
        let writer = format.writer
        var bytes = Array(writer.head.utf8)
        var count = 0
        try QueuePages(service).forEach { page in
            for item in page.items {
                let entry = item.entry
                guard WrittenPlaylist.canHold(entry.source) else {
                    complain(
                        "cannot save \(Columns.printable(item.title)): A playlist cannot hold it")
                    continue
                }
                writer.write(entry, duration: item.wholeDuration, to: &bytes)
                count += 1
            }
            try write(bytes)
            bytes.removeAll(keepingCapacity: true)
        }
        try write(Array(writer.tail.utf8))
        return count
    }

    /// Writes the playlist to the file at `path`, completely or not at all; with `replaces` also if
    /// there is one.
    func write(
        to path: FilePath, mode: UInt32 = 0o666, replaces: Bool = true
    ) throws -> Int {
        let file = try NewFile(at: path, mode: mode, replaces: replaces)
        let count = try write { try file.write($0) }
        try file.commit()
        return count
    }
}

extension ListedItem {
    /// The item as an entry of a playlist, with the title `Artist - Title`, as is usual there. A
    /// title that is only the file's name is left out.
    fileprivate var entry: QueueEntry {
        let tag = title == source.title ? nil : ItemName.text(title, artist: artist)
        return QueueEntry(
            source, start: start.map { CMTime($0) } ?? .zero, end: end.map { CMTime($0) },
            title: playlistTitle ?? tag)
    }

    /// The duration, if the whole item is played.
    fileprivate var wholeDuration: CMTime? {
        start == nil && end == nil ? duration.map { CMTime($0) } : nil
    }
}
