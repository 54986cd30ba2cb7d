/// What the client looks at of an event, as `Resources/events.schema.json` describes it.
struct PlayerEvent: Decodable {
    /// A time, of which the seconds are enough here.
    struct Time: Decodable {
        var seconds: Double
    }

    var event: String
    var place: Int?
    var state: String?
    var status: String?
    var reason: String?
    var change: String?
    var title: String?
    var tags: [String: String]?
    var duration: Time?
    var position: Time?
    var seconds: Double?
    var count: Int?
    var message: String?

    /// The item's time in seconds, of events that tell it.
    var time: Double? { event == "time" ? seconds : position?.seconds }
}
