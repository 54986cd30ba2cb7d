/// Follows the output device, and reports why it changes (behaviour 2.5).
struct RouteWatch: Hashable, Sendable {
    /// The device that this process prefers; nil for the default one.
    var preferredDevice: String?
    private var device: OutputDevice?
    private var devices: Set<String> = []
    private var defaultDevice: String?

    /// Records the first state, which changes nothing.
    mutating func begin(_ state: SoundServerState) { remember(route(in: state), state) }

    /// Applies a state and returns the route change, if any.
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

    /// The device of our stream; without a stream, the one that it had or would have. Neither
    /// closing the stream nor a moment without a device during a move is a route change.
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

    /// Returns the reason the device changed, with one in use before and after.
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

    /// Returns true if the output was unplugged, after which the device falls back to the speaker.
    private func isUnplugged(from previous: OutputDevice, to current: OutputDevice) -> Bool {
        previous.port != .builtInSpeaker && current.port == .builtInSpeaker
    }
}
