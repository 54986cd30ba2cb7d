import Control
import Dispatch
import PlayerService
import TransferClient

/// Has `undersong-transferd` listen for pushes, since this program may not use the network.
final class TransferPushProvider: PushProvider {
    private let location: TransferLocation
    private let isStarter: Bool
    private let calls = DispatchQueue(label: "undersong.pushes")

    /// Without `isStarter` the program is not started: under systemd its socket does that.
    init(_ location: TransferLocation, isStarter: Bool) {
        self.location = location
        self.isStarter = isStarter
    }

    func listen(to source: PushSource) async throws(ServiceError) {
        let url: String? = if case .ntfy(let url) = source { url } else { nil }
        let result = await withCheckedContinuation { continuation in
            calls.async { [self] in continuation.resume(returning: listen(at: url)) }
        }
        try result.get()
    }

    private func listen(at url: String?) -> Result<Void, ServiceError> {
        do throws(ControlError) {
            _ = try connect().call(ListenForPushes(url: url))
            return .success(())
        } catch {
            let parts = error.message.split(separator: ": ", maxSplits: 1)
            let reason = parts.count == 2 ? String(parts[1]) : error.message
            let code: ServiceError.Code =
                error.code == .invalidParams ? .invalidValue : .notPossible
            return .failure(ServiceError(code, "listen for pushes", reason))
        }
    }

    private func connect() throws(ControlError) -> ControlClient {
        let name = "undersongd"
        if isStarter { return try location.connect(name: name) }
        let session = ControlSocket.transfers(of: location.session)
        return try ControlClient(
            socket: ControlSocket.path(session: session, runtimeFolder: location.runtimeFolder),
            name: name)
    }
}
