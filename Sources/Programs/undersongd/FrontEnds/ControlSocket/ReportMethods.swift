import Glibc
import UndersongAudioSession
import UndersongBackground
import UndersongControl
import UndersongLibrary
import UndersongLinuxPlatform
import UndersongPlayback

/// The settings and the output device.
extension WireMethod {
    static let settings: [WireMethod] = [
        WireMethod(GetSettings.self) { frontEnd, _, _ in Settings(await frontEnd.player.settings) },
        WireMethod(SetSettings.self) { frontEnd, call, _ async throws(ServiceError) in
            Settings(try await frontEnd.player.set(call.change))
        },
        WireMethod(GetOutputs.self) { frontEnd, _, _ in
            await frontEnd.player.outputs
        },
        WireMethod(SetOutput.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.chooseDevice(call.device)
            return await frontEnd.player.outputs
        },
    ]
}

/// The greeting and the status.
extension WireMethod {
    static let reports: [WireMethod] = [
        WireMethod(Hello.self) { frontEnd, call, origin in
            origin.client.name = call.client
            return Hello.Reply(
                protocol: ControlProtocol.version, version: AudioSession.version,
                session: frontEnd.sessionName, process: getpid())
        },
        WireMethod(GetStatus.self) { frontEnd, _, _ in await frontEnd.player.status },
        WireMethod(GetItem.self) { frontEnd, _, _ in
            GetItem.Reply(await frontEnd.player.report)
        },
        WireMethod(GetCover.self) { frontEnd, _, _ in
            guard let item = await frontEnd.player.report.current else {
                return GetCover.Reply()
            }
            let artwork = await frontEnd.player.details(of: item.source).artwork
            let cache = CacheFolder.artwork.map { ArtworkCache(folder: $0) }
            return GetCover.Reply(item: item.id.number, url: await artwork?.url(in: cache))
        },
        WireMethod(GetLyrics.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.lyrics(of: call.item)
        },
        WireMethod(GetWhy.self) { frontEnd, _, _ in await frontEnd.player.why },
    ]
}

extension GetItem.Reply {
    fileprivate init(_ report: SessionReport) {
        guard let current = report.current, let item = report.player.item else {
            self.init()
            return
        }
        self.init(item: item)
        guard let description = report.descriptions[current.id] else { return }
        tags = description.tags
        replayGain = report.player.replayGain
        format = SoundFormat(description)
        if !description.chapters.isEmpty { chapters = description.chapters }
    }
}
