import UndersongPlayback

/// The commands that read and edit the queue.
extension MPDCommand {
    static let queue = queueEdits + queueReading

    private static let queueEdits = [
        MPDCommand("add", .add, 1...2) { frontEnd, client, arguments, _ in
            let uri = arguments[0] == "/" ? "" : arguments[0]
            let position = try await frontEnd.insertion(arguments)
            let files = try await frontEnd.locate(uri, for: client, isSong: false)
            let items = try await frontEnd.add(files, at: position)
            // A folder of the library may be empty.
            guard items.isEmpty, files.tracks == nil else { return }
            throw MPDError.noSuchSong
        },
        MPDCommand("addid", .add, 1...2) { frontEnd, client, arguments, reply in
            let position = try await frontEnd.insertion(arguments)
            let files = try await frontEnd.locate(arguments[0], for: client, isSong: true)
            guard let id = try await frontEnd.add(files, at: position).first else {
                throw MPDError.noSuchSong
            }
            reply.add("Id", id.number)
        },
        MPDCommand("clear", .player, 0...0) { frontEnd, _, _, _ in
            guard await frontEnd.currentQueue().count > 0 else { return }
            // A stop ends the mode in which it stops after this song.
            if await frontEnd.isPlaying { await frontEnd.player.stop() }
            frontEnd.isStopped = true
            try await frontEnd.player.clear()
            frontEnd.queueIsStale = true
        },
        MPDCommand("delete", .player, 1...1) { frontEnd, _, arguments, _ in
            let queue = await frontEnd.currentQueue()
            try await frontEnd.remove(Array(queue.ids[queue.positions(arguments.range(0))]))
        },
        MPDCommand("deleteid", .player, 1...1) { frontEnd, _, arguments, _ in
            let id = try await frontEnd.currentQueue().item(arguments.unsigned(0)).id
            try await frontEnd.remove([id])
        },
        MPDCommand("move", .player, 2...2) { frontEnd, _, arguments, _ in
            let range = try arguments.range(0)
            guard let end = range.end else {
                throw MPDError(.argument, "Open-ended range not supported")
            }
            try await frontEnd.move(range.start..<end, to: arguments[1])
        },
        MPDCommand("moveid", .player, 2...2) { frontEnd, _, arguments, _ in
            let position = try await frontEnd.currentQueue().item(arguments.unsigned(0)).position
            try await frontEnd.move(position..<position + 1, to: arguments[1])
        },
        MPDCommand("prio", since: Version(16), .player, 2...) { frontEnd, _, arguments, _ in
            let priority = try arguments.unsigned(0, most: 255)
            let queue = await frontEnd.currentQueue()
            var positions: [Range<Int>] = []
            for index in 1..<arguments.count {
                positions.append(try queue.positions(arguments.range(index)))
            }
            try await frontEnd.prioritize(positions, priority)
        },
        MPDCommand("prioid", since: Version(16), .player, 2...) { frontEnd, _, arguments, _ in
            let priority = try arguments.unsigned(0, most: 255)
            let queue = await frontEnd.currentQueue()
            var positions: [Range<Int>] = []
            for index in 1..<arguments.count {
                let position = try queue.item(arguments.unsigned(index)).position
                positions.append(position..<position + 1)
            }
            try await frontEnd.prioritize(positions, priority)
        },
        MPDCommand("rangeid", since: Version(19), .add, 2...2) { frontEnd, _, arguments, _ in
            try await frontEnd.setRange(arguments)
        },
        MPDCommand("shuffle", .player, 0...1) { frontEnd, _, arguments, _ in
            let positions = try await frontEnd.currentQueue().positions(arguments.range(0))
            guard positions.count > 1 else { return }
            try await frontEnd.shuffle(positions)
        },
        MPDCommand("swap", .player, 2...2) { frontEnd, _, arguments, _ in
            try await frontEnd.swap(arguments.unsigned(0), arguments.unsigned(1))
        },
        MPDCommand("swapid", .player, 2...2) { frontEnd, _, arguments, _ in
            let (first, second) = (try arguments.unsigned(0), try arguments.unsigned(1))
            let queue = await frontEnd.currentQueue()
            try await frontEnd.swap(queue.item(first).position, queue.item(second).position)
        },
    ]

