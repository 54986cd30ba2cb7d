/// All that decides whether a task may run, apart from time.
package struct RefreshConditions: Equatable, Sendable {
    /// The load of a processor above which nothing new is processed.
    package static let highLoad = 0.5

    package var capabilities = Capabilities()
    package var availability = RefreshAvailability.available
    /// The identifiers for which a handler is registered.
    package var handlers: Set<String> = []
    package var machine = MachineState()
    /// True if the machine is still being asked for its conditions.
    package var isSettling = false
    package var host = ApplicationState.background
    /// True if the host is an app that the user has closed: it cannot be launched.
    package var isClosed = false
    /// True if something is playing.
    package var isPlaying = false
    /// True if the login session is idle; nil if unknown.
    package var isIdle: Bool?
    /// The work that waits for each processor, averaged over a minute; nil if that is unknown.
    package var load: Double?

    package init() {}

    /// True if the user uses the host or the machine, so that nothing is processed.
    var isInUse: Bool { host == .active || isPlaying || isIdle == false }

    /// Returns the substitutes that a decision was based on, in the order in which to show them;
    /// for a fetch or refresh alone, without those that only matter to processing.
    package func fallbacks(forProcessing: Bool) -> [MachineFallback] {
        MachineFallback.allCases.filter { fallback in
            fallback == .login
                ? forProcessing && isIdle == nil : machine.fallbacks.contains(fallback)
        }
    }

    var isBusy: Bool { load.map { $0 >= Self.highLoad } ?? false }

    /// Returns the missing declarations that forbid any run of `kind` by this identifier. For a
    /// fetch that needs no identifier, it is nil.
    package func declarations(_ kind: RefreshKind, _ identifier: String?) -> Set<RefreshObstacle> {
        var obstacles: Set<RefreshObstacle> = []
        if !capabilities.backgroundModes.contains(kind.mode) {
            obstacles.insert(.notDeclared(kind.mode))
        }
        if let identifier, !capabilities.permittedIdentifiers.contains(identifier) {
            obstacles.insert(.notPermitted(identifier))
        }
        switch availability {
        case .restricted: obstacles.insert(.restricted)
        case .denied: obstacles.insert(.denied)
        case .available: break
        }
        return obstacles
    }

    /// The obstacles of the machine to a fetch or a refresh now.
    var againstRefresh: Set<RefreshObstacle> {
        var obstacles: Set<RefreshObstacle> = []
        if machine.power.isLow, machine.power.isOnBattery { obstacles.insert(.lowBattery) }
        if machine.power.isSavingPower { obstacles.insert(.savingPower) }
        switch machine.network.connectivity {
        case .none, .portal: obstacles.insert(.offline)
        case .unknown, .limited, .full: break
        }
        return obstacles
    }

    /// Returns the obstacles of the machine to the processing of `request`, also while it runs.
    func againstProcessing(_ request: RefreshRequest) -> Set<RefreshObstacle> {
        var obstacles: Set<RefreshObstacle> = []
        if machine.power.isLow, machine.power.isOnBattery { obstacles.insert(.lowBattery) }
        if request.requiresExternalPower, machine.power.isOnBattery {
            obstacles.insert(.onBattery)
        }
        if request.requiresNetworkConnectivity {
            switch machine.network.connectivity {
            case .none, .portal, .limited: obstacles.insert(.notConnected)
            case .unknown, .full: break
            }
        }
        if isInUse { obstacles.insert(.inUse) }
        return obstacles
    }
}
