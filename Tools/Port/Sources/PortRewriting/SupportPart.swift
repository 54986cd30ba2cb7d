/// A part of the file that takes the place of selectors: only what is used, since each imports a
/// module.
enum SupportPart: CaseIterable {
    case notifications, keyPaths, names, commands

    /// The file with these parts.
    static func file(of parts: Set<SupportPart>) -> String {
        let used = allCases.filter(parts.contains)
        let imports = Set(used.map(\.module)).union(["Foundation"]).sorted()
        let head = imports.map { "import \($0)\n" }.joined()
        let members = used.map(\.members).joined(separator: "\n")
        let endings = used.compactMap(\.ending).map { "        \($0)\n" }.joined()
        let types = used.compactMap(\.types).joined(separator: "\n")
        return """
            // Made by scripts/port: what takes the place of selectors and string key paths.
            \(head)
            /// The observers and targets of one object. They end with it. Any thread may use it.
            final class ObserverTokens: @unchecked Sendable {
                private let lock = NSLock()

                deinit {
            \(endings)    }

            \(members)}
            \(types)
            """
    }

    private var module: String {
        switch self {
        case .notifications: "Foundation"
        case .keyPaths, .names: "AVFoundation"
        case .commands: "MediaPlayer"
        }
    }

    private var ending: String? {
        switch self {
        case .notifications:
            "for entry in notifications { entry.center.removeObserver(entry.token) }"
        case .keyPaths: "for entry in observations { entry.observation.invalidate() }"
        case .names: nil
        case .commands: "for entry in targets { entry.command.removeTarget(entry.token) }"
        }
    }

    private var members: String {
        switch self {
        case .notifications: Self.notificationMembers
        case .keyPaths: Self.keyPathMembers
        case .names: Self.nameMembers
        case .commands: Self.commandMembers
        }
    }

    private var types: String? { self == .keyPaths ? Self.keyPathTypes : nil }

    private static let notificationMembers = """
            // MARK: Notifications

            private struct Notified {
                let center: NotificationCenter
                let name: Notification.Name?
                let object: ObjectIdentifier?
                let token: any NSObjectProtocol
            }

            private var notifications: [Notified] = []

            /// Calls `handler` on the thread that posts.
            func observe(
                _ center: NotificationCenter, _ name: Notification.Name?, object: Any?,
                _ handler: @escaping (Notification) -> Void
            ) {
                nonisolated(unsafe) let handler = handler
                let token = center.addObserver(forName: name, object: object, queue: nil) {
                    handler($0)
                }
                let identifier = object.map { ObjectIdentifier($0 as AnyObject) }
                lock.withLock {
                    notifications.append(
                        Notified(center: center, name: name, object: identifier, token: token))
                }
            }

            /// Ends what was observed of `center`: all, or what has the name and the object.
            func stopObserving(
                _ center: NotificationCenter, _ name: Notification.Name? = nil, object: Any? = nil
            ) {
                let identifier = object.map { ObjectIdentifier($0 as AnyObject) }
                let ended = lock.withLock {
                    let ended = notifications.filter { entry in
                        entry.center === center && (name == nil || entry.name == name)
                            && (identifier == nil || entry.object == identifier)
                    }
                    notifications.removeAll { entry in ended.contains { $0.token === entry.token } }
                    return ended
                }
                for entry in ended { entry.center.removeObserver(entry.token) }
            }

        """

    private static let keyPathMembers = """
            // MARK: Key paths

            private struct Observed {
                let object: ObjectIdentifier
                let name: String
                let observation: NSKeyValueObservation
            }

            private var observations: [Observed] = []

            /// Calls `handler` with what `observeValue(forKeyPath:of:change:context:)` is passed.
            func observe<Object: NSKeyValueObservation.Observable, Value>(
                _ object: Object?, _ keyPath: KeyPath<Object, Value>, named name: String,
                options: NSKeyValueObservingOptions,
                _ handler: @escaping (Object, [NSKeyValueChangeKey: Any]) -> Void
            ) {
                guard let object else { return }
                let observation = object.observe(keyPath, options: options) { object, change in
                    var values: [NSKeyValueChangeKey: Any] = [
                        .kindKey: NSNumber(value: change.kind.rawValue)
                    ]
                    if options.contains(.new) { values[.newKey] = boxed(change.newValue) }
                    if options.contains(.old) { values[.oldKey] = boxed(change.oldValue) }
                    handler(object, values)
                }
                lock.withLock {
                    observations.append(
                        Observed(
                            object: ObjectIdentifier(object), name: name, observation: observation))
                }
            }

            /// Ends an observation.
            func stopObserving(_ object: AnyObject?, _ name: String) {
                guard let object else { return }
                let identifier = ObjectIdentifier(object)
                lock.withLock {
                    for entry in observations where entry.object == identifier && entry.name == name {
                        entry.observation.invalidate()
                    }
                    observations.removeAll { $0.object == identifier && $0.name == name }
                }
            }

        """

