public import Dispatch
public import Foundation
package import UndersongAppHost
import UndersongBackground

/// Runs code of the application in the background, at times that suit the user and the machine.
///
/// Any thread may use it. The application declares the background mode and the identifiers (G1),
/// registers a handler for each identifier while it launches, and submits requests, each for one run
/// (G8). The system is the program itself here: it has to report the application's launch, and when
/// it is in the background, by `UIApplication.shared.host` of the module `UIKit`. Nothing runs
/// before the launch.
public final class BGTaskScheduler: NSObject, Sendable {
    /// The scheduler of this process.
    public static let shared = BGTaskScheduler(.shared)

    private let center: RefreshCenter
    /// The queue on which handlers without a queue of their own are called.
    private let queue = DispatchQueue(label: "BGTaskScheduler")

    /// A scheduler by a center of its own, for tests.
    package init(_ center: RefreshCenter) { self.center = center }

    // MARK: Handlers

    /// Registers the handler of a task, before the application has launched (G4): best in
    /// `application(_:didFinishLaunchingWithOptions:)`. Returns false if the identifier is not
    /// permitted.
    ///
    /// `launchHandler` is called on `queue`, or on a serial queue of the scheduler. It keeps the
    /// task until it completes it. It is a mistake of the program, which ends it, to register an
    /// identifier twice, or after the launch.
    @discardableResult
    public func register(
        forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
        launchHandler: @escaping @Sendable (BGTask) -> Void
    ) -> Bool {
        let queue = queue ?? self.queue
        let registration = center.register(identifier) { work in
            queue.async {
                launchHandler(BGTask.make(work))
                work.handlerReturned()
            }
        }
        switch registration {
        case .registered: return true
        case .notPermitted: return false
        case .duplicate:
            fatalError("The task with identifier \(identifier) has a launch handler already")
        case .late:
            fatalError(
                "The launch handler of \(identifier) has to be registered before the application "
                    + "finishes launching")
        }
    }

    // MARK: Requests

    /// Submits a request, in place of one with the same identifier that has not run. It is on the
    /// disk when this returns, where the program keeps requests.
    ///
    /// - Throws: `BGTaskScheduler.Error`.
    public func submit(_ taskRequest: BGTaskRequest) throws {
        do {
            try center.submit(taskRequest.request)
        } catch {
            throw Error(error, identifier: taskRequest.identifier)
        }
    }

    /// Submits a request as `submit(_:)` does, and calls `completionHandler` with nil or the error,
    /// on a queue of the scheduler.
    public func submitTaskRequest(
        _ taskRequest: BGTaskRequest,
        completionHandler: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) {
        let result = Result { try submit(taskRequest) }
        queue.async {
            switch result {
            case .success: completionHandler(nil)
            case .failure(let error): completionHandler(error)
            }
        }
    }

    /// Submits a request as `submit(_:)` does.
    public func submitTaskRequest(_ taskRequest: BGTaskRequest) async throws {
        try submit(taskRequest)
    }

    /// Cancels a request that has not run, if there is one. A task that is running is not affected.
    public func cancel(taskRequestWithIdentifier identifier: String) { center.cancel(identifier) }

    /// Cancels all requests that have not run.
    public func cancelAllTaskRequests() { center.cancelAll() }

    /// Calls `completionHandler` on a queue of the scheduler with copies of all requests that have
    /// not run.
    public func getPendingTaskRequests(
        completionHandler: @escaping @Sendable ([BGTaskRequest]) -> Void
    ) {
        let requests = center.requests
        queue.async { completionHandler(requests.map(BGTaskRequest.make)) }
    }

    /// Copies of all requests that have not run.
    public func pendingTaskRequests() async -> [BGTaskRequest] {
        center.requests.map(BGTaskRequest.make)
    }

    // MARK: Testing

    // swift-format-ignore: AlwaysUseLowerCamelCase, NoLeadingUnderscores
    /// Runs a pending request at once, whatever the obstacles (K3). Apple's debugger has it under
    /// this name.
    public func _simulateLaunchForTaskWithIdentifier(_ identifier: String) {
        guard center.simulateLaunch(identifier) == .noHandler else { return }
        fatalError("The task with identifier \(identifier) has no launch handler")
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase, NoLeadingUnderscores
    /// Expires a task that is running: its expiration handler is called, and it is ended five
    /// seconds later. Apple's debugger has it under this name.
    public func _simulateExpirationForTaskWithIdentifier(_ identifier: String) {
        center.simulateExpiration(identifier)
    }
}
