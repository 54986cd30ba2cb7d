import CUndersongLinux
import UndersongBase
import UndersongLibrary

/// The lists of names that tracks refer to by numbers, such as the artists of a track, and the
/// folders of their files. Each is written once, and is never removed: a list of texts is stored
/// with zero bytes between them.
struct NameTable {
    static let schema = """
        CREATE TABLE names (
            id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, key BLOB NOT NULL,
            checksum INTEGER NOT NULL);
        CREATE INDEX names_key ON names (key);
        CREATE TABLE directories (
            id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, key BLOB NOT NULL,
            checksum INTEGER NOT NULL);
        CREATE INDEX directories_key ON directories (key);
        """

    let db: Database

    /// The number of a list of names, which is added if it is new; 0 if it is empty. `sort` is the
    /// text by which it is sorted. Sets `isChanged` if the order of names may be another one.
    func id(of names: [String], sort: String?, isChanged: inout Bool) throws -> Int {
        let text = Self.text(names)
        guard !text.isEmpty else { return 0 }
        let row = try db.statement("SELECT id, key FROM names WHERE text = ?")
        row.bind(text)
        let isKnown = try row.next()
        let (id, known): (Int, Blob) = isKnown ? (row[0], row[1]) : (0, Blob([]))
        row.rewind()
        let key = Self.key(sort ?? text)
        if isKnown, sort == nil || known.bytes == key { return id }
        isChanged = true
        let own = isKnown ? id : try newID(in: "names")
        try db.insert(into: "names", own, text, Blob(key))
        return own
    }

    /// The number of a folder, whose path ends with a slash, and which is added if it is new.
    func folder(_ path: [UInt8], isChanged: inout Bool) throws -> Int {
        if let id = try knownFolder(path) { return id }
        isChanged = true
        let id = try newID(in: "directories")
        try db.insert(
            into: "directories", id, Blob(path), Blob(Self.key(FilePath(bytes: path).description)))
        return id
    }

    /// The number of a folder; nil if it is not known.
    func knownFolder(_ path: [UInt8]) throws -> Int? {
        let row = try db.statement("SELECT id FROM directories WHERE path = ?")
        row.bind(Blob(path))
        defer { row.rewind() }
        return try row.next() ? row[0] : nil
    }

    /// The folder with this path, without a slash at its end, and those below it.
    func folders(in path: FilePath) throws -> [(id: Int, path: FilePath)] {
        let row = try db.statement("SELECT id, path FROM directories WHERE path >= ? AND path < ?")
        let bounds = Self.bounds(of: path)
        row.bind(Blob(bounds.first), Blob(bounds.end))
        defer { row.rewind() }
        var folders: [(id: Int, path: FilePath)] = []
        while try row.next() {
            let bytes = (row[1] as Blob).bytes
            folders.append(
                (row[0], FilePath(bytes: bytes.count > 1 ? Array(bytes.dropLast()) : bytes)))
        }
        return folders
    }

    /// The least path of a folder in `path`, and the least one that is not in it any more.
    static func bounds(of path: FilePath) -> (first: [UInt8], end: [UInt8]) {
        let slash = UInt8(ascii: "/")
        let stem = path.bytes.last == slash ? Array(path.bytes.dropLast()) : path.bytes
        return (stem + [slash], stem + [slash + 1])
    }

    private func newID(in table: String) throws -> Int {
        (try db.value("SELECT max(id) FROM \(table)") ?? 0) + 1
    }

    /// The text of a list.
    static func text(_ names: [String]) -> String {
        func isPlain(_ name: String) -> Bool { !name.utf8.contains(0) }
        if names.count == 1, isPlain(names[0]) { return names[0] }
        return names.map { isPlain($0) ? $0 : $0.replacing("\0", with: " ") }
            .joined(separator: "\0")
    }

    /// The bytes by which a name is sorted: numbers in it by their values, and letters without case and
    /// diacritics.
    static func key(_ text: String) -> [UInt8] { key(ofFolded: text.folded.utf8) }

    static func key(ofFolded text: some Sequence<UInt8>) -> [UInt8] {
        var key: [UInt8] = []
        var digits: [UInt8] = []
        func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
        func addNumber() {
            guard !digits.isEmpty else { return }
            let number = digits.drop { $0 == UInt8(ascii: "0") }.prefix(255)
            key += [UInt8(ascii: "0"), UInt8(number.count)] + number
            digits = []
        }
        for byte in text {
            if isDigit(byte) {
                digits.append(byte)
            } else {
                addNumber()
                key.append(byte)
            }
        }
        addNumber()
        return key
    }
}

