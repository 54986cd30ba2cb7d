import Playback

/// Words to find in items' paths, titles, artists and albums, ignoring case.
struct Search {
    let words: [String]

    init(_ words: [String]) { self.words = words.map { $0.lowercased() }.filter { !$0.isEmpty } }

    /// Whether each word occurs in one of the texts.
    func matches(_ texts: String?...) -> Bool {
        let texts = texts.compactMap { $0?.lowercased() }
        return words.allSatisfy { word in texts.contains { $0.utf8.contains(word.utf8) } }
    }
}
