import Playback

/// Words to find in items' paths and titles, ignoring case.
struct Search {
    private let words: [[UInt8]]

    init(_ words: [String]) {
        self.words = words.map { Array($0.lowercased().utf8) }.filter { !$0.isEmpty }
    }

    /// Whether each word occurs in one of the texts.
    func matches(_ texts: String?...) -> Bool { matches(texts) }

    private func matches(_ texts: [String?]) -> Bool {
        let folded = texts.compactMap { $0 }.map { Array($0.lowercased().utf8) }
        return words.allSatisfy { word in
            folded.contains { text in unsafe text.withUnsafeBytes { unsafe Self.find(word, in: $0) }
            }
        }
    }

    /// The matching items of the file.
    func run(in db: Database) throws -> ItemSet {
        let statement = try db.statement("SELECT * FROM items")
        // A read-only file of an earlier version has no column for tag titles.
        let columns: [Int32] = statement.columnCount > 8 ? [1, 2, 8] : [1, 2]
        var found = ItemSet()
        var text: [UInt8] = []
        while try statement.next() {
            text.removeAll(keepingCapacity: true)
            if columns.allSatisfy({ statement.foldText($0, into: &text) }) {
                let isFound = unsafe text.withUnsafeBytes { bytes in
                    words.allSatisfy { unsafe Self.find($0, in: bytes) }
                }
                if !isFound { continue }
            } else if !matches(columns.map { (statement[$0] as FilePath?)?.description }) {
                continue
            }
            found.insert(CollectionOfOne(statement[0]))
        }
        return found
    }

    private static func find(_ word: [UInt8], in text: UnsafeRawBufferPointer) -> Bool {
        guard let first = word.first, text.count >= word.count else { return false }
        for start in 0...text.count - word.count where unsafe text[start] == first {
            var length = 1
            while length < word.count, unsafe text[start + length] == word[length] { length += 1 }
            if length == word.count { return true }
        }
        return false
    }
}

extension Statement {
    /// Appends a text in lower case and a byte that occurs in no word. Returns false unless it is
    /// plain ASCII; other text needs more for its case.
    fileprivate func foldText(_ column: Int32, into bytes: inout [UInt8]) -> Bool {
        if isNull(column) { return true }
        // A path that is not UTF-8.
        guard !isBlob(column) else { return false }
        let isPlain = unsafe withBytes(column) { text in
            for place in 0..<text.count {
                let byte = unsafe text[place]
                guard byte < 0x80 else { return false }
                bytes.append(byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte)
            }
            return true
        }
        guard isPlain else { return false }
        bytes.append(0xff)
        return true
    }
}
