import UndersongLibrary

/// Words to find in items' paths, titles, artists and albums, ignoring case and diacritics. A word
/// such as `artist:björk` is to be found only there.
struct Search {
    /// A part of the texts, of which an item has five: path, title, title by its tag, artist, album.
    enum Field: String {
        case title, artist, album

        /// The places of its texts among those of an item.
        var texts: ClosedRange<Int> {
            switch self {
            case .title: 1...2
            case .artist: 3...3
            case .album: 4...4
            }
        }
    }

    /// A word, as it is compared.
    struct Word {
        let bytes: [UInt8]
        /// The field that has to contain it; nil for any.
        let field: Field?

        fileprivate init(_ word: String) {
            let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            field = parts.count == 2 ? Field(rawValue: parts[0].lowercased()) : nil
            bytes = Array((field == nil ? word : String(parts[1])).folded.utf8)
        }
    }

    let words: [Word]

    init(_ words: [String]) { self.words = words.map { Word($0) }.filter { !$0.bytes.isEmpty } }

    /// Returns true if each word occurs in one of an item's texts, which are in the order of
    /// `Field`.
    func matches(_ texts: String?...) -> Bool {
        let texts = texts.map { $0?.folded }
        return words.allSatisfy { word in
            let fields = word.field?.texts ?? 0...texts.count - 1
            return texts[fields].contains { $0?.utf8.contains(word.bytes) == true }
        }
    }
}