    private static let queueReading = [
        MPDCommand("playlist", .read, 0...0) { frontEnd, _, _, reply in
            let count = await frontEnd.currentQueue().count
            for (index, item) in await frontEnd.player.page(offset: 0, limit: count).items
                .enumerated()
            {
                reply.add(name: "\(index):file", await frontEnd.uri(of: item))
            }
        },
        MPDCommand("playlistid", .read, 0...1) { frontEnd, client, arguments, reply in
            let queue = await frontEnd.currentQueue()
            let positions =
                arguments.count > 0
                ? [try queue.item(arguments.unsigned(0)).position] : Array(queue.ids.indices)
            await frontEnd.addSongs(at: positions, for: client, to: &reply)
        },
        MPDCommand("playlistinfo", .read, 0...1) { frontEnd, client, arguments, reply in
            let positions = try await frontEnd.currentQueue().positions(arguments.range(0))
            await frontEnd.addSongs(at: Array(positions), for: client, to: &reply)
        },
        MPDCommand("plchanges", .read, 1...2) { frontEnd, client, arguments, reply in
            let changes = try await frontEnd.changes(arguments)
            await frontEnd.addSongs(at: changes, for: client, to: &reply)
        },
        MPDCommand("plchangesposid", .read, 1...2) { frontEnd, _, arguments, reply in
            let queue = await frontEnd.currentQueue()
            for position in try await frontEnd.changes(arguments) where position < queue.count {
                reply.add("cpos", position)
                reply.add("Id", queue.ids[position].number)
            }
        },
    ]
}

extension MPDFrontEnd {
    /// The position at which the second argument asks to insert; nil for the end.
    fileprivate func insertion(_ arguments: MPDArguments) async throws -> Int? {
        guard let text = arguments.text(at: 1) else { return nil }
        let count = await currentQueue().count
        return try MPDPosition.insertion(text, count: count, current: await currentPosition)
    }

    /// The positions that have changed since the version in the first argument.
    fileprivate func changes(_ arguments: MPDArguments) async throws -> [Int] {
        let queue = await currentQueue()
        let version = try arguments.version(0)
        let range = try arguments.range(1)
        let end = min(range.end ?? queue.count, queue.count)
        return queue.changes(since: version, in: min(range.start, end)..<end)
    }

    /// Sets the part of its file that an item plays.
    fileprivate func setRange(_ arguments: MPDArguments) async throws {
        let number = try arguments.unsigned(0)
        let parts = arguments[1].split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let times = parts.map { $0.isEmpty ? 0 : Double($0.drop(while: \.isWhitespace)) ?? -1 }
        guard times.count == 2, times.allSatisfy({ $0 >= 0 && $0.isFinite }),
            times[1] == 0 || times[1] > times[0]
        else { throw MPDError(.argument, "Bad range") }
        let (id, position) = try await currentQueue().item(number)
        guard let item = await player.page(offset: position, limit: 1).items.first,
            item.id == id
        else { throw MPDError.noSuchSong }
        let report = await player.report
        guard report.current?.id != id || state(report) == .stopped else {
            throw MPDError(.permission, "Cannot edit the current song")
        }
        let duration = item.facts?.duration?.seconds
        if let duration, times[0] > duration {
            throw MPDError(.argument, "Invalid start offset")
        }
        let hasEnd = times[1] > 0 && times[1] < duration ?? .infinity
        player.session.player.post.setRange(
            of: id, start: CMTime(mpdSeconds: times[0]),
            end: hasEnd ? CMTime(mpdSeconds: times[1]) : nil)
        queue.touch([id])
        note(.playlist)
    }
}

extension CMTime {
    /// The time in microseconds that a client gives in seconds.
    init(mpdSeconds seconds: Double) {
        let most = 1e12
        self.init(value: Int64((min(seconds, most) * 1e6).rounded()), timescale: 1_000_000)
    }
}
