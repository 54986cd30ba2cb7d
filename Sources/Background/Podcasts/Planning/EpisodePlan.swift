/// Decides about the episodes of one feed: which are new, which are downloaded automatically, and
/// whose files are deleted.
package struct EpisodePlan: Sendable {
    private let playability: Playability

    package init(_ playability: Playability) { self.playability = playability }

    /// The episode of an entry that is not known yet; nil for an entry that nothing identifies.
    package func episode(of entry: FeedEntry, id: Int, feed: Int) -> Episode? {
        guard let key = entry.key else { return nil }
        let enclosure = entry.enclosures.first(where: playability.canPlay) ?? entry.enclosures.first
        let isPlayable = enclosure.map(playability.canPlay) ?? false
        var episode = Episode(
            id: id, feed: feed, key: key, title: entry.title ?? Self.title(of: enclosure),
            state: isPlayable ? .available : .notPlayable)
        episode.published = entry.published
        episode.url = enclosure?.url
        episode.type = enclosure?.type
        episode.duration = entry.duration
        return episode
    }

    /// The episodes to download by themselves, latest first.
    package func wanted(of episodes: [Episode], _ policy: Feed.Policy) -> [Episode] {
        let sorted = episodes.sorted { $0.isNewer(than: $1) }
        let candidates: ArraySlice<Episode> =
            switch policy.auto {
            case .none: []
            case .all: sorted[...]
            case .newest(let count): sorted.prefix(count)
            }
        return candidates.filter { $0.state == .available }
    }

    /// The downloaded episodes whose files may be deleted at `now`. `heard` says when an episode was
    /// heard to its end; one for which it says nil stays in any case.
    package func surplus(
        of episodes: [Episode], _ policy: Feed.Policy, at now: Double,
        heard: (Episode) -> Double?
    ) -> [Episode] {
        let downloaded = episodes.filter { $0.state == .downloaded }
            .sorted { $0.isNewer(than: $1) }
        return switch policy.keep {
        case .all: []
        case .latest(let count): downloaded.dropFirst(count).filter { heard($0) != nil }
        case .days(let count):
            downloaded.filter { heard($0).map { now - $0 >= Double(count) * 86400 } ?? false }
        }
    }

    private static func title(of enclosure: Enclosure?) -> String {
        let path = enclosure?.url.prefix { $0 != "?" && $0 != "#" }
        let name = path?.split(separator: "/").last ?? ""
        return name.isEmpty ? "Episode" : String(name)
    }
}

/// The files that can be played, by their media type and name.
package struct Playability: Sendable {
    private static let types: [String: String] = [
        "audio/mpeg": "mp3", "audio/mp3": "mp3", "audio/mpeg3": "mp3", "audio/x-mpeg": "mp3",
        "audio/x-mp3": "mp3", "audio/flac": "flac", "audio/x-flac": "flac", "audio/wav": "wav",
        "audio/x-wav": "wav", "audio/wave": "wav", "audio/ogg": "ogg", "application/ogg": "ogg",
        "audio/vorbis": "ogg", "audio/opus": "opus", "audio/aiff": "aiff", "audio/x-aiff": "aiff",
    ]

    private let extensions: Set<String>

    /// `extensions` are those of playable files, in lower case and without the dot.
    package init(extensions: some Sequence<String>) { self.extensions = Set(extensions) }

    /// Returns true if an enclosure can be played, as far as its type and its name show it: a known
    /// type decides, else the name.
    package func canPlay(_ enclosure: Enclosure) -> Bool {
        let name = Self.fileExtension(of: enclosure.url)
        guard let type = enclosure.type, type != "application/octet-stream", type != "audio/*"
        else { return extensions.contains(name) }
        if let known = Self.types[type] { return extensions.contains(known) }
        // A type that says nothing of the format, such as `audio/basic` or a misspelt one, is no
        // reason against a name that is known, but that of another kind is.
        let kind = type.prefix { $0 != "/" }
        let isOther = ["video", "image", "text"].contains(kind) || type == "application/pdf"
        let isOtherAudio = ["audio/mp4", "audio/x-m4a", "audio/m4a", "audio/aac", "audio/x-m4b"]
            .contains(type)
        return !isOther && !isOtherAudio && extensions.contains(name)
    }

    /// The extension for the file of an episode: that of its URL, else that of its type.
    package func fileExtension(url: String, type: String?) -> String {
        let name = Self.fileExtension(of: url)
        if extensions.contains(name) { return name }
        return type.flatMap { Self.types[$0] } ?? (name.isEmpty ? "mp3" : name)
    }

    private static func fileExtension(of url: String) -> String {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        guard let name = path.split(separator: "/").last, let dot = name.lastIndex(of: ".") else {
            return ""
        }
        let text = name[name.index(after: dot)...].lowercased()
        return text.utf8.count <= 5
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            ? text : ""
    }
}

extension EpisodePlan {
    /// The changes that a document makes to the episodes of its feed.
    package struct Merge: Sendable {
        /// All episodes.
        package var episodes: [Episode]
        /// The new episodes, latest first, and then the changed ones.
        package var changed: [Episode]
        package var newCount: Int
        /// The ids of those that the feed does not have any more.
        package var removed: [Int]
        /// The highest id that was assigned.
        package var lastID: Int
    }

    /// Merges the entries of a document into the known episodes of a feed. New ones get ids after
    /// `lastID`. Known ones stay as they are, but for the file of one that was not downloaded;
    /// those that are in no document any more are removed unless there is a file or a transfer of
    /// them.
    package func merge(
        _ entries: [FeedEntry], into known: [Episode], of feed: Int, after lastID: Int
    ) -> Merge {
        let indices = Dictionary(
            known.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
        var episodes = known
        var seen: Set<String> = []
        var (new, changed): ([Episode], [Episode]) = ([], [])
        for entry in entries {
            guard let found = episode(of: entry, id: 0, feed: feed), seen.insert(found.key).inserted
            else { continue }
            guard let index = indices[found.key] else {
                new.append(found)
                continue
            }
            let updated = episodes[index].updated(by: found)
            if updated != episodes[index] {
                episodes[index] = updated
                changed.append(updated)
            }
        }
        // The first one of the document is the latest.
        for index in new.indices { new[index].id = lastID + new.count - index }
        let isWhole = entries.count < FeedReader.entryLimit
        let removed = episodes.filter { isWhole && $0.isDispensable && !seen.contains($0.key) }
        episodes =
            new + episodes.filter { isWhole ? !$0.isDispensable || seen.contains($0.key) : true }
        return Merge(
            episodes: episodes, changed: new + changed, newCount: new.count,
            removed: removed.map(\.id), lastID: lastID + new.count)
    }
}

extension Episode {
    /// True if nothing is lost with it.
    fileprivate var isDispensable: Bool { state != .wanted && state != .downloaded }

    /// Returns the episode as the feed describes it now.
    fileprivate func updated(by other: Episode) -> Episode {
        guard state == .available || state == .notPlayable || state == .failed else { return self }
        var updated = other
        updated.id = id
        updated.problem = problem
        if state == .failed, url == other.url { updated.state = .failed }
        return updated
    }
}
