import CUndersongPulse
import UndersongBackground

/// The form of a session's announcement in its listening client's properties, where other processes
/// read it.
enum SessionProperties {
    private static let identifier = "undersong.session"
    private static let name = "undersong.name"
    private static let isActive = "undersong.active"
    private static let isMixable = "undersong.mixable"
    private static let ducksOthers = "undersong.ducks-others"
    private static let interruptsSpokenAudio = "undersong.interrupts-spoken-audio"
    private static let notifiesOthers = "undersong.notifies-others"
    private static let activationTime = "undersong.activation-time"

    /// Adds `session` to the properties of a client.
    static func write(_ session: SessionAnnouncement, to properties: OpaquePointer) {
        let texts = [
            (identifier, session.identifier), (name, session.name),
            (isActive, text(session.isActive)), (isMixable, text(session.isMixable)),
            (ducksOthers, text(session.ducksOthers)),
            (interruptsSpokenAudio, text(session.interruptsSpokenAudio)),
            (notifiesOthers, text(session.notifiesOthers)),
            (activationTime, String(session.activationTime)),
        ]
        for (key, value) in texts { unsafe pa_proplist_sets(properties, key, value) }
    }

    /// The announcement in a client's properties; nil if there is none.
    static func session(in properties: OpaquePointer?) -> SessionAnnouncement? {
        guard let identifier = unsafe propertyText(properties, identifier) else { return nil }
        func isSet(_ key: String) -> Bool { unsafe propertyText(properties, key) == "1" }
        var session = SessionAnnouncement(
            identifier: identifier, name: unsafe propertyText(properties, name) ?? identifier)
        session.isActive = isSet(isActive)
        session.isMixable = isSet(isMixable)
        session.ducksOthers = isSet(ducksOthers)
        session.interruptsSpokenAudio = isSet(interruptsSpokenAudio)
        session.notifiesOthers = isSet(notifiesOthers)
        session.activationTime =
            unsafe propertyText(properties, activationTime).flatMap(Int64.init) ?? 0
        return session
    }

    private static func text(_ flag: Bool) -> String { flag ? "1" : "0" }
}

/// A text from a property list of the server; nil if there is none.
func propertyText(_ properties: OpaquePointer?, _ key: String) -> String? {
    guard let properties = unsafe properties,
        let text = unsafe pa_proplist_gets(properties, key)
    else { return nil }
    return unsafe String(cString: text)
}