    private static let nameMembers = """
            /// The same for a property that is known by its name only.
            func observe(
                _ object: AVPlayer?, named name: String, options: NSKeyValueObservingOptions,
                _ handler: @escaping (String, AVPlayer, [NSKeyValueChangeKey: Any]) -> Void
            ) {
                let call = { handler(name, $0, $1) }
                switch name {
                case "rate": observe(object, \\.rate, named: name, options: options, call)
                case "status": observe(object, \\.status, named: name, options: options, call)
                case "timeControlStatus": observe(object, \\.timeControlStatus, named: name, options: options, call)
                case "currentItem": observe(object, \\.currentItem, named: name, options: options, call)
                case "reasonForWaitingToPlay": observe(object, \\.reasonForWaitingToPlay, named: name, options: options, call)
                case "volume": observe(object, \\.volume, named: name, options: options, call)
                case "error": observe(object, \\.error, named: name, options: options, call)
                case "muted": observe(object, \\.isMuted, named: name, options: options, call)
                case "currentItem.status": observe(object, \\.currentItem?.status, named: name, options: options, call)
                case "currentItem.duration": observe(object, \\.currentItem?.duration, named: name, options: options, call)
                case "currentItem.loadedTimeRanges": observe(object, \\.currentItem?.loadedTimeRanges, named: name, options: options, call)
                case "currentItem.timedMetadata": observe(object, \\.currentItem?.timedMetadata, named: name, options: options, call)
                case "currentItem.error": observe(object, \\.currentItem?.error, named: name, options: options, call)
                case "currentItem.playbackLikelyToKeepUp": observe(object, \\.currentItem?.isPlaybackLikelyToKeepUp, named: name, options: options, call)
                case "currentItem.playbackBufferEmpty": observe(object, \\.currentItem?.isPlaybackBufferEmpty, named: name, options: options, call)
                case "currentItem.playbackBufferFull": observe(object, \\.currentItem?.isPlaybackBufferFull, named: name, options: options, call)
                default: preconditionFailure("a player has no \\(name) that can be observed")
                }
            }

            /// The same for a property that is known by its name only.
            func observe(
                _ object: AVPlayerItem?, named name: String, options: NSKeyValueObservingOptions,
                _ handler: @escaping (String, AVPlayerItem, [NSKeyValueChangeKey: Any]) -> Void
            ) {
                let call = { handler(name, $0, $1) }
                switch name {
                case "status": observe(object, \\.status, named: name, options: options, call)
                case "duration": observe(object, \\.duration, named: name, options: options, call)
                case "loadedTimeRanges": observe(object, \\.loadedTimeRanges, named: name, options: options, call)
                case "timedMetadata": observe(object, \\.timedMetadata, named: name, options: options, call)
                case "error": observe(object, \\.error, named: name, options: options, call)
                case "playbackLikelyToKeepUp": observe(object, \\.isPlaybackLikelyToKeepUp, named: name, options: options, call)
                case "playbackBufferEmpty": observe(object, \\.isPlaybackBufferEmpty, named: name, options: options, call)
                case "playbackBufferFull": observe(object, \\.isPlaybackBufferFull, named: name, options: options, call)
                default: preconditionFailure("an item has no \\(name) that can be observed")
                }
            }

        """

    private static let keyPathTypes = """

        /// A key of the description of a change.
        struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
            let rawValue: String

            init(rawValue: String) { self.rawValue = rawValue }

            static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
            static let newKey = NSKeyValueChangeKey(rawValue: "new")
            static let oldKey = NSKeyValueChangeKey(rawValue: "old")
        }

        /// A value as the Objective-C runtime passes it: numbers as `NSNumber`, nothing as `NSNull`.
        private func boxed(_ value: Any?) -> Any {
            guard let value else { return NSNull() }
            return switch value {
            case let value as any Wrapping: boxed(value.wrapped)
            case let value as any RawRepresentable: boxed(value.rawValue)
            case let value as CMTime: NSValue(time: value)
            case let value as Bool: NSNumber(value: value)
            case let value as Int: NSNumber(value: value)
            case let value as UInt: NSNumber(value: value)
            case let value as Float: NSNumber(value: value)
            case let value as Double: NSNumber(value: value)
            default: value
            }
        }

        private protocol Wrapping {
            var wrapped: Any? { get }
        }

        extension Optional: Wrapping {
            fileprivate var wrapped: Any? { self }
        }

        """

    private static let commandMembers = """
            // MARK: Remote commands

            private var targets: [(command: MPRemoteCommand, token: Any)] = []

            /// Calls `handler` when the command is sent.
            func addTarget(
                to command: MPRemoteCommand,
                _ handler: @escaping (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus
            ) {
                let token = command.addTarget(handler: handler)
                lock.withLock { targets.append((command, token)) }
            }

            /// Ends what `command` calls.
            func removeTargets(from command: MPRemoteCommand) {
                let ended = lock.withLock {
                    let ended = targets.filter { $0.command === command }
                    targets.removeAll { $0.command === command }
                    return ended
                }
                for entry in ended { entry.command.removeTarget(entry.token) }
            }

        """
}
