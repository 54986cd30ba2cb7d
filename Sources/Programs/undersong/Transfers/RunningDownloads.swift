import UndersongControl
import UndersongTransferClient
import UndersongTransfers

/// Asks the program that transfers a session's files, without starting it.
enum RunningDownloads {
    /// Why it cannot be asked.
    enum Trouble: Error {
        case notRunning
        /// It runs, and does not answer.
        case silent
    }

    /// Seconds to wait for the answer.
    private static let patience = 2.0

    /// The first downloads that are not over, and how many there are.
    static func list(
        session: String, runtimeFolder: String, stateFolder: String?, limit: Int
    ) -> Result<TransferList, Trouble> {
        let location = TransferLocation(
            session: session, runtimeFolder: runtimeFolder, stateFolder: stateFolder,
            searchPath: nil)
        guard let client = try? location.connectToRunning(name: "undersong why") else {
            return .failure(.notRunning)
        }
        defer { client.close() }
        let list = awaitAnswer(within: patience) {
            client.send(ListTransfers(open: true, limit: limit), $0)
        }
        return list.map { .success($0) } ?? .failure(.silent)
    }
}
