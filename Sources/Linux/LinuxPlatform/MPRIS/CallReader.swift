/// The reactions to a call.
package enum CallReaction: Hashable, Sendable {
    /// Answer with these values.
    case answer([BusValue])
    /// Answer with the track's position.
    case answerPosition
    /// Answer with the properties of the player's interface, including the position.
    case answerPlayerProperties
    case refuse(BusError)
    /// Perform the command, then answer.
    case perform(MediaPlayerCommand)
}

/// Interprets calls to a player, given its state: the methods of MPRIS and those of every object.
extension MediaPlayerState {
    /// Returns the reaction to `call`.
    package func reaction(to call: BusCall) -> CallReaction {
        do throws(BusError) {
            guard call.path == Self.path else { return try parentReaction(to: call) }
            return try playerReaction(to: call)
        } catch {
            return .refuse(error)
        }
    }

    private func playerReaction(to call: BusCall) throws(BusError) -> CallReaction {
        switch call.interface {
        case "org.freedesktop.DBus.Introspectable"?: return try introspection(call)
        case "org.freedesktop.DBus.Properties"?: return try propertiesReaction(to: call)
        case nil: return try namelessReaction(to: call)
        case let name?:
            guard let interface = MPRISInterface.Name(rawValue: name),
                interfaces.contains(interface)
            else {
                throw BusError(.unknownInterface, "cannot call \(name): No such interface")
            }
            return try reaction(to: call, of: MPRISInterface.named(interface))
        }
    }

    /// Handles a call that names no interface: the first interface with such a method is meant.
    private func namelessReaction(to call: BusCall) throws(BusError) -> CallReaction {
        for name in interfaces {
            let interface = MPRISInterface.named(name)
            if interface.methods.contains(where: { $0.name == call.member }) {
                return try reaction(to: call, of: interface)
            }
        }
        return call.member == "Introspect"
            ? try introspection(call) : try propertiesReaction(to: call)
    }

    // MARK: The object

    private func parentReaction(to call: BusCall) throws(BusError) -> CallReaction {
        let prefix = call.path == "/" ? "/" : call.path + "/"
        guard Self.path.hasPrefix(prefix) else {
            throw BusError(.unknownObject, "cannot call \(call.path): No such object")
        }
        guard call.member == "Introspect" else { throw Self.unknownMethod(call) }
        try Self.check(call, "")
        let child = Self.path.dropFirst(prefix.count).prefix { $0 != "/" }
        return .answer([.string(Introspection.parent(of: child))])
    }

    private func introspection(_ call: BusCall) throws(BusError) -> CallReaction {
        guard call.member == "Introspect" else { throw Self.unknownMethod(call) }
        try Self.check(call, "")
        let properties = interfaces.flatMap { self.properties(of: $0).keys } + ["Position"]
        return .answer([.string(Introspection.player(interfaces) { properties.contains($0) })])
    }

    private static func unknownMethod(_ call: BusCall) -> BusError {
        BusError(.unknownMethod, "cannot call \(call.member): No such method")
    }

    /// - Throws: An error if the arguments have other types than the method takes.
    private static func check(_ call: BusCall, _ signature: String) throws(BusError) {
        guard call.signature == signature, call.arguments != nil else {
            throw BusError(
                .invalidArguments,
                "cannot call \(call.member): It takes '\(signature)', not '\(call.signature)'")
        }
    }

    // MARK: Properties

    private func propertiesReaction(to call: BusCall) throws(BusError) -> CallReaction {
        switch call.member {
        case "Get":
            try Self.check(call, "ss")
            guard case .string(let interface)? = call.arguments?[0],
                case .string(let name)? = call.arguments?[1]
            else { throw Self.unknownMethod(call) }
            return try value(of: name, in: interface)
        case "GetAll":
            try Self.check(call, "s")
            guard case .string(let name)? = call.arguments?[0] else {
                throw Self.unknownMethod(call)
            }
            return try allProperties(of: name)
        case "Set":
            try Self.check(call, "ssv")
            guard case .string(let interface)? = call.arguments?[0],
                case .string(let name)? = call.arguments?[1],
                case .variant(let value)? = call.arguments?[2]
            else { throw Self.unknownMethod(call) }
            return try setting(name, in: interface, to: value)
        default: throw Self.unknownMethod(call)
        }
    }

