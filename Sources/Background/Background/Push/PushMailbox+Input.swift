extension PushMailbox {
    /// Something that has happened.
    package enum Input: Sendable {
        /// A provider has brought a push; the ticket stands for the provider's call.
        case arrived(Push, ticket: Int)
        /// A message for this topic was not taken because it is not a push, for this reason.
        case malformed(topic: String, reason: String)
        /// The push with this identifier is on the disk.
        case kept(String)
        /// The push with this identifier could not be kept, and why.
        case notKept(String, reason: String)
        /// A program, or the service itself, has handled a push.
        case answered(Int, by: Int?, PushResult)
        /// A program has registered for pushes of these topics; nil for all.
        case joined(Int, topics: Set<String>?)
        /// A program is no longer registered, or has ended.
        case left(Int)
        /// The host's state, now and whenever it changes.
        case host(isActive: Bool)
        /// The mode `remote-notification` is declared or not, now and whenever that changes.
        case declared(Bool)
        /// The service is shut down by the user.
        case shutDown
        /// `nextDue` is reached.
        case timePassed
    }

    /// Something to do.
    package enum Effect: Hashable, Sendable {
        /// Write the push to the disk, and report `kept` or `notKept`.
        case keep(Push)
        /// Answer the provider's call: the push is taken.
        case accept(Int, PushReceipt)
        /// Answer the provider's call: the push is not taken, and why.
        case refuse(Int, String)
        /// Wake the host, and give the push to this program, or to the service itself.
        case deliver(Push, to: Int?)
        /// The program's time for this push is over.
        case expire(Int, of: Int?)
        /// Write that the push was given once more.
        case saveAttempt(Push)
        /// Write that the push is over, with what was counted up to then; only its identifier stays,
        /// and that of the other one, if there is one, is forgotten.
        case finish(Known, forgetting: Known?, PushStatus.Counts)
        /// Write what is counted, and the state of the throttle.
        case saveRecord
        /// Publish the step.
        case report(PushReport)
    }
}
