import UndersongAudioSession
package import UndersongBackground
import UndersongBase
package import UndersongPlayback

/// Playing, skipping and seeking. A command returns when it is known what plays and that is
/// durable, as far as the disk takes it.
extension PlayerService {
    /// Plays according to `order` and makes `client` follow that run. `connectStream` is as in
    /// `find`. Returns the run's number, or 0 if there was nothing that can be played, in which case
    /// nothing is changed. Throws if the order has values out of range, or if the queue is to be
    /// played but is empty.
    package func play(
        _ order: Play, for client: ClientID, connectStream: @Sendable () -> Bool = { false }
    ) async throws(ServiceError) -> Int {
        try order.sleep?.check()
        if let problem = order.settings?.problem { throw ServiceError(problem) }
        guard let files = order.files else {
            try await prepare(for: order)
            await setSleep(as: order.sleep)
            if let output = order.output {
                await showCookie(output.cookie)
                await session.setOutput(OutputDestination(output))
            }
            return try await playQueue(for: client, showingItems: order.notify == true)
        }
        if let output = order.output, configuration.cookies.isUsed(output.cookie) {
            await session.prepareOutput(for: OutputDestination(output))
        }
        let found = try await find(
            files, checking: .all, to: "play", connectStream: connectStream)
        guard !found.items.isEmpty else { return await playNothing(found.errors, for: client) }
        try await prepare(for: order, withoutRate: true)
        manifest.read()
        audioOverride = order.backgroundAudio
        await declare()
        if let output = order.output { await showCookie(output.cookie) }
        let notifications = feature(NotificationsFeature.self)
        notifications.showItems(
            order.notify == true || configuration.notifiesItems, ofRun: nil)
        // A rate is that of what is played.
        await session.play(
            found.items, rate: order.settings?.rate,
            output: order.output.map { OutputDestination($0) })
        await setSleep(as: order.sleep)
        let run = await session.report.run
        notifications.showItems(
            order.notify == true || configuration.notifiesItems, ofRun: run)
        follow(run, client)
        for error in found.errors { await session.report(.error(SessionFailure(error, item: nil))) }
        await session.commitReplacement()
        return run
    }

    /// Changes the settings and cancels a fade-out, once it is known that something is to be played.
    private func prepare(
        for order: Play, withoutRate: Bool = false
    ) async throws(ServiceError) {
        endFade()
        // The sound does not wait until they are on the disk.
        guard var change = order.settings else { return }
        if withoutRate, change.rate != nil { change.rate = nil }
        try await apply(change)
    }

    /// Presents the client's cookie to the server from the next stream on. That stream does not use
    /// a connection that was authorized by another cookie.
    private func showCookie(_ cookie: String?) async {
        guard !configuration.cookies.isUsed(cookie) else { return }
        configuration.cookies.use(cookie)
        await session.renewConnection()
    }

    /// Plays the queue from its position, or from the start if it was heard to its end.
    private func playQueue(
        for client: ClientID, showingItems: Bool
    ) async throws(ServiceError) -> Int {
        let notifications = feature(NotificationsFeature.self)
        try await wantSound(to: "play") {
            // Before the first one begins.
            if showingItems { notifications.showItems(true, ofRun: nil) }
        }
        let run = await session.report.run
        if showingItems { notifications.showItems(true, ofRun: run) }
        follow(run, client)
        await session.flush()
        return run
    }

    /// Reports that nothing can be played; nothing else is changed.
    private func playNothing(_ errors: [MediaError], for client: ClientID) async -> Int {
        for error in errors { await session.report(.error(SessionFailure(error, item: nil))) }
        let end = SessionEnd(
            reason: .finished, playedCount: 0, failedCount: errors.count, run: 0)
        await session.publishEmptyRun(end)
        clients[client]?.client.runEnded(0, end)
        await session.flush()
        return 0
    }

