import UndersongAudioSession
package import UndersongBackground

/// Responses to changes of the host's state, and what may continue in the background.
extension PlayerService {
    /// The host's state according to its clients, the user, the login session and calls.
    package var hostState: HostClients { host }

    /// Sets a client's state: it is part of the host until it disconnects.
    package func attach(_ client: ClientID, state: ApplicationState, source: String) async {
        guard clients[client] != nil else { return }
        if host.attach(client.number, state: state, source: source) { await hostChanged() }
        await silenceWhereForbidden()
    }

    /// Overrides the host's state; nil removes the override.
    package func overrideHost(_ state: ApplicationState?) async {
        if host.override(with: state) { await hostChanged() }
        await silenceWhereForbidden()
    }

    /// Takes the host to the background until `endSimulation` is called (K1). Returns when the silence
    /// that is demanded there is reached.
    func beginSimulation() async {
        if host.beginSimulation() { await hostChanged() }
        await silenceWhereForbidden()
    }

    /// Ends the stay in the background for a simulated fetch.
    func endSimulation() async {
        if host.endSimulation() { await hostChanged() }
    }

    /// Handles a change of the login session or the machine. `whenSilent` is called once nothing is
    /// playing, for a machine that is waiting to sleep.
    package func follow(
        _ login: LoginState, whenSilent: @escaping @Sendable () -> Void
    ) async {
        let hasChanged = host.follow(login)
        for feature in features { await feature.loginChanged(self) }
        if hasChanged { await hostChanged() }
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

    /// Follows the beginning and the end of a call: nobody can use the host meanwhile (A5, A8).
    func followCall() async {
        if host.follow(call: await session.call) { await hostChanged() }
    }

    /// Lets the features rest until the user opens the service again.
    package func shutDownFeatures() async {
        for feature in features { await feature.shutDown(self) }
    }

    func hostChanged() async {
        await session.enter(host.state, source: host.source)
        await accountForHost()
    }

    private func accountForHost() async {
        for feature in features { await feature.hostChanged(self) }
    }

    /// Returns when the silence that the policy demands is reached; only then is a change of the
    /// host's state answered.
    private func silenceWhereForbidden() async {
        if await !session.isAllowed { await session.silence() }
    }

    /// Reads all background modes from the manifest and applies them.
    package var capabilities: CapabilityStatus {
        get async {
            manifest.read()
            await declare()
            return CapabilityStatus(manifest.capabilities, source: manifest.source)
        }
    }

    /// Adds a background mode to the user's manifest, or removes it. Throws if the manifest cannot
    /// be read or written.
    package func declare(
        _ mode: BackgroundMode, isDeclared: Bool?
    ) async throws(ServiceError) -> CapabilityStatus {
        manifest.read()
        let isDeclared = isDeclared ?? !declared.backgroundModes.contains(mode)
        try manifest.set(mode, isDeclared: isDeclared)
        if mode == .audio { audioOverride = nil }
        return await capabilities
    }

    /// Adds an identifier of background tasks to those that the user's manifest permits, or removes
    /// it. Throws if the manifest cannot be read or written.
    package func permit(
        _ identifier: String, isPermitted: Bool
    ) async throws(ServiceError) -> CapabilityStatus {
        manifest.read()
        try manifest.permit(identifier, isPermitted: isPermitted)
        return await capabilities
    }

    /// The declared modes and identifiers, with the override of the current run.
    var declared: Capabilities {
        var capabilities = manifest.capabilities
        switch audioOverride {
        case true?: capabilities.backgroundModes.insert(.audio)
        case false?: capabilities.backgroundModes.remove(.audio)
        case nil: break
        }
        return capabilities
    }

    /// Applies the declared modes.
    func declare() async {
        await session.declare(
            declared, source: audioOverride == nil ? manifest.source : "--background-audio")
        await accountForHost()
    }
}
