import AudioSession
import Background
import Control
import LinuxPlatform

/// What the service does when the host's state changes, and what it may still do in the background.
extension ServiceCore {
    func attach(_ id: Int, _ call: Attach) async throws(ControlError) {
        guard let state = ApplicationState(name: call.state) else {
            throw .unknown("host state", call.state, ApplicationState.allCases.map(\.name))
        }
        if host.attach(id, state: state, source: call.source) { await hostChanged() }
        await silenceWhereForbidden()
    }

    func override(_ name: String?) async throws(ControlError) -> Host.Reply {
        if let name {
            let state = ApplicationState(name: name)
            guard state != nil || name == "auto" else {
                let known = ApplicationState.allCases.map(\.name) + ["auto"]
                throw .unknown("host state", name, known)
            }
            if host.override(with: state) { await hostChanged() }
            await silenceWhereForbidden()
        }
        return Host.Reply(state: host.state.name, source: host.source)
    }

    /// The login session, or the machine, says something new. `whenSilent` is called when nothing
    /// sounds any more, for a machine that waits to sleep.
    func follow(_ login: LoginState, whenSilent: @escaping @Sendable () -> Void) async {
        // The timer's clock has gone on while the machine slept, and what makes it look has not.
        await advanceSleep()
        if host.follow(login) { await hostChanged() }
        if login.requiresPause != isInterruptedBySleep {
            isInterruptedBySleep = login.requiresPause
            if isInterruptedBySleep {
                await session.beginInterruption(.sleep)
            } else {
                await session.endInterruption(.sleep, shouldResume: true)
            }
        }
        guard login.isSleeping else { return }
        await session.silence()
        whenSilent()
    }

    func hostChanged() async {
        await session.enter(host.state, source: host.source)
        await accountForHost()
    }

    /// The host's time in the background counts as long as it is there and may not sound; then it
    /// is suspended as soon as no task needs it (A3, E2).
    func accountForHost() async {
        let isAllowed = await session.isAllowed
        guard host.state == .background, !isAllowed else {
            tasks.enterForeground()
            return scheduleTasks()
        }
        if tasks.timeRemaining == nil {
            tasks.enterBackground()
            beginOwnTasks()
        }
        tasks.settle()
        scheduleTasks()
    }

    /// Returns when it is so quiet as the policy wants it: whoever has changed the host's state is
    /// answered then.
    private func silenceWhereForbidden() async {
        if await !session.isAllowed { await session.silence() }
    }

    func capability(_ call: Capability) async throws(ControlError) -> Capability.Reply {
        manifest.read()
        if let name = call.mode {
            guard let mode = BackgroundMode(rawValue: name) else {
                throw .unknown("background mode", name, BackgroundMode.allCases.map(\.rawValue))
            }
            if let isOn = call.on {
                do throws(ManifestFailure) {
                    try manifest.set(mode, isDeclared: isOn)
                } catch {
                    throw ControlError(.notPossible, error.description)
                }
                if mode == .audio { audioOverride = nil }
            }
        }
        await declare()
        let modes = BackgroundMode.allCases.map {
            Capability.Mode(
                mode: $0.rawValue,
                declared: manifest.capabilities.backgroundModes.contains($0),
                supported: $0 == .audio)
        }
        return Capability.Reply(modes: modes, source: manifest.source)
    }
}

extension ControlError {
    /// A name that is none of `known`.
    static func unknown(_ what: String, _ name: String, _ known: [String]) -> ControlError {
        ControlError(
            .invalidParams,
            "cannot use the \(what) '\(name)': It is none of \(known.joined(separator: ", "))")
    }
}
