import UndersongBase

/// The part of a push's payload that is for people, in `aps`. Of a text that is to be localized, it has
/// the key.
package struct PushAlert: Hashable, Sendable {
    package var title: String?
    package var subtitle: String?
    package var body: String?
    /// The badge that the push sets, not below 0; nil to leave the badge.
    package var badge: Int?
    package var hasSound: Bool
    /// The category of the notification.
    package var category: String?
    /// The urgency: of an alert according to its `interruption-level`, low without one.
    package var urgency: PushUrgency

    package init(_ payload: PushPayload) {
        let aps = JSONObject(payload.bytes)?.object("aps")
        let alert = aps?.object("alert")
        title = alert?.text("title", "title-loc-key")
        subtitle = alert?.text("subtitle", "subtitle-loc-key")
        body = aps?.text("alert") ?? alert?.text("body", "loc-key")
        badge = aps?.number("badge").flatMap { Int(exactly: $0) }.map { max(0, $0) }
        hasSound = aps?.string("sound") != nil || aps?.object("sound") != nil
        category = aps?.string("category")
        urgency =
            switch aps?.string("interruption-level") {
            case "passive": .low
            case "time-sensitive", "critical": .high
            default: payload.isAlert ? .normal : .low
            }
    }

    /// The title, the subtitle and the body in one line; nil if there is nothing to read.
    package var line: String? {
        let parts = [title, subtitle, body].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ": ")
    }
}

extension JSONObject {
    /// The first text of these members that is not empty.
    fileprivate func text(_ names: String...) -> String? {
        names.compactMap { string($0) }.first { !$0.isEmpty }
    }
}
