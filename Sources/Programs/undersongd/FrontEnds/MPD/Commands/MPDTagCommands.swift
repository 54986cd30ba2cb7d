import UndersongPlayback

/// The commands that give tags to songs of the queue. Only streams can have them: the tags of files are
/// in the files.
extension MPDCommand {
    static let tags = [
        MPDCommand("addtagid", since: Version(19), .add, 3...3) { frontEnd, _, arguments, _ in
            let number = try arguments.unsigned(0)
            let tag = try MPDTag(known: arguments[1])
            let id = try await frontEnd.stream(number)
            frontEnd.queue.add(tag, arguments[2], to: id)
            frontEnd.note(.playlist)
        },
        MPDCommand("cleartagid", since: Version(19), .add, 1...2) { frontEnd, _, arguments, _ in
            let number = try arguments.unsigned(0)
            let tag = try arguments.text(at: 1).map { name throws(MPDError) in
                try MPDTag(known: name)
            }
            let id = try await frontEnd.stream(number)
            frontEnd.queue.removeTag(tag, of: id)
            frontEnd.note(.playlist)
        },
    ]
}

extension MPDFrontEnd {
    /// The item with a number, which must be a stream.
    fileprivate func stream(_ number: Int) async throws(MPDError) -> ItemID {
        let (id, position) = try await currentQueue().item(number)
        let item = await player.page(offset: position, limit: 1).items.first
        guard let item, item.id == id else { throw MPDError.noSuchSong }
        if case .file = item.source {
            throw MPDError(.permission, "Cannot edit tags of local file")
        }
        return id
    }
}
