/// The commands by which clients send messages to each other.
extension MPDCommand {
    static let messages = [
        MPDCommand("channels", since: Version(17), .read, 0...0) { frontEnd, _, _, reply in
            let channels = Set(frontEnd.clients.flatMap(\.channels))
            for channel in channels.sorted() { reply.add("channel", channel) }
        },
        MPDCommand("readmessages", since: Version(17), .read, 0...0) { _, client, _, reply in
            for message in client.messages {
                reply.add("channel", message.channel)
                reply.add("message", message.text)
            }
            client.messages = []
        },
        MPDCommand("sendmessage", since: Version(17), .control, 2...2) {
            frontEnd, _, arguments, _ in
            try frontEnd.send(
                MPDMessage(channel: channel(arguments), text: arguments[1]))
        },
        MPDCommand("subscribe", since: Version(17), .read, 1...1) {
            frontEnd, client, arguments, _ in
            let channel = try channel(arguments)
            guard !client.channels.contains(channel) else {
                throw MPDError(.exist, "already subscribed to this channel")
            }
            guard client.channels.count < MPDClient.mostChannels else {
                throw MPDError(.exist, "subscription list is full")
            }
            client.channels.insert(channel)
            frontEnd.note(.subscription)
        },
        MPDCommand("unsubscribe", since: Version(17), .read, 1...1) {
            frontEnd, client, arguments, _ in
            guard client.channels.remove(arguments[0]) != nil else {
                throw MPDError(.noExist, "not subscribed to this channel")
            }
            frontEnd.note(.subscription)
        },
    ]

    private static func channel(_ arguments: MPDArguments) throws(MPDError) -> String {
        let name = arguments[0]
        let others = Array("_-.:".utf8)
        guard !name.isEmpty,
            name.utf8.allSatisfy({ $0.isLetter || $0.isDigit || others.contains($0) })
        else { throw MPDError(.argument, "invalid channel name") }
        return name
    }
}

extension MPDFrontEnd {
    /// Leaves a message for those who are subscribed to its channel.
    fileprivate func send(_ message: MPDMessage) throws(MPDError) {
        let receivers = clients.filter { $0.channels.contains(message.channel) }
        let open = receivers.filter { $0.messages.count < MPDClient.mostMessages }
        for client in open { client.messages.append(message) }
        guard !open.isEmpty else {
            throw MPDError(.noExist, "nobody is subscribed to this channel")
        }
        note(.message, to: open)
    }
}
