/// Follows the device that is played on, and reports why it becomes another (behaviour 2.5).
struct RouteWatch: Hashable, Sendable {
    /// The device that this process wants to play on; nil: the default.
    var preferredDevice: String?
    private var device: OutputDevice?
    private var devices: Set<String> = []
    private var defaultDevice: String?

    /// The first state, with which nothing changes.
    mutating func begin(_ state: SoundServerState) { remember(route(in: state), state) }

    /// Follows a state, and returns how the route has changed.
    mutating func follow(_ state: SoundServerState) -> RouteChange? {
        let (previous, current) = (device, route(in: state))
        defer { remember(current, state) }
        guard let reason = reason(from: previous, to: current, in: state) else { return nil }
        return RouteChange(reason: reason, previous: previous, current: current)
    }

    private mutating func remember(_ device: OutputDevice?, _ state: SoundServerState) {
        self.device = device
        devices = Set(state.devices.map(\.name))
        defaultDevice = state.defaultDevice
    }

    /// The device of the own stream. While there is none, that which it had or would have: a stream
    /// that is put away, and a moment without a device on its way to another, change no route.
    private func route(in state: SoundServerState) -> OutputDevice? {
        let old = state.devices.first { $0.name == device?.name }
        if let stream = state.ownStream {
            return state.devices.first { $0.index == stream.device } ?? old ?? state.currentDevice
        }
        if let preferred = state.devices.first(where: { $0.name == preferredDevice }) {
            return preferred
        }
        return state.defaultDevice == defaultDevice
            ? old ?? state.currentDevice : state.currentDevice
    }

    private func reason(
        from previous: OutputDevice?, to current: OutputDevice?, in state: SoundServerState
    ) -> RouteChangeReason? {
        guard let current else { return previous == nil ? nil : .noSuitableRouteForCategory }
        guard let previous else { return .newDeviceAvailable }
        guard current.name != previous.name else { return reason(from: previous, to: current) }
        let isNew = !devices.contains(current.name)
        let old = state.devices.first { $0.name == previous.name }
        if previous.isPlaceholder && isNew { return .newDeviceAvailable }
        guard let old, old.isAvailable || !previous.isAvailable,
            !isUnplugged(from: previous, to: old)
        else { return .oldDeviceUnavailable }
        return isNew ? .newDeviceAvailable : .override
    }

    /// Why a device that is played on before and after is another now.
    private func reason(
        from previous: OutputDevice, to current: OutputDevice
    ) -> RouteChangeReason? {
        if previous.isAvailable != current.isAvailable {
            return current.isAvailable ? .newDeviceAvailable : .oldDeviceUnavailable
        }
        if isUnplugged(from: previous, to: current) { return .oldDeviceUnavailable }
        if previous.portName != current.portName || previous.port != current.port {
            return current.port == .headphones ? .newDeviceAvailable : .override
        }
        let isSame =
            previous.sampleRate == current.sampleRate
            && previous.channelCount == current.channelCount
        return isSame ? nil : .routeConfigurationChange
    }

    /// Whether something was pulled out: a device goes over to the speaker by itself then.
    private func isUnplugged(from previous: OutputDevice, to current: OutputDevice) -> Bool {
        previous.port != .builtInSpeaker && current.port == .builtInSpeaker
    }
}
