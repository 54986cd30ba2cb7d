import UndersongBase
import UndersongLibrary

/// The commands that find songs in the library.
extension MPDCommand {
    static let database = [
        MPDCommand("count", since: Version(9), .read, 1...) { frontEnd, _, arguments, reply in
            try await frontEnd.count(arguments.all, to: &reply)
        },
        MPDCommand("find", since: Version(9), .read, 1...) { frontEnd, client, arguments, reply in
            let selection = try MPDSelection(arguments.all, ignoresCase: false)
            try await frontEnd.find(selection, for: client, to: &reply)
        },
        MPDCommand("search", since: Version(9), .read, 1...) { frontEnd, client, arguments, reply in
            let selection = try MPDSelection(arguments.all, ignoresCase: true)
            try await frontEnd.find(selection, for: client, to: &reply)
        },
        MPDCommand("list", since: Version(9), .read, 1...) { frontEnd, _, arguments, reply in
            try await frontEnd.list(arguments.all, to: &reply)
        },
        MPDCommand("tagtypes", since: Version(13), .none, 0...) { _, client, arguments, reply in
            try tagTypes(client, arguments, &reply)
        },
        MPDCommand("update", since: Version(9), .control, 0...1) { frontEnd, _, arguments, reply in
            try await frontEnd.update(arguments.text(at: 0), readsAll: false, to: &reply)
        },
        MPDCommand("rescan", since: Version(15), .control, 0...1) { frontEnd, _, arguments, reply in
            try await frontEnd.update(arguments.text(at: 0), readsAll: true, to: &reply)
        },
    ]

    private static func tagTypes(
        _ client: MPDClient, _ arguments: MPDArguments, _ reply: inout MPDReply
    ) throws(MPDError) {
        guard let action = arguments.text(at: 0) else {
            for tag in MPDTag.listed where client.shownTags.contains(tag) {
                reply.add("tagtype", tag.rawValue)
            }
            return
        }
        let names = arguments.dropFirst(1).all
        switch action {
        case "all", "clear":
            guard names.isEmpty else { throw MPDError(.argument, "Too many arguments") }
            client.shownTags = action == "all" ? Set(MPDTag.listed) : []
        case "enable": client.shownTags.formUnion(try tags(names))
        case "disable": client.shownTags.subtract(try tags(names))
        default: throw MPDError(.argument, "Unknown sub command")
        }
    }

    private static func tags(_ names: [String]) throws(MPDError) -> [MPDTag] {
        guard !names.isEmpty else { throw MPDError(.argument, "Not enough arguments") }
        var tags: [MPDTag] = []
        for name in names {
            guard let tag = MPDTag(name: name) else {
                throw MPDError(.argument, "Unknown tag type")
            }
            tags.append(tag)
        }
        return tags
    }
}

/// The songs that `find` and `search` ask for.
struct MPDSelection: Sendable {
    var filter: MPDFilter
    var sort: MPDSort?
    var window = MPDRange.all

    /// Parses a filter, which `sort` and an order, and `window` and positions, may follow.
    init(_ arguments: [String], ignoresCase: Bool) throws(MPDError) {
        var arguments = arguments
        if let text = arguments.popOption("window") { window = try MPDRange(text) }
        if let text = arguments.popOption("sort") {
            guard let sort = MPDSort(text) else { throw MPDError(.argument, "Unknown sort tag") }
            self.sort = sort
        }
        filter = try MPDFilter(arguments, ignoresCase: ignoresCase)
    }
}

extension [String] {
    /// Removes the name of an option before the last argument, and that one. Returns it; nil if the
    /// option is not there.
    mutating func popOption(_ name: String) -> String? {
        guard count >= 2, self[count - 2] == name, let value = last else { return nil }
        removeLast(2)
        return value
    }
}

extension MPDFrontEnd {
    // MARK: Songs

    fileprivate func find(
        _ selection: MPDSelection, for client: MPDClient, to reply: inout MPDReply
    ) async throws(MPDError) {
        try await forEach(selection) { found in
            for song in found { reply.add(song.song, client.shownTags) }
        }
    }

    /// Passes the songs of a selection to `body`, in order.
    private func forEach(
        _ selection: MPDSelection, _ body: (ArraySlice<MPDDatabase.Found>) -> Void
    ) async throws(MPDError) {
        var matches = try await database().songs(selection.filter)
        if let sort = selection.sort {
            let sorted = sort.sorted(try await matches.all()) { $0.song }
            if let part = selection.window.clipped(to: sorted.count) { body(sorted[part]) }
            return
        }
        var index = 0
        while let found = try await matches.next() {
            let start = max(0, selection.window.start - index)
            let end = selection.window.end.map { max(0, $0 - index) } ?? found.count
            if start < found.count { body(found[start..<max(start, min(end, found.count))]) }
            index += found.count
            if let end = selection.window.end, index >= end { return }
        }
    }

