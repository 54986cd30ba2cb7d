@testable import UndersongAudioSession
@testable import UndersongPodcasts

/// Reads a feed in two pieces.
func readFeed(_ bytes: [UInt8]) {
    let reader = FeedReader(
        at: "https://feeds.example/a/feed.xml", characters: CharacterSet.characters)
    var entries: [FeedEntry] = []
    let half = bytes.count / 2
    do {
        try reader.read(bytes.span.extracting(0..<half), into: &entries)
        try reader.read(bytes.span.extracting(half..<bytes.count), into: &entries)
        try reader.finish(into: &entries)
    } catch {}
    require(entries.count <= FeedReader.entryLimit, "a feed has too many entries")
    for entry in entries { _ = entry.key }
}

/// Reads a list of feeds. Only URLs of the web are in it, and it is the same when written.
func readOPML(_ bytes: [UInt8]) {
    guard let list = try? OPML(bytes, characters: CharacterSet.characters) else { return }
    for outline in list.outlines {
        require(outline.url.lowercased().hasPrefix("http"), "a list names \(outline.url)")
    }
    let urls = try? OPML(Array(list.text.utf8)).outlines.map(\.url)
    require(urls == list.outlines.map(\.url), "a list has other feeds when it is written")
}

func readPage(_ bytes: [UInt8]) {
    _ = WebPage(bytes, at: "https://pages.example/a/b?c")
}
