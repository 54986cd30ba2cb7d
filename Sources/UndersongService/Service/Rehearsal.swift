import AudioSession
import Control

/// Reads and writes messages that go nowhere, while the service has to wait anyway. What Swift finds
/// out about a type when it is coded for the first time takes 0.1 ms and more, and many are: a client
/// that wants to hear something does not wait for it then.
enum Rehearsal {
    /// The requests with which `undersong play` begins.
    static let requests: [(method: String, params: String)] = [
        (Hello.method, #"{"client":"","protocol":1}"#),
        (Attach.method, #"{"source":"","state":"active"}"#),
        (Subscribe.method, #"{"boundaries":[],"interval":{"timescale":1,"value":1},"kinds":[""]}"#),
        (
            Play.method,
            #"{"files":{"paths":["/"]},"output":{"pulse":{"server":"","cookie":""}},"settings":{}}"#
        ),
    ]

    /// Any thread may call it; it takes some milliseconds.
    static func perform() {
        for (method, params) in requests {
            guard let request = try? ControlRequest(rehearsing: method, params: params) else {
                continue
            }
            _ = try? reply(to: request)
        }
        EventLineEncoder.rehearse()
    }

    /// An answer of the kind that the request gets. Errors: it is none of `requests`.
    static func reply(to request: ControlRequest) throws(ControlError) -> ControlReply {
        switch request.method {
        case Hello.method:
            let call = try request.decode(Hello.self)
            return ControlReply(
                Hello.Reply(protocol: call.protocol, version: "", session: "", process: 0))
        case Attach.method:
            _ = try request.decode(Attach.self)
            return ControlReply(Nothing())
        case Subscribe.method:
            _ = try request.decode(Subscribe.self)
            return ControlReply(Subscribe.Reply(subscription: 0))
        default:
            _ = try request.decode(Play.self)
            return ControlReply(Play.Reply(run: 0))
        }
    }
}