    /// The songs of a selection, in order.
    func songs(_ selection: MPDSelection) async throws(MPDError) -> [MPDDatabase.Found] {
        var songs: [MPDDatabase.Found] = []
        try await forEach(selection) { songs += $0 }
        return songs
    }

    // MARK: Groups

    fileprivate func count(
        _ arguments: [String], to reply: inout MPDReply
    ) async throws(MPDError) {
        var arguments = arguments
        let group = try arguments.popOption("group").map { name throws(MPDError) in
            try MPDTag(known: name)
        }
        let filter = arguments.isEmpty ? MPDFilter() : try MPDFilter(arguments, ignoresCase: false)
        var matches = try await database().songs(filter)
        var totals: [String: (count: Int, seconds: Double)] = [:]
        while let found = try await matches.next() {
            for song in found.map(\.song) {
                let seconds = song.sound?.seconds ?? 0
                for text in group.map({ song.groups(by: $0) }) ?? [""] {
                    let total = totals[text] ?? (0, 0)
                    totals[text] = (total.count + 1, total.seconds + seconds)
                }
            }
        }
        if group == nil, totals.isEmpty { totals[""] = (0, 0) }
        for (text, total) in totals.sorted(by: { $0.key.precedes($1.key) }) {
            if let group { reply.add(name: group.rawValue, text) }
            reply.add("songs", total.count)
            reply.add("playtime", Int(total.seconds))
        }
    }

    fileprivate func list(_ arguments: [String], to reply: inout MPDReply) async throws(MPDError) {
        var rest = Array(arguments.dropFirst())
        if ["file", "filename"].contains(arguments[0].lowercased()) {
            let filter = rest.isEmpty ? MPDFilter() : try MPDFilter(rest, ignoresCase: false)
            var matches = try await database().songs(filter)
            while let found = try await matches.next() {
                for song in found { reply.add("file", song.song.uri) }
            }
            return
        }
        let tag = try MPDTag(known: arguments[0])
        var filter = MPDFilter()
        if rest.count == 1, rest[0].utf8.first != UInt8(ascii: "(") {
            guard tag == .album else {
                throw MPDError(.argument, "should be \"Album\" for 3 arguments")
            }
            filter = MPDFilter(.tag(.artist, MPDFilter.Text(.equals, rest.removeFirst())))
        }
        var tags: [MPDTag] = []
        while let name = rest.popOption("group") {
            let group = try MPDTag(known: name)
            guard group != tag, !tags.contains(group) else {
                throw MPDError(.argument, "Conflicting group")
            }
            tags.append(group)
        }
        tags.append(tag)
        if !rest.isEmpty { filter = try MPDFilter(rest, ignoresCase: false) }
        var matches = try await database().songs(filter)
        var tree = MPDTagTree()
        while let found = try await matches.next() {
            for song in found { tree.add(song.song, tags[...]) }
        }
        tree.write(tags[...], to: &reply)
    }

    // MARK: Scans

    /// Scans a file or folder, or all for nil or an empty URI.
    fileprivate func update(
        _ uri: String?, readsAll: Bool, to reply: inout MPDReply
    ) async throws {
        let database = try await database()
        let uri = ["", "/"].contains(uri) ? nil : uri
        var path: FilePath?
        if let uri {
            guard MPDFolders.isSafe(uri) else { throw MPDError(.argument, "Malformed path") }
            guard let known = database.folders.path(of: uri) else {
                throw MPDError(.noExist, "No such directory")
            }
            path = await player.folder(of: known)
        }
        if !database.folders.roots.isEmpty {
            _ = try await player.updateLibrary(path, readsAll: readsAll)
        }
        reply.add("updating_db", beginUpdate())
    }
}

extension PlayerService {
    /// The folder of a file, or the path itself if it is a folder. The disk is accessed elsewhere.
    fileprivate func folder(of path: FilePath) async -> FilePath {
        await Self.onFilesQueue { path.isFolder ? path : path.parent }
    }
}

/// The texts of some tags in songs, each below those of the tag before.
private struct MPDTagTree {
    private var branches: [String: MPDTagTree] = [:]

    mutating func add(_ song: MPDSong, _ tags: ArraySlice<MPDTag>) {
        guard let tag = tags.first else { return }
        for text in song.groups(by: tag) {
            branches[text, default: MPDTagTree()].add(song, tags.dropFirst())
        }
    }

    func write(_ tags: ArraySlice<MPDTag>, to reply: inout MPDReply) {
        guard let tag = tags.first else { return }
        for (text, branch) in branches.sorted(by: { $0.key.precedes($1.key) }) {
            reply.add(name: tag.rawValue, text)
            branch.write(tags.dropFirst(), to: &reply)
        }
    }
}

extension MPDSong {
    /// The texts by which it is grouped; an empty one if it has none.
    fileprivate func groups(by tag: MPDTag) -> [String] {
        let texts = textsOrSubstitutes(of: tag)
        return texts.isEmpty ? [""] : texts
    }
}

extension String {
    /// True if its bytes are before those of `other`.
    fileprivate func precedes(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}
