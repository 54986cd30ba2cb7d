import Control

/// A client that is connected: what it said of itself and what it has asked for.
struct ServiceClient {
    let connection: ControlConnection
    /// What it calls itself; nil before its greeting.
    var name: String?
    /// The run that it follows.
    var followedRun: Int?
    /// What it is told of, by the numbers that it knows.
    var subscriptions: [Int: EventSubscription] = [:]
    var lastSubscription = 0
}
