import AudioSession
import Background
import Control

/// The sound server, its devices, and interruptions by command.
extension ServiceCore {
    /// Seconds for which a client waits for a sound server at most.
    private static let patience = 2.0

    func handleSound(_ request: ControlRequest) async throws(ControlError) -> ControlReply? {
        switch request.method {
        case GetOutputs.method: return ControlReply(await outputs)
        case SetOutput.method:
            return ControlReply(try await setOutput(request.decode(SetOutput.self).device))
        case Interrupt.method:
            return ControlReply(try await interrupt(request.decode(Interrupt.self)))
        default: return nil
        }
    }

    private var outputs: Outputs {
        get async { Outputs(await session.soundReport(waitingUpTo: Self.patience)) }
    }

    /// Errors: there is a server, and it has no such device.
    private func setOutput(_ name: String?) async throws(ControlError) -> Outputs {
        if let name {
            let known = await session.soundReport(waitingUpTo: Self.patience)
            if known.isThere, !known.devices.contains(where: { $0.name == name }) {
                throw .noDevice(name, known.devices)
            }
        }
        await session.setOutputDevice(name)
        await session.flush()
        return await outputs
    }

    private func interrupt(_ call: Interrupt) async throws(ControlError) -> Status {
        if call.begin {
            await session.beginInterruption(.command)
            return await status
        }
        guard await session.endInterruption(.command, shouldResume: call.shouldResume) else {
            throw ControlError(.notPossible, "cannot end the interruption: None has begun")
        }
        return await status
    }

    /// What `why` tells of the sound server, where the sound goes to one.
    func whySound(_ output: OutputDestination) async -> Why.Sound? {
        guard output.server != nil else { return nil }
        let report = await session.soundReport(waitingUpTo: 0.5)
        return Why.Sound(
            outputs: Outputs(report),
            lostSince: report.lostReason == nil ? nil : mediaServicesLostSince,
            interruptions: report.interruptions.map {
                Why.Interruption(source: $0.kind, by: $0.name)
            })
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

extension Outputs {
    init(_ report: SoundReport) {
        let device = { (device: OutputDevice) in
            Device(
                name: device.name, description: device.description, port: device.port.rawValue,
                isAvailable: device.isAvailable, isSuspended: device.isSuspended,
                volume: (Double(device.volume) * 1000).rounded() / 10, isMuted: device.isMuted,
                isDefault: device.name == report.defaultDevice,
                isCurrent: device.name == report.current?.name)
        }
        self.init(
            server: report.server, lostReason: report.lostReason,
            current: report.current.map(device), chosen: report.chosen,
            devices: report.devices.map(device))
    }
}

extension ControlError {
    fileprivate static func noDevice(_ name: String, _ devices: [OutputDevice]) -> ControlError {
        let names = devices.map(\.name).joined(separator: ", ")
        return ControlError(
            .notFound,
            "cannot play on \(name): There is no such device, "
                + (names.isEmpty ? "and no other" : "but there is \(names)"))
    }
}
