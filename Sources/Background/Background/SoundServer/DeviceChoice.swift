import UndersongPlayback

extension SoundServerPolicy {
    /// The device to play on, and the search for it.
    struct DeviceChoice: Sendable {
        enum Search: Hashable, Sendable {
            /// The requested device is there, or none was requested.
            case found
            /// The requested device is missing, and another one is used.
            case missing
            /// Playback waits for the device of that name.
            case awaited(String)
        }

        /// The device that this run requests.
        var ofRun: String?
        /// The device that the user chose.
        var chosen: String?
        var unplugPolicy: UnplugPolicy
        var search = Search.found

        /// The requested device: this run's, otherwise the user's; nil for the default one.
        var wanted: String? { ofRun ?? chosen }

        var isAwaited: Bool { if case .awaited = search { true } else { false } }
    }

    /// True if the device is a remembered one, which may be missing.
    package var isDeviceRemembered: Bool { devices.ofRun == nil && devices.chosen != nil }

    /// The device in use, or the one that would be used.
    package var currentDevice: OutputDevice? {
        guard let state else { return nil }
        guard state.ownStream == nil, let wanted = devices.wanted, state.hasDevice(wanted) else {
            return state.currentDevice
        }
        return state.devices.first { $0.name == wanted }
    }

    /// True if the stream has not reached the device yet on which it is to play.
    package var isMoving: Bool {
        guard let state, let stream = state.ownStream,
            let target = devices.wanted ?? state.defaultDevice, state.hasDevice(target)
        else { return false }
        return state.devices.first { $0.index == stream.device }?.name != target
    }

    /// Handles a route change: if the device disappeared, the unplug policy decides what follows
    /// (T58).
    mutating func unplugged(by change: RouteChange) -> [Effect] {
        guard [.oldDeviceUnavailable, .noSuitableRouteForCategory].contains(change.reason) else {
            return []
        }
        switch devices.unplugPolicy {
        case .pause: return [.pause]
        case .follow: return []
        case .wait: return wait(for: change.previous?.name)
        }
    }

    /// Stays silent until the device of that name is there.
    private mutating func wait(for name: String?) -> [Effect] {
        guard let name else { return [] }
        devices.search = .awaited(name)
        return [.setDeviceMissing(true)]
    }

    /// Stops waiting for a device.
    mutating func stopWaiting() -> [Effect] {
        guard devices.isAwaited else { return [] }
        let isThere = state.map(isWantedThere) ?? true
        devices.search = isThere ? .found : .missing
        return useDevice() + [.setDeviceMissing(devices.isAwaited)]
    }

    /// Moves to the requested device once it is there.
    mutating func followDevices(_ state: SoundServerState) -> [Effect] {
        guard scope.contains(.stream) else { return [] }
        let isThere = isWantedThere(state)
        switch devices.search {
        case .awaited(let name):
            guard state.hasDevice(name) else { return [] }
            devices.search = isThere ? .found : .missing
            return [.useDevice(name), .setDeviceMissing(false)]
        case .missing where isThere:
            devices.search = .found
            guard let wanted = devices.wanted, let stream = state.ownStream,
                state.currentDevice?.name != wanted
            else { return [] }
            return [.moveStream(stream.index, to: wanted)]
        case .missing, .found:
            devices.search = isThere ? .found : .missing
            return []
        }
    }

    private func isWantedThere(_ state: SoundServerState) -> Bool {
        devices.wanted.map(state.hasDevice) ?? true
    }

    /// Says which device to open the output on next: the requested one, if it is there.
    mutating func useDevice() -> [Effect] {
        guard let wanted = devices.wanted else { return [.useDevice(nil)] }
        guard state.map({ $0.hasDevice(wanted) }) == false else { return [.useDevice(wanted)] }
        let waits = devices.unplugPolicy == .wait && !devices.isAwaited
        return [.useDevice(nil)] + (waits ? wait(for: wanted) : [])
    }

    /// The user chose another device: the sound moves there at once.
    mutating func chooseDevice(_ name: String?) -> [Effect] {
        devices.chosen = name
        watch.preferredDevice = devices.wanted
        let effects = stopWaiting() + useDevice()
        guard let state, let stream = state.ownStream,
            let target = devices.wanted ?? state.defaultDevice, state.hasDevice(target)
        else { return effects }
        if !devices.isAwaited { devices.search = .found }
        return effects + [.moveStream(stream.index, to: target)]
    }
}

extension SoundServerState {
    /// True if the default device is there.
    var hasDefaultDevice: Bool { defaultDevice.map(hasDevice) ?? false }

    /// Returns true if there is a device of that name with something plugged in.
    func hasDevice(_ name: String) -> Bool {
        devices.contains { $0.name == name && $0.isAvailable }
    }
}
