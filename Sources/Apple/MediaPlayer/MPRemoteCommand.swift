public import Foundation
import Synchronization

/// A command that others may send to this process, and its handlers (behaviour 2.6).
///
/// Any thread may use it. Handlers are called on the main queue, in the order in which they were
/// added.
open class MPRemoteCommand: NSObject, @unchecked Sendable {
    // Sendable: all mutable state is protected by locks, here and in the subclasses.
    private let state = Mutex(State())
    private let onChange: @Sendable () -> Void

    init(onChange: @escaping @Sendable () -> Void) {
        self.onChange = onChange
    }

    /// True if the command may be sent; true by default.
    public var isEnabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set {
            state.withLock { $0.isEnabled = newValue }
            reportChange()
        }
    }

    /// Adds a handler and returns a token for removing it. Others see only commands that have a
    /// handler.
    @discardableResult
    public func addTarget(
        handler: @escaping (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus
    ) -> Any {
        let target = Target(handler: handler)
        state.withLock { $0.targets.append(target) }
        reportChange()
        return target.token
    }

    /// Removes the handler of a token that `addTarget` returned; nil removes all handlers.
    public func removeTarget(_ target: Any?) {
        let token = target as? Token
        state.withLock { state in
            state.targets.removeAll { target == nil || $0.token === token }
        }
        reportChange()
    }

    /// True if the command is enabled and has a handler.
    package var isSupported: Bool { state.withLock { $0.isEnabled && !$0.targets.isEmpty } }

    /// True if the command has a handler.
    var hasTarget: Bool { state.withLock { !$0.targets.isEmpty } }

    /// Calls the handlers on the current thread, which is the main one. Returns the first status
    /// other than `success`, or `commandFailed` if the command is not supported.
    func send(_ event: MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus {
        let targets = state.withLock { $0.isEnabled ? $0.targets : [] }
        guard !targets.isEmpty else { return .commandFailed }
        let statuses = targets.map { $0.handler(event) }
        return statuses.first { $0 != .success } ?? .success
    }

    final func reportChange() { onChange() }

    private final class Token: Sendable {}

    private struct Target: @unchecked Sendable {
        // Sendable: the handler is called on the main queue only.
        let token = Token()
        let handler: (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus
    }

    private struct State: Sendable {
        var isEnabled = true
        var targets: [Target] = []
    }
}

/// The result of a handler.
public enum MPRemoteCommandHandlerStatus: Int, Sendable {
    /// It succeeded.
    case success = 0
    /// There is no such item.
    case noSuchContent = 100
    /// Nothing is playing to apply it to.
    case noActionableNowPlayingItem = 110
    /// There is no suitable device.
    case deviceNotFound = 120
    /// It failed.
    case commandFailed = 200
}
