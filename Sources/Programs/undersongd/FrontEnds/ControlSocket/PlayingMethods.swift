import Glibc
import UndersongBackground
import UndersongControl
import UndersongPlayback

/// Playback, skipping, seeking and the sleep timer.
extension WireMethod {
    static let playing: [WireMethod] = [
        WireMethod(Play.self) { frontEnd, call, origin async throws(ServiceError) in
            let descriptors = origin.descriptors
            let run = try await frontEnd.player.play(call, for: origin.client.id) {
                guard let stream = descriptors.takeFirst() else { return false }
                // There is only one standard input, which was /dev/null until now.
                dup2(stream, STDIN_FILENO)
                close(stream)
                return true
            }
            return Play.Reply(run: run)
        },
        WireMethod(Command.self) { frontEnd, call, _ async throws(ServiceError) in
            let times = call.times ?? 1
            guard 1...Command.mostTimes ~= times else {
                throw ServiceError(
                    .invalidValue, "skip \(times) items",
                    "it is not from 1 to \(Command.mostTimes)")
            }
            try await frontEnd.player.perform(call.verb, times: times)
            return await frontEnd.player.status
        },
        WireMethod(Seek.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.seek(to: call.to)
        },
        WireMethod(SeekBy.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.seek(by: call.by.seconds)
        },
        WireMethod(SeekToPart.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.seek(toFraction: call.fraction)
        },
        WireMethod(BeginInterruption.self) { frontEnd, _, _ in
            await frontEnd.player.beginInterruption()
            return await frontEnd.player.status
        },
        WireMethod(EndInterruption.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.endInterruption(shouldResume: call.shouldResume)
            return await frontEnd.player.status
        },
    ]
}
