import Playback

/// Words to find in items' paths, titles, artists and albums, ignoring case.
struct Search {
    private let words: [String]

    init(_ words: [String]) { self.words = words.map { $0.lowercased() }.filter { !$0.isEmpty } }

    /// Whether each word occurs in one of the texts.
    func matches(_ texts: String?...) -> Bool {
        let texts = texts.compactMap { $0?.lowercased() }
        return words.allSatisfy { word in texts.contains { $0.utf8.contains(word.utf8) } }
    }

    /// The matching items of the file.
    func run(in db: Database) throws -> ItemSet {
        _ = try EarlierFile(db)
        // SQLite selects the rows by what is ASCII in the words, for which it ignores case. Paths
        // that are not UTF-8 have another text for people.
        let columns = ["path", "title", "tag_title", "artist", "album"]
        let conditions = words.indices.map { index in
            "(\(columns.map { "\($0) LIKE ?\(index + 1) ESCAPE '!'" }.joined(separator: " OR ")))"
        }
        let row = try db.statement(
            """
            SELECT items.id, path, title, tag_title, artist, album, typeof(path) = 'blob'
            FROM items LEFT JOIN item_tags USING (id) WHERE typeof(path) = 'blob'
            OR \((["1"] + conditions).joined(separator: " AND "))
            """)
        row.bind(words.map { Self.pattern($0).cell })
        // What SQLite selects by words that are ASCII matches; texts are costly to read.
        let isSelected = words.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }
        var found = ItemSet()
        while try row.next() {
            if isSelected, !(row[6] as Bool) {
                found.insert(CollectionOfOne(row[0]))
            } else if matches((row[1] as FilePath).description, row[2], row[3], row[4], row[5]) {
                found.insert(CollectionOfOne(row[0]))
            }
        }
        return found
    }

    private static func pattern(_ word: String) -> String {
        let parts = word.unicodeScalars.map { scalar in
            if !scalar.isASCII { return "%" }
            return ["%", "_", "!"].contains(scalar) ? "!\(scalar)" : "\(scalar)"
        }
        return "%\(parts.joined())%"
    }
}
