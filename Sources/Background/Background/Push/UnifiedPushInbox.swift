import UndersongBase

/// The messages of UnifiedPush that have come, until the pushes in them are taken.
///
/// They are decrypted and delivered one at a time, in their order, and each until it is taken: only
/// then is it acknowledged, so that the distributor sends again what a crash has lost. A message
/// that cannot be read is acknowledged, too, once that is reported, since it would not improve by
/// being sent again.
struct UnifiedPushInbox: Sendable {
    /// The maximum number of waiting messages; more are refused.
    static let limit = 64

    private struct Entry: Sendable {
        var identifier: String
        /// The encrypted message, and the keys that it was encrypted for; later ones may have taken
        /// their place.
        var sealed: (message: UnifiedPushConnector.Message, keys: UnifiedPushRegistration.Keys)?
        /// The calls that wait for it.
        var calls: [Int] = []
        /// The content to deliver; nil before it is decrypted.
        var content: PushContent?
    }

    /// The number of messages that could not be read.
    private(set) var refusedCount = 0
    /// The reason the last of them could not.
    private(set) var lastRefusal: String?
    /// The time at which the first push is delivered again; nil if it need not be.
    private(set) var retryTime: Double?
    private var retryDelays = Backoff(seconds: 2...300)
    private var entries: [Entry] = []

    typealias Effect = UnifiedPushConnector.Effect

    /// Forgets the calls, which have ended with the bus; their messages stay.
    mutating func loseCalls() {
        for index in entries.indices { entries[index].calls = [] }
    }

    /// Handles an input about messages.
    mutating func handle(
        _ input: UnifiedPushConnector.Input, _ registration: UnifiedPushRegistration?,
        at now: Double, _ effects: inout [Effect]
    ) {
        switch input {
        case .message(let message): arrived(message, registration, &effects)
        case .opened(let identifier, let result):
            guard entries.first?.identifier == identifier else { return }
            switch result {
            case .success(let payload): entries[0].content = .payload(payload)
            case .failure(let unreadable):
                note(unreadable.reason, &effects)
                entries[0].content = .refused(unreadable.reason)
            }
            begin(&effects)
        case .taken(let identifier):
            guard entries.first?.identifier == identifier else { return }
            finish(&effects)
        case .notTaken(let identifier):
            guard entries.first?.identifier == identifier else { return }
            retryTime = now + retryDelays.next()
        case .timePassed:
            guard let time = retryTime, time <= now else { return }
            retryTime = nil
            begin(&effects)
        default: break
        }
    }

    /// Has it reported that messages may be missing, after the messages that have come.
    mutating func report(missing identifier: String, _ effects: inout [Effect]) {
        guard index(of: identifier) == nil else { return }
        append(Entry(identifier: identifier, content: .missing), &effects)
    }

    private func index(of identifier: String) -> Int? {
        entries.firstIndex { $0.identifier == identifier }
    }

    private mutating func arrived(
        _ message: UnifiedPushConnector.Message, _ registration: UnifiedPushRegistration?,
        _ effects: inout [Effect]
    ) {
        let calls = message.call.map { [$0] } ?? []
        guard let registration, message.token == registration.token else {
            effects += calls.map { .refuse($0, "The token is not known") }
            return
        }
        guard (1...UnifiedPush.messageLimit).contains(message.bytes.count) else {
            let reason =
                "it has \(message.bytes.count) bytes instead of 1 to "
                + "\(UnifiedPush.messageLimit)"
            note(reason, &effects)
            effects += calls.map { .refuse($0, "cannot accept the message: \(reason)") }
            guard entries.count < Self.limit, index(of: message.identifier) == nil else { return }
            let entry = Entry(identifier: message.identifier, content: .refused(reason))
            return append(entry, &effects)
        }
        if let index = index(of: message.identifier) {
            entries[index].calls += calls
        } else if entries.count >= Self.limit {
            note("\(Self.limit) messages are waiting", &effects)
            effects += calls.map { .refuse($0, "Too many messages are waiting") }
        } else {
            let sealed = (message, registration.keys)
            append(
                Entry(identifier: message.identifier, sealed: sealed, calls: calls), &effects)
        }
    }

    private mutating func append(_ entry: Entry, _ effects: inout [Effect]) {
        entries.append(entry)
        if entries.count == 1 { begin(&effects) }
    }

    /// Decrypts the first one, or delivers its content.
    private func begin(_ effects: inout [Effect]) {
        guard let first = entries.first else { return }
        if let content = first.content {
            effects.append(.deliver(first.identifier, content))
        } else if let (message, keys) = first.sealed {
            effects.append(.open(message, keys))
        }
    }

    private mutating func note(_ reason: String, _ effects: inout [Effect]) {
        refusedCount += 1
        // A flood of them fills no log.
        guard reason != lastRefusal else { return }
        lastRefusal = reason
        effects.append(.log("cannot accept a message of UnifiedPush: \(reason)"))
    }

    /// Acknowledges the first message, and begins with the next one.
    private mutating func finish(_ effects: inout [Effect]) {
        effects += entries.removeFirst().calls.map { .accept($0) }
        retryTime = nil
        retryDelays.reset()
        begin(&effects)
    }
}
