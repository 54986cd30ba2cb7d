import Foundation
import Glibc
import TestSupport
import UndersongBase
import UndersongControl
import UndersongPlayback
import UndersongTransferClient

/// An `undersong-transferd` of a test's own, in a folder of its own.
final class Network: Sendable {
    let folder: RuntimeFolder
    let location: TransferLocation
    let streams: TransferStreams

    init() throws {
        folder = try RuntimeFolder()
        location = TransferLocation(
            session: "default", runtimeFolder: folder.path, stateFolder: folder.path + "/state",
            program: Program.path(of: "undersong-transferd"), searchPath: nil)
        streams = TransferStreams(
            location, folder: folder.path + "/streams", name: "test", clock: SystemClock())
    }

    deinit { try? kill(by: SIGKILL) }

    /// Ends the program, if it runs.
    func kill(by signal: Int32) throws {
        let path = ControlSocket(
            session: ControlSocket.transfers(of: "default"), runtimeFolder: folder.path
        ).path
        let client = try ControlClient(socket: path, name: "test")
        let process = try client.call(Hello(client: "test")).process
        Glibc.kill(process, signal)
    }
}
