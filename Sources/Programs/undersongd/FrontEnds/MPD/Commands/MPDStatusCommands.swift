import Glibc
import UndersongAudioSession
import UndersongBackground
import UndersongLinuxPlatform
import UndersongPlayback

/// The commands that report what the player does.
extension MPDCommand {
    static let status = [
        MPDCommand("clearerror", .player, 0...0) { frontEnd, _, _, _ in
            frontEnd.lastError = nil
        },
        MPDCommand("currentsong", .read, 0...0) { frontEnd, client, _, reply in
            guard let position = await frontEnd.currentPosition else { return }
            await frontEnd.addSongs(at: [position], for: client, to: &reply)
        },
        MPDCommand("status", .read, 0...0) { frontEnd, _, _, reply in
            await frontEnd.addStatus(to: &reply)
        },
    ]
}

extension MPDFrontEnd {
    fileprivate func addStatus(to reply: inout MPDReply) async {
        let queue = await currentQueue()
        let report = await player.report
        let modes = MPDModes(report.settings.modes)
        let current = position(report)
        reply.add("volume", report.settings.volumePercent)
        reply.add("repeat", modes.repeats)
        reply.add("random", report.settings.modes.isShuffled)
        reply.add("single", modes.single.rawValue)
        reply.add("consume", report.settings.modes.isConsuming)
        reply.add("partition", "default")
        reply.add("playlist", queue.version)
        reply.add("playlistlength", report.player.count)
        reply.add("mixrampdb", 0)
        reply.add("state", state(report).mpdName)
        let crossfade = Int(report.settings.crossfade.rounded())
        if crossfade > 0 { reply.add("xfade", crossfade) }
        if let current, let item = report.current {
            reply.add("song", current)
            reply.add("songid", item.id.number)
            if state(report) != .stopped { await addTime(of: item, report, to: &reply) }
        }
        if let job = updateJob { reply.add("updating_db", job) }
        if let error = error(report) { reply.add("error", error) }
        if let next = modes.next(after: current, count: queue.count), next < queue.count {
            reply.add("nextsong", next)
            reply.add("nextsongid", queue.ids[next].number)
        }
    }

    /// Adds the position in the current item, which is that which is heard, and its format.
    private func addTime(
        of item: QueueItem, _ report: SessionReport, to reply: inout MPDReply
    ) async {
        let elapsed = report.elapsed
        let total = item.playedSeconds
        reply.add("time", "\(MPDReply.whole(elapsed)):\(MPDReply.whole(total ?? 0))")
        reply.add("elapsed", seconds: elapsed)
        if let rate = await bitRate(of: item) { reply.add("bitrate", rate) }
        if let total { reply.add("duration", seconds: total) }
        if let format = report.descriptions[item.id]?.format { reply.add("audio", format.mpdText) }
    }

    /// The reason why nothing is heard although it should be, with its remedy, or the last error.
    private func error(_ report: SessionReport) -> String? {
        if report.player.wantsPlayback, let reason = report.decision.forbiddance {
            return "cannot play: \(reason). Allow it with: undersong capability audio on"
        }
        if case .waiting(.noOutput) = report.status {
            return "cannot play: no sound server answers"
        }
        return lastError
    }

    /// The kilobits per second of an item's file on average; nil if they are not known.
    private func bitRate(of item: QueueItem) async -> Int? {
        if let known = knownBitRate, known.item == item.id { return known.rate }
        guard case .file(let path) = item.source, let length = item.facts?.duration?.seconds,
            length > 0
        else { return nil }
        let size = await PlayerService.onFilesQueue {
            var status = stat()
            return unsafe path.withPlatformString { unsafe stat($0, &status) } == 0
                ? Int(status.st_size) : 0
        }
        let rate = MPDReply.whole(Double(size) * 8 / 1000 / length)
        knownBitRate = (item.id, rate)
        return rate
    }
}

extension MediaPlayerState.PlaybackStatus {
    /// The state's name in the protocol.
    fileprivate var mpdName: String {
        switch self {
        case .playing: "play"
        case .paused: "pause"
        case .stopped: "stop"
        }
    }
}

extension StreamFormat {
    /// The format as `44100:16:2`; `f` stands for floating-point samples.
    var mpdText: String {
        let bits =
            switch sampleFormat {
            case .int16: "16"
            case .float32: "f"
            }
        return "\(sampleRate):\(bits):\(channelCount)"
    }
}
