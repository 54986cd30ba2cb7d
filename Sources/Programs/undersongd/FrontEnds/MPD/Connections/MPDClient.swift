import UndersongAudioSession
import UndersongBackground

/// A client of the protocol, with what it has chosen for its connection. It belongs to the front end.
final class MPDClient {
    /// The most channels, and the most messages that are kept for a client.
    static let (mostChannels, mostMessages) = (16, 64)
    /// A client that guesses so many passwords is disconnected.
    static let mostWrongPasswords = 10

    /// The player's view of the client, which keeps the service running and nothing else: a remote
    /// control is not the host's foreground.
    let playerClient: RemoteControl
    /// True for a client of the Unix socket, which may name files anywhere.
    let isLocal: Bool
    /// The commands that the client may use.
    var permissions: MPDPermissions
    /// The number of wrong passwords that the client has given.
    var wrongPasswords = 0
    /// The most bytes of a chunk of binary data.
    var binaryLimit = 8192
    /// The tags that answers to the client contain.
    var shownTags = Set(MPDTag.listed)
    /// The state of the conversation.
    var dialogue = MPDDialogue()
    /// The channels from which the client wants messages.
    var channels: Set<String> = []
    /// The messages that the client has not read yet.
    var messages: [MPDMessage] = []
    /// The consequence of the command that is being performed for the connection.
    var ending = Ending.stays

    /// The state of the connection after a command.
    enum Ending {
        case stays
        /// The reply is sent when something has changed.
        case isIdle
        /// The connection is closed.
        case leaves
    }

    init(isLocal: Bool, permissions: MPDPermissions, process: Int32?) {
        self.isLocal = isLocal
        self.permissions = permissions
        playerClient = RemoteControl(process: process)
    }

    /// A client that only sends commands.
    final class RemoteControl: PlayerClient {
        let id = ClientID()
        let process: Int32?
        var name: String? { "MPD client" }

        init(process: Int32?) { self.process = process }

        func runEnded(_ run: Int, _ end: SessionEnd) {}
        func taskIsExpiring(_ task: Int, timeRemaining: Double) {}
        func taskWasTerminated(_ task: Int) {}
    }
}

/// A message from one client to another.
struct MPDMessage: Equatable {
    var channel: String
    var text: String
}
