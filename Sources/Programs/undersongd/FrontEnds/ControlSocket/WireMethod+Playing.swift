import Glibc
import UndersongAudioSession
import UndersongBackground
import UndersongControl
import UndersongPlayback
import UndersongPlayerService

/// Playback, skipping, seeking and the sleep timer.
extension WireMethod {
    static let playing: [WireMethod] = [
        WireMethod(Play.self) { frontEnd, call, origin async throws(ServiceError) in
            let order = try PlayOrder(call, origin.descriptors)
            return Play.Reply(run: try await frontEnd.player.play(order, for: origin.client.id))
        },
        WireMethod(Command.self) { frontEnd, call, _ async throws(ServiceError) in
            try await call.perform(on: frontEnd.player)
            return await frontEnd.player.status
        },
        WireMethod(Seek.self) { frontEnd, call, _ async throws(ServiceError) in
            if let time = try call.to?.checked(isPositive: false) {
                return Seek.Reply(try await frontEnd.player.seek(to: time))
            }
            if let fraction = call.fraction {
                return Seek.Reply(try await frontEnd.player.seek(toFraction: fraction))
            }
            guard let distance = call.by else {
                throw ServiceError(
                    .invalidValue, "seek", "there is neither 'to' nor 'by' nor 'fraction'")
            }
            return Seek.Reply(try await frontEnd.player.seek(by: distance.seconds))
        },
        WireMethod(Sleep.self) { frontEnd, call, _ async throws(ServiceError) in
            if let order = try SleepOrder(call) { try await frontEnd.player.sleep(order) }
            return await frontEnd.player.sleepReport
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

extension Command {
    fileprivate func perform(on player: PlayerService) async throws(ServiceError) {
        let times = times ?? 1
        guard 1...Self.mostTimes ~= times else {
            throw ServiceError(
                .invalidValue, "skip \(times) items", "it is not from 1 to \(Self.mostTimes)")
        }
        try await player.perform(verb, times: times)
    }
}

extension PlayOrder {
    fileprivate init(_ call: Play, _ descriptors: PassedDescriptors) throws(ServiceError) {
        self.init()
        if let files = call.files { media = try MediaNames(files, descriptors) }
        output = call.output.map { OutputOrder($0.destination, cookie: $0.cookie) }
        backgroundAudio = call.backgroundAudio
        settings = call.settings
        if let call = call.sleep { sleep = try SleepOrder(call) ?? SleepOrder() }
    }
}

extension OutputChoice {
    fileprivate var destination: OutputDestination {
        switch self {
        case .pulse(let server, let device, _): .pulse(server: server, device: device)
        case .pulseSimple(let server, let device, _):
            .pulseSimple(server: server, device: device)
        case .null: .null
        }
    }

    fileprivate var cookie: String? {
        switch self {
        case .pulse(_, _, let cookie), .pulseSimple(_, _, let cookie): cookie
        case .null: nil
        }
    }
}

extension SleepOrder {
    /// Nil if the call is a query. Throws for an unknown stop condition.
    fileprivate init?(_ call: Sleep) throws(ServiceError) {
        guard call != Sleep() else { return nil }
        let condition = call.after.flatMap(StopCondition.init)
        if let after = call.after, condition == nil {
            throw .unknown("stop condition", after, StopCondition.allCases.map(\.rawValue))
        }
        self.init(
            seconds: call.seconds, fade: call.fade, condition: condition,
            keepsTimer: call.keepsTimer ?? false)
    }
}

extension Seek.Reply {
    fileprivate init(_ outcome: SeekOutcome) {
        self.init(
            finished: outcome.isFinished, position: WireTime(outcome.position),
            status: outcome.status)
    }
}

extension MediaNames {
    /// The media named by a client; `-` is the descriptor that came with the request. Throws if a
    /// time is out of range.
    init(_ files: Files, _ descriptors: PassedDescriptors? = nil) throws(ServiceError) {
        self.init(
            files.paths, start: try files.start?.checked(isPositive: false) ?? .zero,
            end: try files.end?.checked(isPositive: true)
        ) {
            guard let stream = descriptors?.takeFirst() else { return false }
            // There is only one standard input, which was /dev/null until now.
            dup2(stream, STDIN_FILENO)
            close(stream)
            return true
        }
    }
}
