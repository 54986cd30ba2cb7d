import UndersongBackground
import UndersongBase

/// The requests of a connector to a distributor, in either version of its interface.
enum DistributorRequest {
    private static let path = "/org/unifiedpush/Distributor"

    /// A request to register the process with the name `service`; nil without a distributor.
    static func registration(
        _ registration: UnifiedPushRegistration, _ version: UnifiedPush.Version, service: String,
        description: String
    ) -> BusRequest? {
        let token = registration.token
        switch version {
        case .one:
            return request(
                "Register", registration, version,
                [.string(service), .string(token), .string(description)])
        case .two:
            var members: [String: BusValue] = [
                "service": .string(service), "token": .string(token),
                "description": .string(description),
            ]
            if let vapid = registration.vapid { members["vapid"] = .string(vapid) }
            return request("Register", registration, version, [.dictionary(members)])
        }
    }

    /// A request to end a registration; nil without a distributor.
    static func end(of registration: UnifiedPushRegistration) -> BusRequest? {
        let version = registration.version ?? .two
        let token = BusValue.string(registration.token)
        return request(
            "Unregister", registration, version,
            version == .one ? [token] : [.dictionary(["token": token])])
    }

    private static func request(
        _ member: String, _ registration: UnifiedPushRegistration, _ version: UnifiedPush.Version,
        _ arguments: [BusValue]
    ) -> BusRequest? {
        registration.distributor.map { distributor in
            BusRequest(
                service: distributor, path: path,
                interface: "org.unifiedpush.Distributor\(version.rawValue)", member: member,
                arguments, startsService: member == "Register")
        }
    }

    /// Returns a distributor's answer to a request for registration.
    static func answer(
        _ result: Result<[BusValue], BusError>, _ version: UnifiedPush.Version
    ) -> UnifiedPushConnector.Answer {
        switch result {
        case .failure(let error):
            if error.isAny(of: .unknownMethod, .unknownInterface, .unknownObject) {
                return .unknownInterface
            }
            // What looks for the method by its name only, finds the other version's.
            if version == .two, error.isAny(of: .invalidArguments) { return .unknownInterface }
            if error.isAny(of: .serviceUnknown, .nameHasNoOwner) { return .noService }
            return .invalid("\(error.name): \(error.message)")
        case .success(let values):
            let members = values.first?.members
            let word = version == .one ? values.first?.text : members?["success"]?.text
            let reason = version == .one ? values.dropFirst().first?.text : members?["reason"]?.text
            switch word {
            // The word of version 1 before D-Bus 0.3.
            case "REGISTRATION_SUCCEEDED", "NEW_ENDPOINT": return .accepted
            case "REGISTRATION_FAILED": return .refused(reason ?? "")
            default: return .invalid("The answer is not one of UnifiedPush")
            }
        }
    }
}
