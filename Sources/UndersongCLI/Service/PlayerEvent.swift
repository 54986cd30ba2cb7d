/// What the client looks at of an event, as `Resources/events.schema.json` describes it.
struct PlayerEvent: Codable {
    /// A time, of which the seconds are enough here.
    struct Time: Codable {
        var seconds: Double
    }

    /// A device of the sound server.
    struct Device: Codable {
        var description: String
        var port: String
    }

    /// An item of the queue.
    struct Entry: Codable {
        var title: String
    }

    var event: String
    var place: Int?
    var state: String?
    var status: String?
    var reason: String?
    var change: String?
    var title: String?
    var duration: Time?
    var position: Time?
    var seconds: Double?
    var count: Int?
    var items: [Entry]?
    var volume: Double?
    var muted: Bool?
    var rate: Double?
    var message: String?
    var type: String?
    var source: String?
    var by: String?
    var shouldResume: Bool?
    var deviceSilent: Bool?
    var previous: Device?
    var route: Device?

    /// The item's time in seconds, of events that tell it.
    var time: Double? { event == "time" ? seconds : position?.seconds }
}
