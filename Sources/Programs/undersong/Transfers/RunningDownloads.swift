import Dispatch
import Synchronization
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
        let answer = Answer()
        let hasCome = DispatchSemaphore(value: 0)
        client.send(ListTransfers(open: true, limit: limit)) { result in
            answer.list.withLock { $0 = try? result.get() }
            hasCome.signal()
        }
        _ = hasCome.wait(timeout: .now() + patience)
        client.close()
        return answer.list.withLock { $0 }.map { .success($0) } ?? .failure(.silent)
    }

    private final class Answer: Sendable {
        let list = Mutex<TransferList?>(nil)
    }
}
