import UndersongBase

extension UnifiedPushConnector {
    /// A message as the distributor has sent it.
    package struct Message: Sendable {
        /// The token of its registration.
        package var token: String
        /// The bytes, encrypted.
        package var bytes: [UInt8]
        /// The identifier that distinguishes it from other messages, also when it is sent again.
        package var identifier: String
        /// The call that waits for an answer; nil for none.
        package var call: Int?

        package init(token: String, bytes: [UInt8], identifier: String, call: Int?) {
            self.token = token
            self.bytes = bytes
            self.identifier = identifier
            self.call = call
        }
    }

    /// The answers of a distributor to a request for registration.
    package enum Answer: Hashable, Sendable {
        /// The request is accepted; the endpoint follows.
        case accepted
        /// It is not, with the distributor's reason.
        case refused(String)
        /// The distributor does not have this version of the interface.
        case unknownInterface
        /// The distributor is not there.
        case noService
        /// The call has failed, or the answer is invalid.
        case invalid(String)
    }

    /// An event for the connector.
    package enum Input: MachineInput {
        /// The bus is connected.
        case busCame
        /// The bus was lost, and with it all unanswered calls.
        case busWent
        /// The bus has given this process its name, or not.
        case named(Bool)
        /// The name on the bus has become free.
        case nameIsFree
        /// The names of the distributors that are running, and of those that the bus can start.
        case distributors(running: [String], startable: [String])
        /// A distributor has started or ended.
        case distributor(String, isRunning: Bool)
        /// The registration is on the disk, or is not, and why.
        case kept(String?)
        /// A new token and new keys; nil if they cannot be made.
        case renewed(UnifiedPushRegistration?)
        /// The distributor has answered the request with this number.
        case answered(Int, Answer)
        /// Messages for this registration are to be sent there.
        case endpoint(String, token: String, call: Int?)
        /// A message has come.
        case message(Message)
        /// A message was decrypted, or cannot be, and why.
        case opened(String, Result<[UInt8], Unreadable>)
        /// The delivered message was accepted, or refused for good.
        case taken(String)
        /// It could not be delivered now.
        case notTaken(String)
        /// The distributor has ended the registration with this token, which is empty for one that
        /// was asked to end it.
        case unregistered(token: String, call: Int?)
        /// The machine has slept, or has another network.
        case awoke
        /// `nextDue` is reached.
        case timePassed
    }

    /// The reason a message cannot be read.
    package struct Unreadable: Error, Hashable, Sendable {
        package var reason: String

        package init(_ reason: String) { self.reason = reason }
    }

    /// An action to perform.
    package enum Effect: Hashable, Sendable {
        /// Request this process's name on the bus, and report `named`.
        case requestName
        /// Find distributors, and report them, and from now on each that starts or ends.
        case findDistributors
        /// Make a new token and new keys, and report `renewed`.
        case renew
        /// Write the registration to the disk, and report `kept`.
        case keep(UnifiedPushRegistration)
        /// Ask the distributor for a registration by this version of its interface, and report
        /// `answered` with the number.
        case register(UnifiedPushRegistration, UnifiedPush.Version, Int)
        /// Answer a call: its content was accepted.
        case accept(Int)
        /// Answer a call: it is refused, and why.
        case refuse(Int, String)
        /// Decrypt a message with the keys of the registration, and report `opened`.
        case open(Message, UnifiedPushRegistration.Keys)
        /// Hand this on, and report `taken` or `notTaken`.
        case deliver(String, PushContent)
        /// Write a trouble into the log.
        case log(String)
    }
}

extension UnifiedPushConnector.Message: Hashable {}
