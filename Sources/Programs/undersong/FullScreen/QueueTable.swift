import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// The columns of a queue: place, title, artist, album and length, as far as there is room.
struct QueueTable {
    /// The narrowest terminals in which the artist and the album have columns of their own.
    private static let withArtist = 60
    private static let withAlbum = 110
    /// The least width of the length's column, so that it seldom changes.
    private static let shortestLength = 6

    private let placeWidth: Int
    private let lengthWidth: Int
    /// The widths of title, artist and album; fewer in a narrow terminal.
    private let widths: [Int]

    /// `count` is the number of items in the queue; `items` are those to be shown.
    init(columns: Int, count: Int, items: [ListedItem]) {
        placeWidth = String(count).count
        let lengths = items.map { QueueText.length($0).count }
        lengthWidth = max(Self.shortestLength, lengths.max() ?? 0)
        let parts =
            columns < Self.withArtist
            ? [1.0]
            : columns < Self.withAlbum
                ? [0.6, 0.4] : [0.42, 0.29, 0.29]
        // The mark, the place and the length, with two spaces between all columns.
        let room = columns - 2 - placeWidth - 2 * (parts.count + 1) - lengthWidth
        let others = parts.dropFirst().map { max(Int(Double(room) * $0), 0) }
        widths = [max(room - others.reduce(0, +), 0)] + others
    }

    /// The names of the columns; `count` is that of the list, in words.
    func heading(_ count: String) -> String {
        let names = [count, "Artist", "Album"].prefix(widths.count)
        return row(mark: " ", place: "", cells: Array(names), length: "Length")
    }

    /// The row of an item; nil for one that is not known yet.
    func row(place: Int, _ item: ListedItem?, isCurrent: Bool) -> String {
        row(
            mark: isCurrent ? ">" : " ", place: String(place + 1),
            cells: item.map(cells) ?? ["…"], length: item.map(QueueText.length) ?? "")
    }

    private func cells(_ item: ListedItem) -> [String] {
        let remark =
            item.missing == true
            ? "  (\(QueueText.absence(item)))" : item.finished == true ? "  ✓" : ""
        guard widths.count > 1 else { return [item.name + remark] }
        return [Columns.printable(item.title) + remark]
            + [item.artist, item.album].map { Columns.printable($0 ?? "") }
    }

    private func row(mark: String, place: String, cells: [String], length: String) -> String {
        let texts = zip(widths, cells).map { width, text in
            Columns.padded(Columns.fitted(text, into: width), to: width)
        }
        let missing = widths.dropFirst(texts.count).map { String(repeating: " ", count: $0) }
        return
            ([mark + " " + Columns.trailing(place, to: placeWidth)] + texts + missing
            + [Columns.trailing(length, to: lengthWidth)]).joined(separator: "  ")
    }
}