/// A set of numbers from 0.
struct BitSet {
    private var words: [UInt64]

    /// Creates an empty set of numbers below `count`.
    init(count: Int) { words = Array(repeating: 0, count: (count + 63) / 64) }

    mutating func insert(_ number: Int) { words[number >> 6] |= 1 << UInt64(number & 63) }

    func contains(_ number: UInt32) -> Bool {
        let index = Int(number >> 6)
        return index < words.count && words[index] >> UInt64(number & 63) & 1 == 1
    }
}

/// The folded texts of names or folders by their numbers, about 25 bytes for each, and their order.
struct NameList {
    /// Follows each text; it is in none, since they are UTF-8.
    private static let end: UInt8 = 0xff

    private var bytes: [UInt8] = []
    /// The starts of the texts by their numbers, and of what follows the last one.
    private var starts: [UInt32] = [0]
    /// The positions in the order of all, by their numbers; empty if unknown.
    private(set) var ranks: [UInt32] = []

    /// One more than the highest number.
    var count: Int { starts.count - 1 }

    /// Adds those that are new in the file, whose texts `text` reads from a row's second column.
    ///
    /// - Throws: An error if one is damaged.
    mutating func update(
        from table: String, of db: Database, _ text: (Cell) -> String
    ) throws {
        if count == 0 { add("") }
        let row = try db.statement("SELECT * FROM \(table) WHERE id >= ? ORDER BY id")
        row.bind(count)
        defer { row.rewind() }
        while try row.next() {
            guard row.checksum != nil else { throw SQLiteError.damage("a name is damaged") }
            let id: Int = row[0]
            while count < id { add("") }
            add(text(row.allCells[1]))
        }
    }

    private mutating func add(_ text: String) {
        bytes += text.folded.utf8
        bytes.append(Self.end)
        starts.append(UInt32(bytes.count))
    }

    /// Reads the order of all.
    mutating func sort(by table: String, of db: Database) throws {
        ranks = Array(repeating: 0, count: count)
        let row = try db.statement("SELECT id FROM \(table) ORDER BY key, id")
        var rank: UInt32 = 0
        while try row.next() {
            let id: Int = row[0]
            rank += 1
            if id < ranks.count { ranks[id] = rank }
        }
    }

    /// The position of a name in the order; that of none is after all.
    func rank(_ id: UInt32) -> UInt32 {
        id > 0 && Int(id) < ranks.count ? ranks[Int(id)] : .max
    }

    private func text(_ id: Int) -> ArraySlice<UInt8> {
        bytes[Int(starts[id])..<Int(starts[id + 1]) - 1]
    }

    /// True if a list has more than one text.
    func isList(_ id: UInt32) -> Bool { Int(id) < count && text(Int(id)).contains(0) }

    /// The numbers of those with a text that compares so with `text`, which is folded.
    func matches(_ comparison: LibraryQuery.TextComparison, _ text: [UInt8]) -> BitSet {
        var set = BitSet(count: count)
        switch comparison {
        case .contains:
            guard !text.isEmpty else {
                for id in 1..<count { set.insert(id) }
                return set
            }
            guard !text.contains(0) else { return set }
            var (id, start) = (0, 0)
            while let hit = bytes.firstRange(of: text, from: start) {
                while starts[id + 1] <= hit { id += 1 }
                set.insert(id)
                start = Int(starts[id + 1])
            }
        case .equals, .begins:
            for id in 1..<count {
                let isMatch = self.text(id).split(separator: 0, omittingEmptySubsequences: false)
                    .contains {
                        comparison == .equals ? $0.elementsEqual(text) : $0.starts(with: text)
                    }
                if isMatch { set.insert(id) }
            }
            if comparison == .equals, text.isEmpty { set.insert(0) }
        }
        return set
    }

    /// The folders, of which one of the texts ends with `text`.
    func endings(_ text: ArraySlice<UInt8>) -> BitSet {
        var set = BitSet(count: count)
        for id in 1..<count where self.text(id).suffix(text.count).elementsEqual(text) {
            set.insert(id)
        }
        return set
    }
}

extension [UInt8] {
    /// The start of the first occurrence of `part`, which is not empty, from an index on.
    func firstRange(of part: [UInt8], from start: Int) -> Int? {
        unsafe withUnsafeBytes { bytes in
            guard start < bytes.count, let base = bytes.baseAddress,
                let hit = unsafe memmem(base + start, bytes.count - start, part, part.count)
            else { return nil }
            return unsafe UnsafeRawPointer(hit) - base
        }
    }
}
