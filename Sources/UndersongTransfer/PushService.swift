import Control
import Glibc
import TransferIO
import Transfers

/// Answers those who have this program listen for pushes.
final class PushService: Sendable {
    private let engine: PushEngine

    init(_ engine: PushEngine) { self.engine = engine }

    /// Answers the request; returns false if it is not about pushes.
    func answer(
        _ request: ControlRequest,
        reply: @escaping @Sendable (Result<ControlReply, ControlError>) -> Void
    ) -> Bool {
        guard request.method == ListenForPushes.method else { return false }
        do throws(ControlError) {
            let call = try request.decode(ListenForPushes.self)
            if let url = call.url, TransferURL(url) == nil {
                throw ControlError(
                    .invalidParams,
                    "cannot listen for pushes at \(url): Only URLs of HTTP and HTTPS can be")
            }
            engine.listen(to: call.url) { code in
                let text = unsafe String(cString: strerror(code))
                let failure = ControlError(
                    .notPossible, "cannot listen for pushes: The topic cannot be kept: \(text)")
                reply(code == 0 ? .success(ControlReply(Nothing())) : .failure(failure))
            }
        } catch {
            reply(.failure(error))
        }
        return true
    }
}

extension QueueDelivery {
    /// Sends the payload of a message of ntfy to the player's service. `answer` is called once, on a
    /// thread of this object's, with whether it was taken, or refused for good.
    func send(
        push identifier: String, _ payload: [UInt8], log: @escaping @Sendable (String) -> Void,
        _ answer: @escaping @Sendable (Bool) -> Void
    ) {
        deliveries.async { [self] in
            guard let text = String(validating: payload, as: UTF8.self) else {
                log("cannot hand on push \(identifier): Its payload is not UTF-8")
                return answer(true)
            }
            do throws(ControlError) {
                _ = try connect().call(PushCall.send(text, id: "ntfy \(identifier)"))
                answer(true)
            } catch {
                log("cannot hand on push \(identifier): \(error.message)")
                answer(Self.isFinal(error))
            }
        }
    }
}
