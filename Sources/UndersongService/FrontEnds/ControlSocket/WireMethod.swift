import Control
import PlayerService

/// One method of the wire: its name, the type of its parameters and of its answer, and the use cases
/// that make the one of the other.
struct WireMethod: Sendable {
    /// What a request brings beside its parameters.
    struct Origin: Sendable {
        /// Who asks.
        let client: SocketClient
        /// What came with the request.
        let descriptors: PassedDescriptors
    }

    /// Every method that there is. `Resources/control.schema.json` has the same.
    static let all = playing + queue + settings + reports + host + events

    /// The methods by their names.
    static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// What it is called on the wire.
    let name: String
    /// Reads a request of it, has it done, and writes the answer. Errors: the parameters are not the
    /// method's, or it could not be done.
    let answer:
        @Sendable (isolated ControlFrontEnd, ControlRequest, SocketClient)
            async throws(ControlError) -> ControlReply

    /// Has calls of one type done by `perform`.
    init<Call: ControlCall>(
        _ type: Call.Type,
        _ perform:
            @escaping @Sendable (isolated ControlFrontEnd, Call, Origin) async throws(ServiceError)
            -> Call.Reply
    ) {
        name = type.method
        answer = { frontEnd, request, client throws(ControlError) in
            let call = try request.decode(type)
            let origin = Origin(client: client, descriptors: request.descriptors)
            do throws(ServiceError) {
                return ControlReply(try await perform(frontEnd, call, origin))
            } catch {
                throw ControlError(error)
            }
        }
    }
}

extension ControlError {
    fileprivate init(_ error: ServiceError) {
        let code: Code =
            switch error.code {
            case .invalidValue: .invalidParams
            case .notFound: .notFound
            case .notPossible: .notPossible
            }
        self.init(code, error.description)
    }
}
