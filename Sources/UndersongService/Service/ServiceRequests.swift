import AudioSession
import Background
import CommandOptions
import Control
import Dispatch
import Glibc
import Playback
import Store

/// What clients can ask for. Every request is done before its client's next one is looked at.
extension ServiceCore {
    func handle(
        _ request: ControlRequest, from connection: ControlConnection
    ) async throws(ControlError) -> ControlReply {
        let id = connection.id
        guard clients[id] != nil else { return ControlReply(Nothing()) }
        switch request.method {
        case Hello.method: return greet(try request.decode(Hello.self), id)
        case Play.method:
            return ControlReply(try await play(request.decode(Play.self), request, id))
        case Command.method:
            let verb = try request.decode(Command.self).verb
            if verb != .next && verb != .previous { endFade() }
            try await perform(verb)
            return ControlReply(await status)
        case Sleep.method: return ControlReply(try await sleep(request.decode(Sleep.self)))
        case Seek.method: return ControlReply(try await seek(request.decode(Seek.self)))
        case SetSettings.method:
            return ControlReply(try await set(request.decode(SetSettings.self).change))
        case Queue.method:
            return ControlReply(try await edit(request.decode(Queue.self).action))
        case GetStatus.method: return ControlReply(await status)
        case GetWhy.method: return ControlReply(await why)
        case GetHistory.method:
            return ControlReply(await history(try request.decode(GetHistory.self)))
        case Subscribe.method:
            return ControlReply(
                try await subscribe(request.decode(Subscribe.self), request, connection))
        case Unsubscribe.method:
            let number = try request.decode(Unsubscribe.self).subscription
            if let ended = clients[id]?.subscriptions.removeValue(forKey: number) {
                await end(ended)
            }
            return ControlReply(Nothing())
        default: return try await handleHost(request, id)
        }
    }

    private func handleHost(
        _ request: ControlRequest, _ id: Int
    ) async throws(ControlError) -> ControlReply {
        switch request.method {
        case Attach.method:
            try await attach(id, request.decode(Attach.self))
            return ControlReply(Nothing())
        case Host.method:
            return ControlReply(try await override(request.decode(Host.self).state))
        case Capability.method:
            return ControlReply(try await capability(request.decode(Capability.self)))
        case BeginTask.method:
            return ControlReply(beginTask(try request.decode(BeginTask.self).name, of: id))
        case EndTask.method:
            let task = try request.decode(EndTask.self).task
            if tasks.tasks(of: id).contains(task) { await endTask(task) }
            return ControlReply(Nothing())
        case GetTime.method:
            return ControlReply(GetTime.Reply(timeRemaining: tasks.timeRemaining))
        case Shutdown.method:
            ends.now()
            return ControlReply(Nothing())
        default:
            if let reply = try await handleSound(request) { return reply }
            throw ControlError(.methodNotFound, "cannot do \(request.method): No such method")
        }
    }

    private func greet(_ call: Hello, _ id: Int) -> ControlReply {
        clients[id]?.name = call.client
        return ControlReply(
            Hello.Reply(
                protocol: ControlProtocol.version, version: AudioSession.version,
                session: configuration.sessionName, process: getpid()))
    }

    // MARK: Playing

    private func play(
        _ call: Play, _ request: ControlRequest, _ id: Int
    ) async throws(ControlError) -> Play.Reply {
        try call.sleep?.check()
        endFade()
        if let change = call.settings { _ = try await set(change) }
        guard let files = call.files else {
            await setSleep(as: call.sleep)
            if let output = call.output {
                await showCookie(output.cookie)
                await session.setOutput(output.destination)
            }
            return try await playOn(id)
        }
        if let output = call.output, SoundServerCookie.isUsed(output.cookie) {
            await session.prepareOutput(for: output.destination)
        }
        let found = try await find(files, request)
        guard !found.ids.isEmpty else { return await playNothing(found.errors, id) }
        manifest.read()
        audioOverride = call.backgroundAudio
        await declare()
        if let output = call.output { await showCookie(output.cookie) }
        await session.play(found.ids, output: call.output?.destination)
        await setSleep(as: call.sleep)
        let run = await session.report.run
        follow(run, id)
        for error in found.errors { await session.report(error) }
        await session.commitReplacement()
        return Play.Reply(run: run)
    }