    /// Plays the queue; `prepare` is called once it is known that there is something to play.
    private func wantSound(
        to purpose: String, prepare: () -> Void = {}
    ) async throws(ServiceError) {
        let page = await session.page(offset: 0, limit: 1)
        if page.current != nil || !page.items.isEmpty { prepare() }
        if page.current == nil, let first = page.items.first {
            try? await session.player.jump(to: first.id)
        } else if page.items.isEmpty {
            throw ServiceError(.notPossible, purpose, "the queue is empty")
        }
        await session.player.play()
    }

    // MARK: Commands

    /// Performs a command; `next` and `previous` skip `times` items. Throws if it requests sound and
    /// the queue is empty, or concerns chapters and there are none.
    package func perform(_ command: PlayerCommand, times: Int = 1) async throws(ServiceError) {
        switch command {
        case .pause: await pause()
        case .resume: try await resume()
        case .toggle: try await toggle()
        case .stop: await stop()
        case .next: await next(times)
        case .previous: await previous(times)
        case .nextChapter: try await nextChapter()
        case .previousChapter: try await previousChapter()
        }
    }

    /// Pauses; the position is kept to the sample.
    package func pause() async {
        endFade()
        await session.player.pause()
        await finish()
    }

    /// Starts or resumes playback. Throws if the queue is empty.
    package func resume() async throws(ServiceError) { try await resume(to: "resume") }

    private func resume(to purpose: String) async throws(ServiceError) {
        endFade()
        try await wantSound(to: purpose)
        await finish()
    }

    /// Pauses or resumes. Throws if the queue is empty.
    package func toggle() async throws(ServiceError) {
        if await session.wantsPlayback { await pause() } else { try await resume(to: "toggle") }
    }

    /// Pauses and gives up the sound device; ends the run, keeps the queue.
    package func stop() async {
        endFade()
        await session.halt()
        await finish()
    }

    /// Stops, and returns to the item's start for the next time.
    func stopAtStart() async {
        await stop()
        guard let item = await report.current else { return }
        // A stream has no start to seek to.
        _ = try? await seek(to: item.start)
    }

    /// Skips to the next item, or so many items ahead.
    package func next(_ count: Int = 1) async {
        await session.player.skip(ahead: count)
        await finish()
    }

    /// Returns to the previous item, or by so many items, or to the start of the first one.
    package func previous(_ count: Int = 1) async {
        await session.player.skip(back: count)
        await finish()
    }

    /// Skips to the next chapter, or from the last one to the next item. Throws if the current item
    /// has no chapters.
    package func nextChapter() async throws(ServiceError) {
        let (chapters, item) = try await chapters(to: "skip to the next chapter")
        let next = chapters.next(after: await session.player.currentTime)
        guard let next, item.end.map({ next < $0 }) ?? true else { return await self.next() }
        await session.player.seek(to: next)
        await finish()
    }

    /// Returns to the start of the chapter, or near it to that of the previous chapter. Throws if
    /// the current item has no chapters.
    package func previousChapter() async throws(ServiceError) {
        let (chapters, item) = try await chapters(to: "go back to the previous chapter")
        let start = chapters.previous(before: await session.player.currentTime) ?? item.start
        await session.player.seek(to: start < item.start ? item.start : start)
        await finish()
    }

    private func chapters(
        to purpose: String
    ) async throws(ServiceError) -> ([Chapter], QueueItem) {
        await session.settle()
        let report = await session.report
        guard let item = report.current else {
            throw ServiceError(.notPossible, purpose, "there is no current item")
        }
        let known = report.descriptions[item.id]?.chapters
        let chapters = if let known { known } else { await chapters(of: item.source) }
        guard !chapters.isEmpty else {
            throw ServiceError(.notPossible, purpose, "the item has no chapters")
        }
        return (chapters, item)
    }

    /// The chapters of a file that is not open. The disk is accessed on another thread.
    private func chapters(of source: MediaSource) async -> [Chapter] {
        guard case .file = source else { return [] }
        return await withCheckedContinuation { continuation in
            Self.filesQueue.async {
                let description = try? MediaLoader.description(of: source)
                continuation.resume(returning: description?.chapters ?? [])
            }
        }
    }

    private func finish() async {
        await session.settle()
        await session.flush()
    }

    // MARK: Seeking

