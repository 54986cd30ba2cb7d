import Dispatch
import UndersongAudioSession
import UndersongBase
import UndersongPlayback

/// The commands for stored playlists, and those that add what a filter finds.
extension MPDCommand {
    static let storedPlaylists = [
        MPDCommand("findadd", since: Version(16), .add, 1...) { frontEnd, _, arguments, _ in
            try await frontEnd.addMatches(arguments.all, ignoresCase: false)
        },
        MPDCommand("searchadd", since: Version(17), .add, 1...) { frontEnd, _, arguments, _ in
            try await frontEnd.addMatches(arguments.all, ignoresCase: true)
        },
        MPDCommand("searchaddpl", since: Version(17), .control, 2...) { frontEnd, _, arguments, _ in
            var rest = Array(arguments.all.dropFirst())
            let position = try rest.popOption("position").map { text throws(MPDError) in
                try MPDArguments.unsigned(text)
            }
            let selection = try MPDSelection(rest, ignoresCase: true)
            let songs = try await frontEnd.songs(selection)
            guard !songs.isEmpty else { return }
            try await frontEnd.add(
                songs.map { QueueEntry($0.track) }, to: arguments[0], at: position)
        },
        MPDCommand("listplaylist", since: Version(13), .read, 1...1) {
            frontEnd, client, arguments, reply in
            let entries = try await frontEnd.entries(arguments[0], for: client)
            for song in await frontEnd.songs(entries) { reply.add("file", song.uri) }
        },
        MPDCommand("listplaylistinfo", since: Version(12), .read, 1...1) {
            frontEnd, client, arguments, reply in
            let entries = try await frontEnd.entries(arguments[0], for: client)
            for song in await frontEnd.songs(entries) { reply.add(song, client.shownTags) }
        },
        MPDCommand("listplaylists", since: Version(13), .read, 0...0) { frontEnd, _, _, reply in
            await frontEnd.addStoredPlaylists(to: &reply)
        },
        MPDCommand("load", since: Version(9), .add, 1...3) { frontEnd, client, arguments, _ in
            let range = try arguments.range(1)
            let position = try await frontEnd.insertPosition(arguments.text(at: 2))
            let entries = try await frontEnd.entries(arguments[0], for: client)
            guard let part = range.clipped(to: entries.count) else { return }
            try await frontEnd.insert(Array(entries[part]), at: position)
        },
        MPDCommand("playlistadd", since: Version(13), .control, 2...3) {
            frontEnd, client, arguments, _ in
            try MPDStoredPlaylists.check(arguments[0])
            let position = arguments.count > 2 ? try arguments.unsigned(2) : nil
            let entries = try await frontEnd.entries(at: arguments[1], for: client)
            try await frontEnd.add(entries, to: arguments[0], at: position)
        },
        MPDCommand("playlistclear", since: Version(13), .control, 1...1) {
            frontEnd, _, arguments, _ in
            try await frontEnd.edit { playlists throws(MPDError) in
                try playlists.edit(arguments[0]) { $0 = [] }
            }
        },
        MPDCommand("playlistdelete", since: Version(13), .control, 2...2) {
            frontEnd, _, arguments, _ in
            let range = try arguments.range(1)
            try await frontEnd.edit { playlists throws(MPDError) in
                try playlists.edit(arguments[0]) { entries throws(MPDError) in
                    guard let part = range.clipped(to: entries.count) else { throw .badRange }
                    entries.removeSubrange(part)
                }
            }
        },
        MPDCommand("playlistmove", since: Version(13), .control, 3...3) {
            frontEnd, _, arguments, _ in
            let (from, to) = (try arguments.unsigned(1), try arguments.unsigned(2))
            guard from != to else { return }
            try await frontEnd.edit { playlists throws(MPDError) in
                try playlists.edit(arguments[0]) { entries throws(MPDError) in
                    guard max(from, to) < entries.count else {
                        throw MPDError(.argument, "Bad range")
                    }
                    entries.insert(entries.remove(at: from), at: to)
                }
            }
        },
        MPDCommand("rename", since: Version(13), .control, 2...2) { frontEnd, _, arguments, _ in
            try await frontEnd.edit { playlists throws(MPDError) in
                try playlists.rename(arguments[0], to: arguments[1])
            }
        },
        MPDCommand("rm", since: Version(9), .control, 1...1) { frontEnd, _, arguments, _ in
            try await frontEnd.edit { playlists throws(MPDError) in
                try playlists.remove(arguments[0])
            }
        },
        MPDCommand("save", since: Version(9), .control, 1...1) { frontEnd, _, arguments, _ in
            let entries = await frontEnd.queueEntries()
            try await frontEnd.edit { playlists throws(MPDError) in
                try playlists.create(arguments[0], entries)
            }
        },
    ]
}

extension MPDFrontEnd {
    private func playlists() throws(MPDError) -> MPDStoredPlaylists {
        guard let folder = player.savedQueueFolder else {
            throw MPDError(.unknown, "Stored playlists are disabled")
        }
        return MPDStoredPlaylists(folder: folder)
    }

    /// Adds the names of the stored playlists.
    func addStoredPlaylists(to reply: inout MPDReply) async {
        for queue in await player.savedQueues {
            reply.add("playlist", queue.name.text)
            reply.add(modified: Double(queue.modified / 1_000_000_000))
        }
    }

