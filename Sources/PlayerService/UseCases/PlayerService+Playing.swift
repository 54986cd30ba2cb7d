import AudioSession
import Background
package import Playback

/// Playing, and going elsewhere. A command returns when it is known what is played and that is
/// durable, as far as the disk takes it.
extension PlayerService {
    /// Plays what `order` says, and lets `client` follow that run. Returns the run's number, 0 where
    /// there was nothing to play: what is on is not touched then. Errors: the order has values out of
    /// range, or the queue is to be played and is empty.
    package func play(
        _ order: PlayOrder, for client: ClientID
    ) async throws(ServiceError) -> Int {
        try order.sleep?.check()
        endFade()
        if let change = order.settings { _ = try await set(change) }
        guard let media = order.media else {
            await setSleep(as: order.sleep)
            if let output = order.output {
                await showCookie(output.cookie)
                await session.setOutput(output.destination)
            }
            return try await playQueue(for: client)
        }
        if let output = order.output, configuration.cookies.isUsed(output.cookie) {
            await session.prepareOutput(for: output.destination)
        }
        let found = try await find(media)
        guard !found.items.isEmpty else { return await playNothing(found.errors, for: client) }
        manifest.read()
        audioOverride = order.backgroundAudio
        await declare()
        if let output = order.output { await showCookie(output.cookie) }
        await session.play(found.items, output: order.output?.destination)
        await setSleep(as: order.sleep)
        let run = await session.report.run
        follow(run, client)
        for error in found.errors { await session.report(error) }
        await session.commitReplacement()
        return run
    }

    /// The server is shown the client's cookie from the next stream on, which does not play over a
    /// connection that was let in by another one.
    private func showCookie(_ cookie: String?) async {
        guard !configuration.cookies.isUsed(cookie) else { return }
        configuration.cookies.use(cookie)
        await session.renewConnection()
    }

    /// Plays the queue as it is; from its start, when it was heard to its end.
    private func playQueue(for client: ClientID) async throws(ServiceError) -> Int {
        try await wantSound(to: "play")
        let run = await session.report.run
        follow(run, client)
        return run
    }

    /// Nothing can be played: that is reported, and what is on is not touched.
    private func playNothing(_ errors: [MediaError], for client: ClientID) async -> Int {
        for error in errors { await session.report(error) }
        let end = SessionEnd(
            reason: .finished, playedCount: 0, failedCount: errors.count, run: 0)
        await session.publishEmptyRun(end)
        clients[client]?.client.runEnded(0, end)
        return 0
    }

    private func wantSound(to purpose: String) async throws(ServiceError) {
        let page = await session.page(offset: 0, limit: 1)
        if page.current == nil, let first = page.items.first {
            try? await session.player.jump(to: first.id)
        } else if page.items.isEmpty {
            throw ServiceError(.notPossible, purpose, "the queue is empty")
        }
        await session.player.play()
    }

    // MARK: Commands

    /// Wants silence; the place is kept to the sample.
    package func pause() async {
        endFade()
        await session.player.pause()
        await finish()
    }

    /// Wants sound. Errors: the queue is empty.
    package func resume() async throws(ServiceError) {
        endFade()
        try await wantSound(to: "resume")
        await finish()
    }

    /// Wants sound or silence: the one that is not wanted now. Errors: the queue is empty.
    package func toggle() async throws(ServiceError) {
        if await session.wantsPlayback { await pause() } else { try await resume() }
    }

    /// Wants silence and gives the sound device back; the run is over, the queue stays.
    package func stop() async {
        endFade()
        await session.halt()
        await finish()
    }

    /// Leaves the current item for the next.
    package func next() async {
        await session.player.advanceToNextItem()
        await finish()
    }

    /// Goes back to the item before, at the first to its start.
    package func previous() async {
        await session.player.returnToPreviousItem()
        await finish()
    }

    private func finish() async {
        await session.settle()
        await session.flush()
    }

    // MARK: Seeking

    /// Goes to `time` of the current item, which is not negative. Errors: there is no item, it ends
    /// before that, or it is a stream.
    package func seek(to time: CMTime) async throws(ServiceError) -> SeekOutcome {
        let (report, item) = try await sought()
        if let end = item.exactEnd, time > end { throw .beyond(end, of: item, time) }
        return try await outcome(of: session.player.seek(to: time), report)
    }

    /// Goes `seconds` on, or back when they are negative; beyond the item's end, to what follows it.
    /// Errors: there is no item, or it is a stream.
    package func seek(by seconds: Double) async throws(ServiceError) -> SeekOutcome {
        let (report, item) = try await sought()
        let target = await session.player.currentTime.seconds + seconds
        if seconds > 0, let end = item.exactEnd, target >= end.seconds {
            return await goBeyond(item)
        }
        return try await outcome(of: session.player.seek(by: seconds), report)
    }

    /// What is played now, with its end known where that has to be found out first.
    private func sought() async throws(ServiceError) -> (SessionReport, QueueItem) {
        await session.settle()
        let report = await session.report
        guard let item = report.current else {
            throw ServiceError(
                .notPossible, "seek",
                report.count == 0 ? "the queue is empty" : "the queue is over")
        }
        return (report, item)
    }

    private func outcome(
        of isFinished: Bool, _ report: SessionReport
    ) async throws(ServiceError) -> SeekOutcome {
        guard isFinished || report.isSeekable else {
            throw ServiceError(.notPossible, "seek", "it is a stream")
        }
        return SeekOutcome(isFinished: isFinished, position: await session.report.position)
    }

    /// Goes to what follows the item's end: the same item again where that is repeated.
    private func goBeyond(_ item: QueueItem) async -> SeekOutcome {
        if await session.player.settings.modes.repeatMode == .one {
            try? await session.player.jump(to: item.id)
        } else {
            await session.player.advanceToNextItem()
        }
        await finish()
        let status = await status
        return SeekOutcome(isFinished: true, position: status.report.position, status: status)
    }
}

extension ServiceError {
    /// A time that the item does not have.
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
