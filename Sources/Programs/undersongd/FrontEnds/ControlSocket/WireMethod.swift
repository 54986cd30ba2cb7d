import Glibc
import UndersongBase
import UndersongControl

/// A method of the wire: its name, and how to answer a request by use cases.
struct WireMethod: Sendable {
    /// The origin of a request.
    struct Origin: Sendable {
        /// The client that sent the request.
        let client: SocketClient
        /// The descriptors sent with the request.
        let descriptors: PassedDescriptors

        /// The bytes of the next file that came with the request; nil if there is none.
        func nextFile(limit: Int, to purpose: String) throws(ServiceError) -> [UInt8]? {
            guard let descriptor = descriptors.takeFirst() else { return nil }
            defer { close(descriptor) }
            do throws(FileContent.Problem) {
                return try FileContent.bytes(of: descriptor, limit: limit)
            } catch {
                throw ServiceError(.invalidValue, purpose, error.description)
            }
        }
    }

    /// All methods, the same as in `Documentation/protocol/control.schema.json`.
    static let all =
        playing + queue + settings + reports + host + events
        + PlayerService.featureTypes.flatMap { $0.methods }

    /// The methods by name.
    static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The name of the method on the wire.
    let name: String
    /// The type of its parameters.
    let call: any ControlCall.Type
    /// Decodes a request, performs it, and encodes the reply. Throws if the parameters do not fit
    /// the method, or if the request fails.
    let answer:
        @Sendable (isolated ControlFrontEnd, ControlRequest, SocketClient)
            async throws(ControlError) -> ControlReply

    /// Creates a method whose calls are performed by `perform`.
    init<Call: ControlCall>(
        _ type: Call.Type,
        _ perform:
            @escaping @Sendable (isolated ControlFrontEnd, Call, Origin) async throws(ServiceError)
            -> Call.Reply
    ) {
        name = type.method
        call = type
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
