import Control
import Glibc
import Transfers

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
        throw ControlError(.invalidParams, purpose + "It is not a valid URL of HTTP or HTTPS")
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
