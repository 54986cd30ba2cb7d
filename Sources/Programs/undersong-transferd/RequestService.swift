import Glibc
import UndersongControl
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
        throw ControlError(.invalidParams, purpose + "It is not a valid URL of HTTP or HTTPS")
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

    /// Where a gpsd listens.
    static func gpsd(host: String, port: Int) throws(ControlError) {
        let purpose = "cannot watch gpsd at \(host): "
        let isName =
            !host.isEmpty && host.utf8.count <= 255
            && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        guard isName else {
            throw ControlError(.invalidParams, purpose + "It is not a host's name")
        }
        guard 1...65535 ~= port else {
            throw ControlError(.invalidParams, purpose + "A port is from 1 to 65535")
        }
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
