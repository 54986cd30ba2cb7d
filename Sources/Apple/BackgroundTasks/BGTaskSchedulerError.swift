public import Foundation
import UndersongBackground

extension BGTaskScheduler {
    /// The reason a request was not accepted.
    public struct Error: CustomNSError, Hashable, CustomStringConvertible {
        /// The values are Apple's.
        public enum Code: Int, Hashable, Sendable {
            /// The user has switched background refresh off.
            case unavailable = 1
            /// One refresh, or ten processing tasks, are pending already.
            case tooManyPendingTaskRequests = 2
            /// The background mode or the identifier is not declared.
            case notPermitted = 3
            /// It cannot run at once. Never used here, where no request asks for that.
            case immediateRunIneligible = 4

            /// Returns true if `error` has this code, for `catch
            /// BGTaskScheduler.Error.notPermitted`.
            public static func ~= (code: Code, error: any Swift.Error) -> Bool {
                (error as? BGTaskScheduler.Error)?.code == code
            }
        }

        /// `BGTaskSchedulerErrorDomain`
        public static var errorDomain: String { "BGTaskSchedulerErrorDomain" }
        /// The code of errors by which background refresh is switched off.
        public static var unavailable: Code { .unavailable }
        /// The code of errors by which too much is pending.
        public static var tooManyPendingTaskRequests: Code { .tooManyPendingTaskRequests }
        /// The code of errors by which something is not declared.
        public static var notPermitted: Code { .notPermitted }
        /// The code of errors that are never used here.
        public static var immediateRunIneligible: Code { .immediateRunIneligible }

        /// The reason it was not accepted.
        public let code: Code
        /// The same in words: "cannot submit org.example.refresh: the identifier is not permitted".
        public let description: String

        init(_ error: RefreshError, identifier: String) {
            code =
                switch error.code {
                case .unavailable: .unavailable
                case .tooManyPendingTaskRequests: .tooManyPendingTaskRequests
                case .notPermitted: .notPermitted
                case .immediateRunIneligible: .immediateRunIneligible
                }
            description = "cannot submit \(identifier): \(error.reason)"
        }

        /// The code's number.
        public var errorCode: Int { code.rawValue }

        /// The description.
        public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
    }
}
