/// The state of a sound server at one moment, as far as a player needs it.
package struct SoundServerState: Hashable, Sendable {
    /// The server's name and version: `pulseaudio 16.1`.
    package var name = ""
    /// The name of the default device; nil if there is no device.
    package var defaultDevice: String?
    /// The devices, in the server's order.
    package var devices: [OutputDevice] = []
    /// The streams on it, playing or not, in the server's order.
    package var streams: [ServerStream] = []
    /// The Undersong sessions of other processes, in the server's order.
    package var sessions: [RemoteSession] = []

    package init() {}

    /// The stream of this process; nil if it has none.
    package var ownStream: ServerStream? { streams.first(where: \.isOwn) }

    /// The device that this process plays on, or would play on.
    package var currentDevice: OutputDevice? {
        let ownDevice = ownStream.flatMap { stream in devices.first { $0.index == stream.device } }
        return ownDevice ?? devices.first { $0.name == defaultDevice }
    }
}

/// A stream of the sound server; PulseAudio calls it a sink input.
package struct ServerStream: Hashable, Sendable {
    /// The server's number for the stream.
    package var index: UInt32
    /// The server's number for the device that it plays on.
    package var device: UInt32
    /// The program's name, for people.
    package var application: String
    /// The purpose, from `media.role`: `phone`, `music`; nil if that is not set.
    package var role: String?
    /// True if it belongs to this process.
    package var isOwn = false
    /// The session of `SoundServerState.sessions` that it belongs to; nil if none.
    package var session: String?
    /// True if it is corked, that is, paused.
    package var isCorked = false
    /// True if the server mutes it.
    package var isMuted = false
    /// The volume on the server as a factor for samples: 0 to 1, or above 1 if amplified.
    package var volume: Float = 1

    package init(index: UInt32, device: UInt32, application: String, role: String? = nil) {
        self.index = index
        self.device = device
        self.application = application
        self.role = role
    }
}

/// The relation of an Undersong session to others, as published through the sound server.
package struct SessionAnnouncement: Hashable, Sendable {
    /// Identifies the session among all on this server: the process and a number.
    package var identifier: String
    /// The name to show to people.
    package var name: String
    /// True if it is active.
    package var isActive = false
    /// True if others may sound beside it.
    package var isMixable = false
    /// True if others are ducked while it is active.
    package var ducksOthers = false
    /// True if it interrupts spoken audio of others while it is active.
    package var interruptsSpokenAudio = false
    /// True if the sessions that it interrupted may resume, because it ended properly.
    package var notifiesOthers = false
    /// The time at which it last became active, in nanoseconds of CLOCK_BOOTTIME: the later one
    /// interrupts.
    package var activationTime: Int64 = 0

    package init(identifier: String, name: String) {
        self.identifier = identifier
        self.name = name
    }
}

/// An Undersong session of another process.
package typealias RemoteSession = SessionAnnouncement