    /// Seeks to `time` in the current item. Throws if it is negative, if there is no item, if it ends
    /// before that, or if it is a stream.
    package func seek(to time: WireTime) async throws(ServiceError) -> SeekResult {
        try await seek(to: time.checked(isPositive: false))
    }

    /// As above; `time` must not be negative.
    package func seek(to time: CMTime) async throws(ServiceError) -> SeekResult {
        let (report, item) = try await sought()
        if let end = item.exactEnd, time > end { throw .beyond(end, of: item, time) }
        return try await outcome(of: session.player.seek(to: time), report)
    }

    /// Seeks by `seconds`, back if negative; past the item's end, skips to what follows. Throws if
    /// there is no item, or if it is a stream.
    package func seek(by seconds: Double) async throws(ServiceError) -> SeekResult {
        let (report, item) = try await sought()
        let target = await session.player.currentTime.seconds + seconds
        if seconds > 0, let end = item.exactEnd, target >= end.seconds {
            return await goBeyond(item)
        }
        return try await outcome(of: session.player.seek(by: seconds), report)
    }

    /// Seeks to a part of the current item's length, 0 to 1. Throws also if the length is unknown.
    package func seek(toFraction fraction: Double) async throws(ServiceError) -> SeekResult {
        guard 0...1 ~= fraction else {
            throw ServiceError(.invalidValue, "seek", "a part of the item is from 0 to 1")
        }
        let (report, item) = try await sought()
        guard let end = item.exactEnd ?? item.facts?.duration else {
            throw ServiceError(.notPossible, "seek", "the length of the item is not known")
        }
        let seconds = item.start.seconds + fraction * (end.seconds - item.start.seconds)
        let time = CMTime(
            value: Int64((min(seconds, 9e12) * 1e6).rounded(.down)), timescale: 1_000_000)
        return try await outcome(of: session.player.seek(to: time), report)
    }

    /// Returns the current item, with its exact end if that has to be determined first.
    private func sought() async throws(ServiceError) -> (SessionReport, QueueItem) {
        await session.settle()
        let report = await session.report
        guard let item = report.current else {
            throw ServiceError(
                .notPossible, "seek",
                report.player.count == 0 ? "the queue is empty" : "the queue has ended")
        }
        return (report, item)
    }

    private func outcome(
        of isFinished: Bool, _ report: SessionReport
    ) async throws(ServiceError) -> SeekResult {
        guard isFinished || report.isSeekable else {
            throw ServiceError(.notPossible, "seek", "the item is a stream")
        }
        return SeekResult(
            finished: isFinished, position: WireTime(await session.report.position))
    }

    /// Skips to what follows the item's end: the same item again if it repeats.
    private func goBeyond(_ item: QueueItem) async -> SeekResult {
        if await session.player.settings.modes.repeatMode == .one {
            try? await session.player.jump(to: item.id)
        } else {
            await session.player.advanceToNextItem()
        }
        await finish()
        let status = await status
        return SeekResult(finished: true, position: status.position, status: status)
    }
}

extension OutputDestination {
    fileprivate init(_ choice: OutputChoice) {
        self =
            switch choice {
            case .pulse(let server, let device, _): .pulse(server: server, device: device)
            case .pulseSimple(let server, let device, _):
                .pulseSimple(server: server, device: device)
            case .null: .null
            }
    }
}

extension OutputChoice {
    /// The file with the cookie to present to the server; nil for the service's own.
    fileprivate var cookie: String? {
        switch self {
        case .pulse(_, _, let cookie), .pulseSimple(_, _, let cookie): cookie
        case .null: nil
        }
    }
}

extension ServiceError {
    /// The error for a time that the item does not have.
    fileprivate static func beyond(
        _ end: CMTime, of item: QueueItem, _ time: CMTime
    ) -> ServiceError {
        var (to, last) = (clockText(time.seconds), clockText(end.seconds))
        if to == last || end.seconds < 1 {
            (to, last) = ("\(numberText(time.seconds)) s", "\(numberText(end.seconds)) s")
        }
        return ServiceError(
            .notPossible, "seek to \(to)",
            item.end == nil ? "the item is \(last) long" : "the item ends at \(last)")
    }
}