    /// The server is shown the client's cookie from the next stream on, which does not play over a
    /// connection that was let in by another one.
    private func showCookie(_ cookie: String?) async {
        guard !SoundServerCookie.isUsed(cookie) else { return }
        SoundServerCookie.use(cookie)
        await session.renewConnection()
    }

    /// Plays the queue as it is; from its start, when it was heard to its end.
    private func playOn(_ id: Int) async throws(ControlError) -> Play.Reply {
        try await resume(as: "play")
        let run = await session.report.run
        follow(run, id)
        return Play.Reply(run: run)
    }

    /// Nothing can be played: that is told, and what is on goes on.
    private func playNothing(_ errors: [MediaError], _ id: Int) async -> Play.Reply {
        for error in errors { await session.report(error) }
        let end = SessionEnd(
            reason: .finished, playedCount: 0, failedCount: errors.count, run: 0)
        await session.publishEmptyRun(end)
        if let client = clients[id] { tellEnd(end, run: 0, to: client) }
        return Play.Reply(run: 0)
    }

    private func resume(as purpose: String) async throws(ControlError) {
        let page = await session.page(offset: 0, limit: 1)
        if page.current == nil, let first = page.items.first {
            try? await session.player.jump(to: first.id)
        } else if page.items.isEmpty {
            throw ControlError(.notPossible, "cannot \(purpose): The queue is empty")
        }
        await session.player.play()
    }

    private func perform(_ verb: Command.Verb) async throws(ControlError) {
        switch verb {
        case .pause: await session.player.pause()
        case .resume: try await resume(as: "resume")
        case .toggle:
            if await session.wantsPlayback {
                await session.player.pause()
            } else {
                try await resume(as: "resume")
            }
        case .stop: await session.halt()
        case .next: await session.player.advanceToNextItem()
        case .previous: await session.player.returnToPreviousItem()
        }
        await session.settle()
        await session.flush()
    }

    private func seek(_ call: Seek) async throws(ControlError) -> Seek.Reply {
        // Where the item ends may have to be found out first.
        await session.settle()
        let report = await session.report
        guard let item = report.current else {
            throw ControlError(
                .notPossible,
                "cannot seek: " + (report.count == 0 ? "The queue is empty" : "The queue is over"))
        }
        var finished = true
        if let time = try call.to?.checked(isPositive: false) {
            if let end = item.exactEnd, time > end { throw .beyond(end, of: item, time) }
            finished = await session.player.seek(to: time)
        } else if let distance = call.by {
            guard distance.timescale > 0 else { throw .badTime }
            let target = await session.player.currentTime.seconds + distance.seconds
            if distance.value > 0, let end = item.exactEnd, target >= end.seconds {
                return await goBeyond(item)
            }
            finished = await session.player.seek(by: distance.seconds)
        } else {
            throw ControlError(.invalidParams, "cannot seek: There is neither 'to' nor 'by'")
        }
        guard finished || report.isSeekable else {
            throw ControlError(.notPossible, "cannot seek: It is a stream")
        }
        return Seek.Reply(
            finished: finished, position: WireTime(await session.report.position))
    }

    /// Goes to what follows the item's end: the same item again where that is repeated.
    private func goBeyond(_ item: QueueItem) async -> Seek.Reply {
        if await session.player.settings.modes.repeatMode == .one {
            try? await session.player.jump(to: item.id)
        } else {
            await session.player.advanceToNextItem()
        }
        await session.settle()
        await session.flush()
        let status = await status
        return Seek.Reply(finished: true, position: status.position, status: status)
    }

    // MARK: Files

    struct Found: Sendable {
        var ids: [ItemID]
        var errors: [MediaError]
    }

    /// Where the disk is looked at: another one each time, so that a folder which does not answer
    /// holds up nobody else.
    static var filesQueue: DispatchQueue { DispatchQueue(label: "undersong.files") }

