package import AudioSession
import Background

/// The sound server, its devices, and interruptions by command.
extension PlayerService {
    /// Seconds that an answer waits for a sound server at most.
    private static let patience = 2.0

    /// What is known of the sound server and its devices. Connects to it where that was not done yet.
    package var sound: SoundReport {
        get async { await session.soundReport(waitingUpTo: Self.patience) }
    }

    /// Plays on the device of that name from now on, nil: on the default one, and remembers it. Where
    /// no server answers, the name is taken as it is. Errors: a server answers, and has no such device.
    package func chooseDevice(_ name: String?) async throws(ServiceError) {
        if let name {
            let known = await sound
            if known.isThere, !known.devices.contains(where: { $0.name == name }) {
                throw .noDevice(name, known.devices)
            }
        }
        await session.setOutputDevice(name)
        await session.flush()
    }

    /// Interrupts, as a call would, until that is ended.
    package func beginInterruption() async { await session.beginInterruption(.command) }

    /// Ends what `beginInterruption` has begun; playing may resume by itself if it `shouldResume`.
    /// Errors: nothing has begun.
    package func endInterruption(shouldResume: Bool) async throws(ServiceError) {
        guard await session.endInterruption(.command, shouldResume: shouldResume) else {
            throw ServiceError(.notPossible, "end the interruption", "none has begun")
        }
    }

    /// What is to be said of the sound server, where the sound goes to one.
    func explanation(of output: OutputDestination) async -> Explanation.Sound? {
        guard output.server != nil else { return nil }
        let report = await session.soundReport(waitingUpTo: 0.5)
        return Explanation.Sound(
            report: report,
            lostSince: report.lostReason == nil ? nil : mediaServicesLostSince)
    }

    /// Remembers since when there is no sound server.
    func follow(_ event: SessionEvent.Kind, at hostTime: Int64) {
        switch event {
        case .mediaServicesWereLost: mediaServicesLostSince = mediaServicesLostSince ?? hostTime
        case .mediaServicesWereReset: mediaServicesLostSince = nil
        default: break
        }
    }
}

extension SoundReport {
    /// Whether a server answers.
    fileprivate var isThere: Bool { server != nil && lostReason == nil }
}

extension ServiceError {
    fileprivate static func noDevice(_ name: String, _ devices: [OutputDevice]) -> ServiceError {
        let names = devices.map(\.name).joined(separator: ", ")
        return ServiceError(
            .notFound, "play on \(name)",
            "there is no such device, "
                + (names.isEmpty ? "and no other" : "but there is \(names)"))
    }
}