    /// Changes the stored playlists.
    fileprivate func edit(
        _ change: @escaping @Sendable (MPDStoredPlaylists) throws(MPDError) -> Void
    ) async throws(MPDError) {
        try await playlists().perform(change)
        await lookAtPlaylists()
    }

    /// Reports changes of the stored playlists by others; nil if they cannot be noticed.
    func playlistSource() -> (any DispatchSourceRead)? {
        guard let folder = player.savedQueueFolder, let watch = FolderWatch(folder, for: .any)
        else { return nil }
        let source = DispatchSource.makeReadSource(
            fileDescriptor: watch.descriptor, queue: player.executor.queue)
        source.setEventHandler { [weak self] in
            watch.clear()
            self?.post { await $0.lookAtPlaylists() }
        }
        // The descriptor is closed with the watch.
        source.setCancelHandler { withExtendedLifetime(watch) {} }
        source.activate()
        post { $0.knownPlaylists = await $0.player.savedQueues }
        return source
    }

    private func lookAtPlaylists() async {
        let playlists = await player.savedQueues
        guard playlists != knownPlaylists else { return }
        knownPlaylists = playlists
        note(.storedPlaylist)
    }

    /// Adds entries to a stored playlist, which need not exist: at its end, or at a position.
    fileprivate func add(
        _ entries: [QueueEntry], to name: String, at position: Int?
    ) async throws(MPDError) {
        try await edit { playlists throws(MPDError) in
            try playlists.edit(name, creates: true) { stored throws(MPDError) in
                let position = position ?? stored.count
                guard position <= stored.count else { throw MPDError(.argument, "Bad position") }
                stored.insert(contentsOf: entries, at: position)
            }
        }
    }

    /// The entries of a stored playlist, or of the playlist that is a file.
    fileprivate func entries(
        _ name: String, for client: MPDClient
    ) async throws(MPDError) -> [QueueEntry] {
        if !name.utf8.contains(UInt8(ascii: "/")) {
            let stored = try await playlists().perform { playlists throws(MPDError) in
                playlists.hasPlaylist(name) ? try playlists.entries(name) : nil
            }
            if let stored { return stored }
        }
        return try await entriesOfFile(name, for: client)
    }

    private func entriesOfFile(
        _ uri: String, for client: MPDClient
    ) async throws(MPDError) -> [QueueEntry] {
        let path: FilePath?
        switch try MPDLocation(uri, isLocal: client.isLocal) {
        case .file(let file): path = file
        case .library(let uri): path = try await database().folders.path(of: uri)
        case .stream: path = nil
        }
        guard let path, PlaylistFormat(fileExtension: path.fileExtension) != nil else {
            throw MPDStoredPlaylists.noSuchPlaylist
        }
        let entries = await PlayerService.onFilesQueue {
            path.modified == nil ? nil : MediaFinder([path]).all()
        }
        guard let entries else { throw MPDStoredPlaylists.noSuchPlaylist }
        return entries
    }

    /// The entries of a song, or of all songs in a folder.
    fileprivate func entries(
        at uri: String, for client: MPDClient
    ) async throws(MPDError) -> [QueueEntry] {
        switch try MPDLocation(uri == "/" ? "" : uri, isLocal: client.isLocal) {
        case .stream(let url): return [QueueEntry(.file(path: FilePath(url)))]
        case .library(let uri): return try await entries(inLibrary: uri)
        case .file(let path):
            if let uri = try? await database().folders.uri(of: path) {
                return try await entries(inLibrary: uri)
            }
            let entries = await PlayerService.onFilesQueue {
                path.isFile ? MediaFinder([path]).all() : nil
            }
            guard let entries else { throw MPDError(.noExist, "No such directory") }
            return entries
        }
    }

    private func entries(inLibrary uri: String) async throws(MPDError) -> [QueueEntry] {
        var walk = try await database().walk(uri, isRecursive: true)
        var entries: [QueueEntry] = []
        while let part = try await walk.next() {
            for case .song(let found) in part { entries.append(QueueEntry(found.track)) }
        }
        return entries
    }

    /// All items of the queue.
    fileprivate func queueEntries() async -> [QueueEntry] {
        var entries: [QueueEntry] = []
        while true {
            let page = await player.page(offset: entries.count, limit: 4096)
            guard !page.items.isEmpty else { return entries }
            entries += page.items.map { QueueEntry(playing: $0) }
        }
    }

    /// The position that a text gives for what is added; nil for the end.
    fileprivate func insertPosition(_ text: String?) async throws -> Int? {
        guard let text else { return nil }
        let count = await currentQueue().count
        return try MPDPosition.insertion(text, count: count, current: await currentPosition)
    }

    /// Adds the songs that a filter finds to the queue.
    fileprivate func addMatches(_ arguments: [String], ignoresCase: Bool) async throws {
        var rest = arguments
        let position = try await insertPosition(rest.popOption("position"))
        let songs = try await songs(try MPDSelection(rest, ignoresCase: ignoresCase))
        try await insert(songs.map { QueueEntry($0.track) }, at: position)
    }
}
