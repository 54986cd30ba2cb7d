import AudioSession
package import Background

/// What the service does when the host's state changes, and what it may still do in the background.
extension PlayerService {
    /// The host as its clients, its user and the login session have it.
    package var hostState: HostState { host }

    /// The client says where it is: it is a part of the host until it disconnects.
    package func attach(_ client: ClientID, state: ApplicationState, source: String) async {
        if host.attach(client.number, state: state, source: source) { await hostChanged() }
        await silenceWhereForbidden()
    }

    /// The user says what the host's state is; nil: what the others say.
    package func overrideHost(_ state: ApplicationState?) async {
        if host.override(with: state) { await hostChanged() }
        await silenceWhereForbidden()
    }

    /// The login session, or the machine, says something new. `whenSilent` is called when nothing
    /// sounds any more, for a machine that waits to sleep.
    package func follow(
        _ login: LoginState, whenSilent: @escaping @Sendable () -> Void
    ) async {
        // The timer's clock has run while the machine slept, and what makes it look has not.
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
    private func accountForHost() async {
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

    /// Returns when it is as quiet as the policy wants it: the answer to a change of the host's state
    /// comes then.
    private func silenceWhereForbidden() async {
        if await !session.isAllowed { await session.silence() }
    }

    /// All background modes as the manifest has them now. What it declares counts from now on.
    package var capabilities: CapabilityReport {
        get async {
            manifest.read()
            await declare()
            return CapabilityReport(
                capabilities: manifest.capabilities, source: manifest.source)
        }
    }

    /// Declares a background mode in the user's manifest, or takes it back. Errors: the manifest
    /// cannot be read or written.
    package func declare(
        _ mode: BackgroundMode, isDeclared: Bool
    ) async throws(ServiceError) -> CapabilityReport {
        manifest.read()
        try manifest.set(mode, isDeclared: isDeclared)
        if mode == .audio { audioOverride = nil }
        return await capabilities
    }

    /// What is declared, with what this run overrides of it, counts from now on.
    func declare() async {
        var capabilities = manifest.capabilities
        var source = manifest.source
        if let audioOverride {
            source = "--background-audio"
            if audioOverride {
                capabilities.backgroundModes.insert(.audio)
            } else {
                capabilities.backgroundModes.remove(.audio)
            }
        }
        await session.declare(capabilities, source: source)
        await accountForHost()
    }
}
