import UndersongAudioSession
import UndersongLinuxPlatform
import UndersongPlayback

/// The commands that play, pause, skip and seek.
extension MPDCommand {
    static let playing = [
        MPDCommand("next", .player, 0...0) { frontEnd, _, _, _ in
            try await frontEnd.checkIsPlaying()
            await frontEnd.player.next()
            try await frontEnd.playIfPaused()
        },
        MPDCommand("pause", .player, 0...1) { frontEnd, _, arguments, _ in
            let pauses = arguments.count > 0 ? try arguments.flag(0) : nil
            let report = await frontEnd.player.report
            guard frontEnd.state(report) != .stopped else { return }
            // One that is silent for another reason is paused too.
            if pauses ?? report.player.wantsPlayback {
                await frontEnd.player.pause()
            } else {
                try await frontEnd.player.resume()
            }
        },
        MPDCommand("play", .player, 0...1) { frontEnd, _, arguments, _ in
            let position = try arguments.position(0)
            try await frontEnd.play(at: position)
        },
        MPDCommand("playid", .player, 0...1) { frontEnd, _, arguments, _ in
            let id = try arguments.position(0)
            let queue = await frontEnd.currentQueue()
            let position = try id.map { id throws(MPDError) in try queue.item(id).position }
            try await frontEnd.play(at: position)
        },
        MPDCommand("previous", .player, 0...0) { frontEnd, _, _, _ in
            try await frontEnd.checkIsPlaying()
            await frontEnd.player.previous()
            try await frontEnd.playIfPaused()
        },
        MPDCommand("seek", .player, 2...2) { frontEnd, _, arguments, _ in
            try await frontEnd.seek(arguments.unsigned(0), to: arguments.time(1))
        },
        MPDCommand("seekcur", since: Version(17), .player, 1...1) { frontEnd, _, arguments, _ in
            let seconds = try arguments.float(0)
            try await frontEnd.checkIsPlaying()
            let isRelative = ["+", "-"].contains(arguments[0].first)
            let elapsed = isRelative ? await frontEnd.player.report.elapsed : 0
            try await frontEnd.seek(to: max(0, elapsed + seconds))
        },
        MPDCommand("seekid", .player, 2...2) { frontEnd, _, arguments, _ in
            let id = try arguments.unsigned(0)
            let seconds = try arguments.time(1)
            let position = try await frontEnd.currentQueue().item(id).position
            try await frontEnd.seek(position, to: seconds)
        },
        MPDCommand("stop", .player, 0...0) { frontEnd, _, _, _ in
            let report = await frontEnd.player.report
            guard frontEnd.state(report) != .stopped else { return }
            await frontEnd.player.stopAtStart()
            (frontEnd.lastPlayed, frontEnd.isStopped) = (report.current?.id, true)
        },
    ]
}

extension MPDArguments {
    /// The position or the id at an index; nil for none, and for a negative one.
    fileprivate func position(_ index: Int) throws(MPDError) -> Int? {
        guard index < count else { return nil }
        let number = try integer(index, in: Int(Int32.min)...Int(Int32.max))
        if number < -1 { throw .badRange }
        return number < 0 ? nil : number
    }
}

extension MPDFrontEnd {
    /// True if a song plays or is paused.
    var isPlaying: Bool { get async { state(await player.report) != .stopped } }

    /// Playing, paused or stopped: stopped as well if something is ready to be played that was not
    /// played before.
    func state(_ report: SessionReport) -> MediaPlayerState.PlaybackStatus {
        guard let item = report.current else { return .stopped }
        switch report.status {
        case .playing, .waiting(.evaluatingBufferingRate): return .playing
        case .waiting, .paused: break
        }
        if report.player.wantsPlayback { return .paused }
        if isStopped { return .stopped }
        let isBegun = report.isRunning && item.id == lastPlayed
        return isBegun || report.position > item.start ? .paused : .stopped
    }

    /// The current song's position; nil if there is none.
    var currentPosition: Int? { get async { position(await player.report) } }

    /// The current song's position in a report; nil if there is none.
    func position(_ report: SessionReport) -> Int? {
        guard let current = report.current,
            state(report) != .stopped || current.id == lastPlayed
        else { return nil }
        return report.player.place
    }

    fileprivate func checkIsPlaying() async throws(MPDError) {
        guard await isPlaying else { throw .notPlaying }
    }

    /// Plays what is at a position; for nil what is paused, or from the start of the current item,
    /// or of the queue.
    fileprivate func play(at position: Int?) async throws {
        let ids = await currentQueue().ids
        lastError = nil
        guard let position else {
            if !ids.isEmpty { try await resume() }
            return
        }
        guard ids.indices.contains(position) else { throw MPDError.badRange }
        try await player.jump(to: ids[position])
        try await resume()
    }

    /// Plays what was skipped to while paused.
    fileprivate func playIfPaused() async throws {
        let report = await player.report
        guard report.current != nil, !report.player.wantsPlayback else { return }
        try await resume()
    }

    /// Plays the current item.
    private func resume() async throws {
        try await player.resume()
        (lastPlayed, isStopped) = (await player.report.current?.id, false)
    }

    /// Seeks to a time of what is at a position, and plays it if nothing is paused.
    fileprivate func seek(_ position: Int, to seconds: Double) async throws {
        let ids = await currentQueue().ids
        guard ids.indices.contains(position) else { throw MPDError.badRange }
        let wasPlaying = await isPlaying
        if await player.report.current?.id != ids[position] {
            try await player.jump(to: ids[position])
            if wasPlaying { lastPlayed = ids[position] }
        }
        try await seek(to: seconds)
        if !wasPlaying { try await resume() }
    }

    /// Seeks to a time of the current item; past its end, skips to what follows.
    fileprivate func seek(to seconds: Double) async throws {
        let report = await player.report
        guard let item = report.current else { throw MPDError.notPlaying }
        let time = item.start + CMTime(mpdSeconds: seconds)
        if let end = item.exactEnd, time >= end {
            _ = try await player.seek(by: time.seconds - report.position.seconds + 1)
        } else {
            _ = try await player.seek(to: time)
        }
    }
}

extension SessionReport {
    /// The seconds of the current item that were heard.
    var elapsed: Double { max(0, position.seconds - (current?.start.seconds ?? 0)) }
}
