import Playback

/// Words to find in items' paths and titles, ignoring case.
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
        let conditions = words.map { _ in
            "(path LIKE ? ESCAPE '!' OR title LIKE ? ESCAPE '!' OR tag_title LIKE ? ESCAPE '!')"
        }
        let row = try db.statement(
            """
            SELECT id, path, title, tag_title FROM items WHERE typeof(path) = 'blob'
            OR \((["1"] + conditions).joined(separator: " AND "))
            """)
        row.bind(words.flatMap { Array(repeating: Self.pattern($0).cell, count: 3) })
        var found = ItemSet()
        while try row.next() {
            if matches((row[1] as FilePath).description, row[2], row[3]) {
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