    private func allProperties(of name: String) throws(BusError) -> CallReaction {
        // Every object has these interfaces, which have no properties.
        if name.hasPrefix("org.freedesktop.DBus.") { return .answer([.dictionary([:])]) }
        let interface = try interface(name)
        if interface == .player { return .answerPlayerProperties }
        return .answer([.dictionary(properties(of: interface))])
    }

    private func value(of name: String, in interface: String) throws(BusError) -> CallReaction {
        let (property, interface) = try property(name, in: interface)
        if property.name == "Position" { return .answerPosition }
        guard let value = properties(of: interface)[property.name] else {
            throw Self.unknownProperty(name)
        }
        return .answer([.variant(value)])
    }

    private func setting(
        _ name: String, in interface: String, to value: BusValue
    ) throws(BusError) -> CallReaction {
        let (property, interface) = try property(name, in: interface)
        guard property.name == "Position" || properties(of: interface)[property.name] != nil else {
            throw Self.unknownProperty(name)
        }
        guard property.isWritable else {
            throw BusError(.propertyReadOnly, "cannot set \(name): It can only be read")
        }
        guard value.signature == property.signature else {
            throw BusError(
                .invalidArguments,
                "cannot set \(name): It takes '\(property.signature)', not '\(value.signature)'")
        }
        return .perform(try command(setting: name, to: value))
    }

    private func command(
        setting name: String, to value: BusValue
    ) throws(BusError) -> MediaPlayerCommand {
        switch (name, value) {
        case ("LoopStatus", .string(let word)):
            guard let status = LoopStatus(rawValue: word) else {
                let words = LoopStatus.allCases.map(\.rawValue).joined(separator: ", ")
                throw BusError(
                    .invalidArguments, "cannot set LoopStatus to '\(word)': It is one of \(words)")
            }
            return .setLoopStatus(status)
        case ("Shuffle", .boolean(let isShuffled)): return .setShuffled(isShuffled)
        case ("Rate", .double(let rate)):
            // MPRIS: a rate of 0 means to pause.
            if rate == 0 { return .player(.pause) }
            guard rates.contains(rate) else {
                throw BusError(
                    .invalidArguments,
                    "cannot set Rate to \(rate): It is from \(rates.lowerBound) to "
                        + "\(rates.upperBound)")
            }
            return .setRate(rate)
        case ("Volume", .double(let volume)):
            guard !volume.isNaN else {
                throw BusError(.invalidArguments, "cannot set Volume: It is not a number")
            }
            return .setVolume(min(max(volume, 0), 1))
        default: throw Self.unknownProperty(name)
        }
    }

    private func interface(_ name: String) throws(BusError) -> MPRISInterface.Name {
        guard let interface = MPRISInterface.Name(rawValue: name), interfaces.contains(interface)
        else {
            throw BusError(.unknownInterface, "cannot find '\(name)': No such interface")
        }
        return interface
    }

    /// The property `name`; without an interface, the first property of that name.
    private func property(
        _ name: String, in interface: String
    ) throws(BusError) -> (MPRISInterface.Property, MPRISInterface.Name) {
        let interfaces = interface.isEmpty ? interfaces : [try self.interface(interface)]
        for interface in interfaces {
            if let property = MPRISInterface.named(interface).properties.first(where: {
                $0.name == name
            }) {
                return (property, interface)
            }
        }
        throw Self.unknownProperty(name)
    }

    private static func unknownProperty(_ name: String) -> BusError {
        BusError(.unknownProperty, "cannot find \(name): No such property")
    }

    // MARK: Methods

