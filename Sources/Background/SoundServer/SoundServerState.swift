/// What a sound server is like at one moment, as far as a player has to know it.
package struct SoundServerState: Hashable, Sendable {
    /// The server's name and version: `pulseaudio 16.1`.
    package var name = ""
    /// The name of the device for streams that name none; nil: there is no device.
    package var defaultDevice: String?
    /// Its devices, in the server's order.
    package var devices: [OutputDevice] = []
    /// What plays on it, or could, in the server's order.
    package var streams: [ServerStream] = []
    /// Undersong sessions of other processes, in the server's order.
    package var sessions: [RemoteSession] = []

    package init() {}

    /// The stream of this process; nil while it has none.
    package var ownStream: ServerStream? { streams.first(where: \.isOwn) }

    /// The device that this process plays on, or would.
    package var currentDevice: OutputDevice? {
        let ownDevice = ownStream.flatMap { stream in devices.first { $0.index == stream.device } }
        return ownDevice ?? devices.first { $0.name == defaultDevice }
    }
}

/// A stream of the sound server; PulseAudio calls it a sink input.
package struct ServerStream: Hashable, Sendable {
    /// The server's number for it.
    package var index: UInt32
    /// The number of the device that it plays on.
    package var device: UInt32
    /// The program's name, for people.
    package var application: String
    /// What it is for, as `media.role` tells: `phone`, `music`; nil: it does not tell.
    package var role: String?
    /// Whether it is of this process.
    package var isOwn = false
    /// Which session of `SoundServerState.sessions` it belongs to; nil: none.
    package var session: String?
    /// Whether it stands still.
    package var isCorked = false
    /// Whether the server silences it.
    package var isMuted = false
    /// Its volume on the server as a factor for samples, 0 to 1 and, amplified, above.
    package var volume: Float = 1

    package init(index: UInt32, device: UInt32, application: String, role: String? = nil) {
        self.index = index
        self.device = device
        self.application = application
        self.role = role
    }
}

/// How an Undersong session relates to others now, as it tells the sound server for them to see.
package struct SessionAnnouncement: Hashable, Sendable {
    /// Names the session among all of this server: the process and a number.
    package var identifier: String
    /// The name for people.
    package var name: String
    /// Whether it is active.
    package var isActive = false
    /// Whether others may sound beside it.
    package var isMixable = false
    /// Whether others are softer while it is active.
    package var ducksOthers = false
    /// Whether spoken audio of others is interrupted while it is active.
    package var interruptsSpokenAudio = false
    /// Whether those that it has interrupted may go on: it has ended in good order.
    package var notifiesOthers = false
    /// When it became active last, in nanoseconds of CLOCK_BOOTTIME: the later one interrupts.
    package var activationTime: Int64 = 0

    package init(identifier: String, name: String) {
        self.identifier = identifier
        self.name = name
    }
}

/// An Undersong session of another process.
package typealias RemoteSession = SessionAnnouncement
