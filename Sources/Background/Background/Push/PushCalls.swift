package import UndersongBase

/// Sends a remote notification. The reply comes when it is on the disk.
package struct SendPush: ControlCall {
    package typealias Reply = PushReceipt
    package static let method = "push.send"
    /// The text of a JSON object with `aps`, 4096 bytes at most. It is a string so that no reader of
    /// JSON changes a byte of it.
    package var payload: String
    /// The token of the service; nil to leave out the check.
    package var token: String?
    /// The topic, 255 bytes at most; nil for the payload's `Simulator Target Bundle`, or the service
    /// itself.
    package var topic: String?
    /// The sender's identifier, by which a repetition is recognized; nil for one of the service's.
    package var id: String?
    /// The type, as in the header `apns-push-type`; nil to derive it from the payload.
    package var type: PushType?
    /// True if it needs no wake of the throttle.
    package var now: Bool?

    package init(_ payload: String, topic: String? = nil, id: String? = nil) {
        self.payload = payload
        self.topic = topic
        self.id = id
    }
}

/// Returns the token by which senders name this service.
package struct GetPushToken: ControlCall {
    package typealias Reply = PushToken
    package static let method = "push.token"

    package init() {}
}

/// Returns which pushes wait and why, and how many there were.
package struct GetPushStatus: ControlCall {
    package typealias Reply = PushStatus
    package static let method = "push.status"

    package init() {}
}

/// Sets the origin of pushes besides the socket.
package struct SetPushProvider: ControlCall {
    package typealias Reply = PushStatus
    package static let method = "push.setProvider"
    /// The origin.
    package var source: PushSource

    package init(_ source: PushSource) { self.source = source }
}

/// Makes this connection a program that handles pushes, until it closes. A program that has named
/// the topic of a push comes first, then the one that registered last.
package struct RegisterForPushes: ControlCall {
    package typealias Reply = PushToken
    package static let method = "push.register"
    /// The topics to handle; nil for all.
    package var topics: [String]?

    package init(topics: [String]? = nil) { self.topics = topics }
}

/// Lets this connection handle no more pushes.
package struct UnregisterForPushes: ControlCall {
    package typealias Reply = Nothing
    package static let method = "push.unregister"

    package init() {}
}

/// Answers `push.received`.
package struct AnswerPush: ControlCall {
    package typealias Reply = Nothing
    package static let method = "push.answer"
    /// The number of the push.
    package var push: Int
    /// The result.
    package var result: PushResult

    package init(_ push: Int, _ result: PushResult) {
        self.push = push
        self.result = result
    }
}

/// Reports that pushes may have been lost before they came here. All feeds are read instead, by a
/// push of the service's own, for which the reply is.
package struct ReportMissingPushes: ControlCall {
    package typealias Reply = PushReceipt
    package static let method = "push.reportMissing"
    /// The provider's identifier for this occasion.
    package var id: String

    package init(id: String) { self.id = id }
}

/// Reports that a message was refused before it came here, since it is not a push.
package struct ReportRefusedPush: ControlCall {
    package typealias Reply = Nothing
    package static let method = "push.reportRefused"
    /// The reason, as a sentence.
    package var reason: String

    package init(reason: String) { self.reason = reason }
}

/// A push for a program that has registered. It has to answer within `timeRemaining` seconds.
package struct PushReceived: ControlNotice {
    package static let method = "push.received"
    /// The service's number for the push. After a crash of the program or the service before the
    /// answer, the same push comes again with the same number.
    package var push: Int
    /// The topic.
    package var topic: String
    /// The payload's text, byte for byte as it was sent.
    package var userInfo: String
    /// The seconds to handle it.
    package var timeRemaining = PushMailbox.handlingTime
    /// The number of times that it was given to a program, this one included.
    package var attempt: Int

    package init(_ push: Push) {
        self.push = push.number
        topic = push.topic
        userInfo = push.payload.text
        attempt = push.attempts
    }
}

/// The program's time for a push is over; its answer counts no more.
package struct PushExpired: ControlNotice {
    package static let method = "push.expired"
    /// The number of the push.
    package var push: Int

    package init(push: Int) { self.push = push }
}

// MARK: With `undersong-transferd`

/// Has `undersong-transferd` listen for pushes at one place, from now on and in later processes, and
/// hand them on to the session's player.
package struct ListenForPushes: ControlCall {
    package typealias Reply = PushListening
    package static let method = "push.listen"
    /// The place.
    package var source: PushSource

    package init(to source: PushSource) { self.source = source }
}

/// Returns the state of the registration with a distributor of UnifiedPush.
package struct GetPushListening: ControlCall {
    package typealias Reply = PushListening
    package static let method = "push.listening"

    package init() {}
}

/// The way in which `undersong-transferd` listens for pushes.
package struct PushListening: Codable, Hashable, Sendable {
    /// The registration with a distributor of UnifiedPush; nil if there is to be none.
    package var subscription: UnifiedPushStatus?

    package init(subscription: UnifiedPushStatus? = nil) { self.subscription = subscription }
}