    private func reaction(
        to call: BusCall, of interface: MPRISInterface
    ) throws(BusError) -> CallReaction {
        guard let method = interface.methods.first(where: { $0.name == call.member }) else {
            throw Self.unknownMethod(call)
        }
        try Self.check(call, method.signature)
        let arguments = call.arguments ?? []
        return switch interface.name {
        case .root: call.member == "Quit" && canQuit ? .perform(.quit) : .answer([])
        case .player: playerReaction(to: call.member, arguments)
        case .trackList: try trackListReaction(to: call.member, arguments)
        case .playlists: try playlistsReaction(to: call.member, arguments)
        }
    }

    /// A command that is impossible now has no effect, as the specification requires; the player
    /// itself reports why it cannot play.
    private func playerReaction(to method: String, _ arguments: [BusValue]) -> CallReaction {
        switch (method, arguments.first, arguments.last) {
        case ("Next", _, _): canGoNext ? .perform(.player(.next)) : .answer([])
        case ("Previous", _, _): canGoPrevious ? .perform(.player(.previous)) : .answer([])
        case ("Pause", _, _): canPause ? .perform(.player(.pause)) : .answer([])
        case ("PlayPause", _, _): .perform(.player(.toggle))
        case ("Stop", _, _): .perform(.player(.stop))
        case ("Play", _, _): .perform(.player(.resume))
        case ("Seek", .int64(let offset)?, _):
            canSeek ? .perform(.seek(by: offset)) : .answer([])
        case ("SetPosition", .objectPath(let id)?, .int64(let position)?):
            canReach(position, of: id) ? .perform(.setPosition(position)) : .answer([])
        case ("OpenUri", .string(let url)?, _): .perform(.open(url: url))
        default: .answer([])
        }
    }

    /// Returns true if `id` is still the current track, and `position` lies within it.
    private func canReach(_ position: Int64, of id: String) -> Bool {
        guard canSeek, let track, track.id == id, position >= 0 else { return false }
        return track.length.map { position <= $0 } ?? true
    }

    private func trackListReaction(
        to method: String, _ arguments: [BusValue]
    ) throws(BusError) -> CallReaction {
        let tracks = tracks ?? []
        switch (method, arguments.first) {
        case ("GetTracksMetadata", .array(_, let paths)?):
            let wanted = Set(paths)
            let found = tracks.filter { wanted.contains(.objectPath($0.id)) }
            return .answer([.array(of: "a{sv}", found.map(\.value))])
        case ("AddTrack", .string(let url)?):
            guard case .objectPath(let after) = arguments[1],
                case .boolean(let becomesCurrent) = arguments[2]
            else { return .answer([]) }
            return .perform(
                .addTrack(
                    url: url, after: after == TrackMetadata.noTrack ? nil : after,
                    becomesCurrent: becomesCurrent))
        case ("RemoveTrack", .objectPath(let id)?): return .perform(.removeTrack(id))
        case ("GoTo", .objectPath(let id)?): return .perform(.goTo(track: id))
        default: return .answer([])
        }
    }

    private func playlistsReaction(
        to method: String, _ arguments: [BusValue]
    ) throws(BusError) -> CallReaction {
        switch (method, arguments.first) {
        case ("ActivatePlaylist", .objectPath(let id)?): return .perform(.activatePlaylist(id))
        case ("GetPlaylists", .uint32(let index)?):
            guard case .uint32(let count) = arguments[1], case .string(let word) = arguments[2],
                case .boolean(let isReverse) = arguments[3]
            else { return .answer([]) }
            guard let ordering = PlaylistOrdering(rawValue: word) else {
                let words = PlaylistOrdering.allCases.map(\.rawValue).joined(separator: ", ")
                throw BusError(
                    .invalidArguments, "cannot order by '\(word)': It is one of \(words)")
            }
            let sorted = ordering.sorted(playlists ?? [])
            let list = (isReverse ? sorted.reversed() : sorted).dropFirst(Int(index))
                .prefix(Int(count))
            return .answer([.array(of: "(oss)", list.map(\.value))])
        default: return .answer([])
        }
    }
}
