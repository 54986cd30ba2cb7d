extension NtfyListener {
    /// Something that has happened.
    package enum Input: Sendable {
        /// Bytes of the connection have come. They are taken also when `wantsBytes` is false.
        case bytes([UInt8])
        /// The connection is over, and why.
        case ended(String)
        /// Bytes of what was kept have come. They are taken also when `wantsKeptBytes` is false.
        case keptBytes([UInt8])
        /// All of what was kept has come, or why not.
        case keptEnded(String?)
        /// What was handed on was taken, or refused for good.
        case taken(String)
        /// What was handed on could not be taken now.
        case notTaken(String)
        /// The attachment of a message was fetched; nil if it could not be now.
        case fetched(String, [UInt8]?)
        /// The machine has slept, or has another network: a connection is probably dead.
        case awoke
        /// `nextDue` is reached.
        case timePassed
    }

    /// Something to do.
    package enum Effect: Hashable, Sendable {
        /// Connect for what is published from now on.
        case connect
        /// Ask for what was kept of this time and later ones.
        case ask(since: Int)
        /// Drop the connection, and the answer to `ask`. They do not end by themselves then.
        case disconnect
        /// Hand a payload on, and report `taken` or `notTaken`.
        case handOn(String, [UInt8])
        /// Report that messages may be missing, and then `taken` or `notTaken`.
        case reportMissing(String)
        /// Fetch the payload at this URL, and report `fetched`.
        case fetch(String, url: String)
        /// Keep where to continue.
        case keep(NtfyPlace)
    }

    /// What the listener is doing.
    package enum Phase: Hashable, Sendable {
        /// It is connected, or about to be; the last byte came at this time.
        case listening(lastByte: Double)
        /// It connects again at this time, because of that.
        case waiting(until: Double, because: String)
    }
}
