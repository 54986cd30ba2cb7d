import ArgumentParser
import Dispatch
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl

/// Begins a task and waits for its end.
struct RefreshWait {
    private let options: SessionOptions

    init(_ options: SessionOptions) { self.options = options }

    /// The last end reported, and what waits for it.
    private final class Ends: Sendable {
        private let ends = Mutex<[RefreshRun]>([])
        private let isLost = Mutex(false)
        private let arrived = DispatchSemaphore(value: 0)

        func receive(_ notice: Notice) {
            switch notice {
            case .refreshEnded(let end): ends.withLock { $0.append(end.run) }
            case .lost: isLost.withLock { $0 = true }
            default: return
            }
            arrived.signal()
        }

        /// The end of `task`; nil if the service has gone.
        func wait(for task: Int) -> RefreshRun? {
            while true {
                if let end = ends.withLock({ $0.first { $0.number == task } }) { return end }
                if isLost.withLock({ $0 }) { return nil }
                arrived.wait()
            }
        }
    }

    /// Sends `call`, waits for the end of the task that it begins, and shows it. Throws an
    /// `ExitCode` unless something is new.
    func run<Call: ControlCall>(_ call: Call, _ purpose: String) throws
    where Call.Reply == RefreshBegun {
        let ends = Ends()
        let service = try options.service(to: purpose) { ends.receive($0) }
        guard let run = ends.wait(for: try service.call(call).task) else {
            throw Failure("cannot \(purpose): The service has gone away")
        }
        options.show(run, RefreshText.end)
        switch run.result {
        case .newData, .done: break
        case .noData: throw ExitCode(1)
        case .failed, .overran, .interrupted, nil: throw ExitCode(2)
        }
    }
}
