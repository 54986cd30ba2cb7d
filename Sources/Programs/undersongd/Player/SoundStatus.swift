import UndersongAudioSession
package import UndersongBackground

/// The sound server, its devices, and interruptions by command.
extension PlayerService {
    /// The seconds that a reply waits at most for a sound server, or for one step of it.
    private static let patience = 2.0

    /// The sound server and its devices. Connects to it if necessary.
    package var outputs: Outputs {
        get async { await session.outputs(waitingUpTo: Self.patience) }
    }

    /// Switches to the named device, or to the default one for nil, remembers it, and returns once
    /// the sound is there. If no server answers, the name is not checked. Throws if a server answers
    /// and has no such device, or leaves the sound where it was.
    package func chooseDevice(_ name: String?) async throws(ServiceError) {
        if let name {
            let known = await outputs
            if known.server != nil, !known.isLost,
                !known.devices.contains(where: { $0.name == name })
            {
                throw .noDevice(name, known.devices)
            }
        }
        await session.setOutputDevice(name)
        await session.flush()
        guard await session.soundHasMoved(within: Self.patience) else {
            throw .notMoved(name, await outputs.current)
        }
    }

    /// Begins an interruption, as a phone call would.
    package func beginInterruption() async {
        await session.beginInterruption(.command)
        await followCall()
    }

    /// Ends what `beginInterruption` has begun; playback may resume by itself if it `shouldResume`.
    /// Throws if nothing has begun.
    package func endInterruption(shouldResume: Bool) async throws(ServiceError) {
        guard await session.endInterruption(.command, shouldResume: shouldResume) else {
            throw ServiceError(.notPossible, "end the interruption", "none has begun")
        }
        await followCall()
    }

    /// The state of the sound server, if the output uses one.
    func sound(of output: OutputDestination) async -> Why.Sound? {
        guard output.server != nil else { return nil }
        let outputs = await session.outputs(waitingUpTo: 0.5)
        return Why.Sound(
            outputs: outputs, lostSince: outputs.isLost ? mediaServicesLostSince : nil,
            interruptions: await session.interruptions)
    }

    /// Records since when there is no sound server.
    func follow(_ event: PlayerEvent.Kind, at hostTime: Int64) {
        switch event {
        case .mediaServicesWereLost: mediaServicesLostSince = mediaServicesLostSince ?? hostTime
        case .mediaServicesWereReset: mediaServicesLostSince = nil
        default: break
        }
    }
}

extension ServiceError {
    fileprivate static func notMoved(_ name: String?, _ current: Outputs.Device?) -> ServiceError {
        let place = current.map { " on \($0.name)" } ?? " where it is"
        return ServiceError(
            .notPossible, "play on \(name ?? "the default device")",
            "the sound server keeps the sound\(place)")
    }

    fileprivate static func noDevice(_ name: String, _ devices: [Outputs.Device]) -> ServiceError {
        let names = devices.map(\.name)
        let known =
            switch names.count {
            case 0: "there is none"
            case 1: "the only one is '\(names[0])'"
            default: "there are \(names.map { "'\($0)'" }.joined(separator: ", "))"
            }
        return ServiceError(.notFound, "play on '\(name)'", "there is no such device; \(known)")
    }
}
