public import Foundation
import UndersongAppHost
import UndersongBackground

/// A run in the background, for its launch handler: one of its subclasses. Any thread may use it.
public class BGTask: NSObject, @unchecked Sendable {
    // Unchecked: a class that is inherited from. Its only stored property is constant and Sendable.

    private let work: RefreshWork

    fileprivate init(_ work: RefreshWork) { self.work = work }

    /// Identifies the task, as its request did.
    public var identifier: String { work.task.identifier }

    /// Called once, on the main thread, shortly before the time is over: five seconds. It stops the
    /// work and completes the task. It is nil again from then on, and once the task is completed.
    ///
    /// A task without a handler is completed at that moment, without success and without warning.
    public var expirationHandler: (@MainActor @Sendable () -> Void)? {
        get { work.expirationHandler }
        set { work.expirationHandler = newValue }
    }

    /// Completes the task: the application may be suspended soon after. Only the first call counts.
    ///
    /// The rest of the launch handler, such as the next request, still runs (N1).
    public func setTaskCompleted(success: Bool) {
        work.complete(RefreshCompletion(success ? .done : .failed))
    }

    /// The object for a run.
    static func make(_ work: RefreshWork) -> BGTask {
        work.task.kind == .processing ? BGProcessingTask(work) : BGAppRefreshTask(work)
    }
}

/// A run that looks for new content. It has 30 seconds (G7).
public final class BGAppRefreshTask: BGTask, @unchecked Sendable {}

/// A run for maintenance work (G9). It has half an hour, and ends when the user comes back.
public final class BGProcessingTask: BGTask, @unchecked Sendable {}
