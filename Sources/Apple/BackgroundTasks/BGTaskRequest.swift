public import Foundation
import UndersongBackground

/// A request to run once in the background (G8): one of its subclasses.
///
/// The scheduler copies it, so that changes have no effect on what was submitted.
public class BGTaskRequest: NSObject, NSCopying {
    /// Identifies the task, in reverse domain order (G2).
    public let identifier: String

    /// The task does not begin before, and may begin much later (G3); nil, the default, for no
    /// delay.
    public var earliestBeginDate: Date?

    fileprivate init(_ identifier: String) { self.identifier = identifier }

    /// A copy.
    public func copy(with zone: NSZone? = nil) -> Any { BGTaskRequest.make(request) }

    /// The request that the scheduler gets.
    var request: RefreshRequest {
        RefreshRequest(identifier, earliestBeginDate: earliestBeginDate?.seconds)
    }

    /// The object for a request of the scheduler.
    static func make(_ request: RefreshRequest) -> BGTaskRequest {
        let copy: BGTaskRequest
        if request.kind == .processing {
            let processing = BGProcessingTaskRequest(identifier: request.identifier)
            processing.requiresNetworkConnectivity = request.requiresNetworkConnectivity
            processing.requiresExternalPower = request.requiresExternalPower
            copy = processing
        } else {
            copy = BGAppRefreshTaskRequest(identifier: request.identifier)
        }
        copy.earliestBeginDate = request.earliestBeginDate.map(Date.init(timeIntervalSince1970:))
        return copy
    }
}

/// A request to look for new content for up to 30 seconds. One may be pending.
public final class BGAppRefreshTaskRequest: BGTaskRequest {
    /// A request for the task with this identifier.
    public init(identifier: String) { super.init(identifier) }
}

/// A request for minutes of maintenance work, while the machine and the application are not in use
/// (G9). Ten may be pending.
public final class BGProcessingTaskRequest: BGTaskRequest {
    /// True if the task needs the Internet; false by default.
    public var requiresNetworkConnectivity = false

    /// True if the task needs external power; false by default.
    public var requiresExternalPower = false

    /// A request for the task with this identifier.
    public init(identifier: String) { super.init(identifier) }

    override var request: RefreshRequest {
        RefreshRequest(
            identifier, kind: .processing, earliestBeginDate: earliestBeginDate?.seconds,
            requiresNetworkConnectivity: requiresNetworkConnectivity,
            requiresExternalPower: requiresExternalPower)
    }
}

extension Date {
    /// Seconds since 1970; nil if that is not a number. No date is after the distant future.
    fileprivate var seconds: Double? {
        guard !timeIntervalSince1970.isNaN else { return nil }
        return min(max(self, .distantPast), .distantFuture).timeIntervalSince1970
    }
}