    /// What there is to play behind the names. The disk is looked at elsewhere.
    func find(_ files: Files, _ request: ControlRequest?) async throws(ControlError) -> Found {
        let (start, end) = (
            try files.start?.checked(isPositive: false) ?? .zero,
            try files.end?.checked(isPositive: true)
        )
        if files.paths.contains(.standardStream) {
            guard let stream = request?.descriptors.takeFirst() else {
                throw ControlError(
                    .invalidParams, "cannot play -: No descriptor came with the request")
            }
            // There is one standard input, and it was /dev/null so far.
            dup2(stream, STDIN_FILENO)
            close(stream)
        }
        let store = store
        return await withCheckedContinuation { continuation in
            Self.filesQueue.async {
                let finder = MediaFinder(files.paths, start: start, end: end)
                var ids: [ItemID] = []
                finder.forEachBatch { ids += store.stage($0) }
                continuation.resume(returning: Found(ids: ids, errors: finder.errors))
            }
        }
    }

    // MARK: Events

    private func subscribe(
        _ call: Subscribe, _ request: ControlRequest, _ connection: ControlConnection
    ) async throws(ControlError) -> Subscribe.Reply {
        let interval = try call.interval?.checked(isPositive: true)
        var times: [TimeEvents] = interval.map { [.every($0)] } ?? []
        if !call.boundaries.isEmpty {
            var boundaries: [CMTime] = []
            for time in call.boundaries { boundaries.append(try time.checked(isPositive: false)) }
            times.append(.at(boundaries))
        }
        let number = (clients[connection.id]?.lastSubscription ?? 0) + 1
        let way = try way(call, request, connection, number)
        var watches: [WatchID] = []
        for time in times { watches.append(await watch(time)) }
        let subscription = EventSubscription(way, kinds: call.kinds.map(Set.init), watches: watches)
        let feed = feed
        await session.greet(interval: interval) {
            feed.greet(subscription, with: $0)
        } then: {
            feed.add(subscription)
        }
        guard clients[connection.id] != nil else {
            await end(subscription)
            return Subscribe.Reply(subscription: number)
        }
        clients[connection.id]?.lastSubscription = number
        clients[connection.id]?.subscriptions[number] = subscription
        return Subscribe.Reply(subscription: number)
    }

    private func way(
        _ call: Subscribe, _ request: ControlRequest, _ connection: ControlConnection, _ number: Int
    ) throws(ControlError) -> EventSubscription.Way {
        guard call.isWritten else {
            return .notices(ControlSubscriber(connection: connection, subscription: number))
        }
        guard let descriptor = request.descriptors.takeFirst() else {
            throw ControlError(
                .invalidParams, "cannot write events: No descriptor came with the request")
        }
        let count = clients.values.reduce(0) { count, client in
            count + client.subscriptions.values.count { $0.isWritten }
        }
        guard count < Self.writerLimit else {
            close(descriptor)
            throw ControlError(
                .notPossible, "cannot write events: \(count) readers are served already")
        }
        return .lines(
            EventWriter(
                EventLines(complains: false), isLossless: false, to: descriptor,
                ownsDescriptor: true
            ) { connection.notify(ReaderGone(subscription: number)) })
    }
}

extension WireTime {
    init(_ time: CMTime) {
        self.init(value: time.isRational ? time.value : 0, timescale: max(1, time.timescale))
    }

    /// The time as the player takes it. Errors: it is none, or negative, or not positive.
    func checked(isPositive: Bool) throws(ControlError) -> CMTime {
        guard timescale > 0, value >= (isPositive ? 1 : 0) else { throw .badTime }
        return CMTime(value: value, timescale: timescale)
    }
}

extension ControlError {
    /// A time that the item does not have.
    fileprivate static func beyond(
        _ end: CMTime, of item: QueueItem, _ time: CMTime
    ) -> ControlError {
        var (to, last) = (clockText(time.seconds), clockText(end.seconds))
        if to == last || end.seconds < 1 {
            (to, last) = ("\(numberText(time.seconds)) s", "\(numberText(end.seconds)) s")
        }
        return ControlError(
            .notPossible,
            "cannot seek to \(to): "
                + (item.end == nil ? "The item is \(last) long" : "The item ends at \(last)"))
    }

    static let badTime = ControlError(
        .invalidParams, "cannot use a time: It is negative, or no part of a second")
}

extension OutputChoice {
    var destination: OutputDestination {
        switch self {
        case .pulse(let server, let device, _): .pulse(server: server, device: device)
        case .pulseSimple(let server, let device, _):
            .pulseSimple(server: server, device: device)
        case .null: .null
        }
    }

    var cookie: String? {
        switch self {
        case .pulse(_, _, let cookie), .pulseSimple(_, _, let cookie): cookie
        case .null: nil
        }
    }
}
