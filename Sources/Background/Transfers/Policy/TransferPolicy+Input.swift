package import UndersongBackground

extension TransferPolicy {
    /// What has happened.
    package enum Input: Sendable {
        /// The records that the last process has left. `isSameBoot`: the machine has not been
        /// started since.
        case restored([TransferTask], isSameBoot: Bool)
        /// A transfer is asked for, with `nextID`. In the background it is discretionary, whatever
        /// the request says (J7).
        case add(TransferRequest, isResumed: Bool, isBackground: Bool)
        case pause(Int)
        case resume(Int)
        case cancel(Int)
        /// One that has failed or was cancelled is to begin again with what is there.
        case retry(Int)
        /// One that is over is to be forgotten.
        case remove(Int)
        case session(SessionInput)
        case conditions(MachineState)
        /// The user has come to the foreground.
        case foreground
        case response(Int, ResponseHead)
        /// So many bytes of the part have reached the disk.
        case stored(Int, Int64)
        case ended(Int, Ending)
        case verified(Int, Verification)
        case placed(Int, Result<String, TransferFailure>)
        /// The player has answered `join`.
        case answered(Int, QueueAnswer)
        /// `nextDue` has come.
        case tick
    }

    /// How a request has ended. Every byte that was written has reached the disk.
    package enum Ending: Hashable, Sendable {
        /// The body is complete, and the part has this length.
        case complete(Int64)
        /// The connection failed when the part had this length.
        case lost(String, Int64)
        /// HTTP/2 failed.
        case lostHTTP2(String, Int64)
        case failed(TransferFailure)
        /// There was no room for a byte after this length.
        case diskFull(Int64)
    }

    /// What became of a complete part.
    package enum Verification: Hashable, Sendable {
        /// It is good, on the file system of its destination, and on the disk.
        case prepared(PreparedFile)
        case failed(TransferFailure)
        /// There was no room to copy it to its file system.
        case diskFull
    }
}

extension TransferPolicy.Ending {
    /// The length of the part, where it is known.
    var length: Int64? {
        switch self {
        case .complete(let length), .lost(_, let length), .lostHTTP2(_, let length),
            .diskFull(let length):
            length
        case .failed: nil
        }
    }
}
