/// The commands that concern the connection itself.
extension MPDCommand {
    static let connection = [
        MPDCommand("binarylimit", since: Version(22, 4), .none, 1...1) {
            _, client, arguments, _ in
            let limit = try arguments.unsigned(0, most: 8 * 1024 * 1024 - 4096)
            guard limit >= 64 else { throw MPDError(.argument, "Value too small") }
            client.binaryLimit = limit
        },
        MPDCommand("close", .none, 0...) { _, client, _, _ in client.ending = .leaves },
        MPDCommand("commands", .none, 0...0) { _, client, _, reply in
            for command in all
            where command.isAvailable && client.permissions.isSuperset(of: command.permission) {
                reply.add("command", command.name)
            }
        },
        MPDCommand("idle", since: Version(14), .read, 0...) { _, client, arguments, reply in
            try idle(client, arguments, &reply)
        },
        MPDCommand("kill", .admin, 0...) { frontEnd, client, _, _ in
            client.ending = .leaves
            frontEnd.shutDown()
        },
        MPDCommand("notcommands", .none, 0...0) { _, client, _, reply in
            for command in all where !client.permissions.isSuperset(of: command.permission) {
                reply.add("command", command.name)
            }
        },
        MPDCommand("password", .none, 1...1) { frontEnd, client, arguments, _ in
            guard let permissions = frontEnd.passwords.permissions(of: arguments[0]) else {
                client.wrongPasswords += 1
                if client.wrongPasswords == MPDClient.mostWrongPasswords {
                    client.ending = .leaves
                }
                throw MPDError(.password, "incorrect password")
            }
            client.permissions = permissions
        },
        MPDCommand("ping", .none, 0...0) { _, _, _, _ in },
    ]

    private static func idle(
        _ client: MPDClient, _ arguments: MPDArguments, _ reply: inout MPDReply
    ) throws(MPDError) {
        var subsystems: MPDSubsystems = []
        for name in arguments.all {
            guard let subsystem = MPDSubsystems(name: name) else {
                throw MPDError(.argument, "Unrecognized idle event: \(name)")
            }
            subsystems.formUnion(subsystem)
        }
        client.ending = .isIdle
        let changes = client.dialogue.idle(subsystems.isEmpty ? .all : subsystems)
        if let changes { reply.add(lines: changes) }
    }
}
