import Glibc
import UndersongControl
import UndersongLocation
import UndersongTransfers

/// Answers the methods of one topic.
protocol RequestService: Sendable {
    typealias Perform =
        @Sendable (Self, ControlRequest, ControlConnection) throws(ControlError) -> ControlReply

    /// By name.
    static var methods: [String: Perform] { get }

    /// A connection has ended.
    func closed(_ connection: ControlConnection)
}

extension RequestService {
    /// The answer to a request; nil if it is about something else.
    func answer(
        _ request: ControlRequest, from connection: ControlConnection
    ) -> Result<ControlReply, ControlError>? {
        guard let method = Self.methods[request.method] else { return nil }
        do throws(ControlError) {
            return .success(try method(self, request, connection))
        } catch {
            return .failure(error)
        }
    }
}

/// Looks at what clients send. The errors begin with `purpose`.
enum Check {
    static func url(_ url: String, _ purpose: String) throws(ControlError) {
        guard TransferURL(url) == nil else { return }
        throw ControlError(.invalidParams, purpose + "It is not a valid HTTP or HTTPS URL")
    }

    static func request(
        _ method: String, _ fields: [SessionTask.Field], _ purpose: String
    ) throws(ControlError) {
        guard SessionTask.isName(method),
            fields.allSatisfy({ SessionTask.isName($0.name) && SessionTask.isValue($0.value) })
        else { throw ControlError(.invalidParams, purpose + "Its method or a field is malformed") }
    }

    /// The answer to a challenge: a credential has a name without a colon, and a password.
    static func answer(_ answer: ChallengeAnswer, _ purpose: String) throws(ControlError) {
        guard answer.action == .credential else { return }
        guard let user = answer.user, let password = answer.password, !user.contains(":"),
            !(user + password).utf8.contains(0)
        else {
            throw ControlError(
                .invalidParams, purpose + "A credential has a name without a colon, and a password")
        }
    }

    /// A program that is started later, with its arguments.
    static func launch(_ command: [String], _ purpose: String) throws(ControlError) {
        guard let program = command.first, program.hasPrefix("/"), command.count <= 100,
            command.allSatisfy({ !$0.utf8.contains(0) && $0.utf8.count <= 4096 })
        else {
            throw ControlError(
                .invalidParams,
                purpose + "A program to launch is an absolute path and 99 arguments at most")
        }
    }

    /// The source: a gpsd has the name of a host, and a port.
    static func source(_ source: LocationSourceChoice) throws(ControlError) {
        guard let fault = source.fault else { return }
        throw ControlError(.invalidParams, "cannot watch \(source.rawValue): \(fault)")
    }

    /// The file that came with a request, which is the caller's to close.
    static func file(
        _ descriptors: PassedDescriptors, isRead: Bool, _ purpose: String
    ) throws(ControlError) -> Int32 {
        guard let file = descriptors.takeFirst() else {
            throw ControlError(.invalidParams, purpose + "No file came with the request")
        }
        let mode = fcntl(file, F_GETFL) & O_ACCMODE
        guard mode == O_RDWR || (mode == O_WRONLY && !isRead) else {
            Glibc.close(file)
            let verb = isRead ? "read and written" : "written"
            throw ControlError(.invalidParams, purpose + "The file cannot be \(verb)")
        }
        return file
    }
}
