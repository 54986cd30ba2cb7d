import ArgumentParser

/// The options for clients of MPD's protocol.
struct MPDOptions: ParsableArguments {
    /// The places at which they are served, and who may do what there.
    struct Choice: Equatable {
        /// The address on the network; nil for none.
        var address: MPDAddress?
        /// True for the socket in the runtime folder as well.
        var hasSocket = true
        /// The passwords of clients on the network.
        var passwords: [String] = []
    }

    @Option(
        name: .customLong("mpd"),
        help: ArgumentHelp(
            """
            Serve MPD's clients on the network too, at an address such as 127.0.0.1:6600, or with \
            'none' not even on the socket in the runtime folder.
            """, valueName: "address"))
    var address: String?

    @Option(
        name: .customLong("mpd-password"),
        help: ArgumentHelp(
            """
            A password for clients on the network and what it permits, such as \
            secret@read,add,player,control,admin; may be given several times. Then nothing is \
            permitted without one.
            """, valueName: "password"))
    var passwords: [String] = []

    func validate() throws {
        if let address, address != Self.none, MPDAddress(address) == nil {
            throw ValidationError(
                "'\(address)' is not an address: give a number and a port, such as 127.0.0.1:6600.")
        }
        guard MPDPasswords(passwords) != nil else {
            throw ValidationError(
                "--mpd-password takes a password, '@' and some of read, add, player, control, admin."
            )
        }
    }

    private static let none = "none"

    /// The choice that the options make.
    var choice: Choice {
        Choice(
            address: address.flatMap { MPDAddress($0) }, hasSocket: address != Self.none,
            passwords: passwords)
    }
}

extension MPDOptions.Choice {
    /// Listens at the places. The socket in the runtime folder, where clients look first, is the
    /// usual session's. `warn` is called with the reasons why there is no socket.
    func configuration(
        session: String, in runtimeFolder: String, warn: (String) -> Void
    ) -> MPDFrontEnd.Configuration? {
        var configuration = MPDFrontEnd.Configuration()
        configuration.passwords = MPDPasswords(passwords) ?? MPDPasswords()
        do throws(MPDListener.Problem) {
            if hasSocket, session == ServeRun.standardSession {
                configuration.listeners.append(
                    try MPDListener(path: runtimeFolder + "/mpd/socket"))
            }
        } catch {
            warn("MPD's clients: \(error)")
        }
        do throws(MPDListener.Problem) {
            if let address {
                configuration.listeners.append(try MPDListener(address: address))
            }
        } catch {
            warn("MPD's clients: \(error)")
        }
        return configuration.listeners.isEmpty ? nil : configuration
    }
}
