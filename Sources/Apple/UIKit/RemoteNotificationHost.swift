public import Foundation
import UndersongBackground
import UndersongBase

/// The system's part in pushes.
extension UIApplication.Host {
    /// The reason a payload is not delivered.
    public struct PayloadError: Error, Hashable, Sendable, CustomStringConvertible {
        /// "the payload has no aps object"
        public let description: String
    }

    /// Sets what registering for pushes leads to: a token or an error. An application that waits for
    /// it is notified.
    public func answerRegistration(with answer: Result<Data, any Error>) {
        application.remoteNotifications.answer = answer
        application.reportRegistration()
    }

    /// Delivers a push: its `payload` is a JSON object with an object `aps`, 4096 bytes at most.
    ///
    /// Returns false, and does nothing, if the application has not registered; or if it is in the
    /// background and the payload does not have the number 1 as `content-available`, or the mode
    /// `remote-notification` is not declared. Otherwise `completion` is called once, on any thread,
    /// with the application's result, or with `failed` shortly before its time is over. A second
    /// result is ignored. How often pushes may wake the application is up to the caller.
    @discardableResult
    public func receiveRemoteNotification(
        _ payload: Data,
        completion: @escaping @Sendable (UIBackgroundFetchResult) -> Void = { _ in }
    ) throws(PayloadError) -> Bool {
        let payload = try Self.checked(payload)
        guard application.accepts(payload) else { return false }
        application.deliver(payload, isLaunching: false, completion)
        return true
    }

    /// Launches the application into the background because of a push (A11, A12): the launch methods
    /// come first, with the payload under `LaunchOptionsKey.remoteNotification`, and then the push
    /// once, if the application has registered in them and the payload and the declared modes
    /// permit it. If not, the result is `noData`.
    public func launch(
        forRemoteNotification payload: Data,
        completion: @escaping @Sendable (UIBackgroundFetchResult) -> Void = { _ in }
    ) throws(PayloadError) {
        let payload = try Self.checked(payload)
        let application = application
        application.launch(
            into: .background, options: [.remoteNotification: payload.userInfo], events: nil
        ) {
            guard application.accepts(payload) else { return completion(.noData) }
            application.deliver(payload, isLaunching: true, completion)
        }
    }

    private static func checked(_ payload: Data) throws(PayloadError) -> PushPayload {
        do throws(PushPayload.Problem) {
            return try PushPayload(Array(payload))
        } catch {
            throw PayloadError(description: error.description)
        }
    }
}

extension PushPayload {
    /// All of it, as an application gets it (H2).
    var userInfo: [AnyHashable: Any] { (try? JSONText(bytes))?.userInfo ?? [:] }
}
