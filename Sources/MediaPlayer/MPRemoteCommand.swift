public import Foundation
import Synchronization

/// Something that others may ask this process to do, and who answers it (behaviour 2.6).
///
/// It may be used from any thread. Handlers are called on the main queue, in the order in which they
/// were added.
open class MPRemoteCommand: NSObject, @unchecked Sendable {
    // Sendable: everything that changes is behind locks, here and in the subclasses.
    private let state = Mutex(State())
    private let onChange: @Sendable () -> Void

    init(onChange: @escaping @Sendable () -> Void) {
        self.onChange = onChange
    }

    /// Whether the command may be given; true at first.
    public var isEnabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set {
            state.withLock { $0.isEnabled = newValue }
            tellChange()
        }
    }

    /// Adds a handler and returns what removes it. The process is asked only for commands that have
    /// one.
    @discardableResult
    public func addTarget(
        handler: @escaping (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus
    ) -> Any {
        let target = Target(handler: handler)
        state.withLock { $0.targets.append(target) }
        tellChange()
        return target.token
    }

    /// Removes what `addTarget` has returned; nil removes every handler.
    public func removeTarget(_ target: Any?) {
        let token = target as? Token
        state.withLock { state in
            state.targets.removeAll { target == nil || $0.token === token }
        }
        tellChange()
    }

    /// Whether the command is enabled and someone answers it.
    package var isSupported: Bool { state.withLock { $0.isEnabled && !$0.targets.isEmpty } }

    /// Whether someone answers it.
    var hasTarget: Bool { state.withLock { !$0.targets.isEmpty } }

    /// Calls the handlers, on this thread, which is the main one. Returns the first status that is
    /// not `success`; `commandFailed` if the command is not supported.
    func send(_ event: MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus {
        let targets = state.withLock { $0.isEnabled ? $0.targets : [] }
        guard !targets.isEmpty else { return .commandFailed }
        let statuses = targets.map { $0.handler(event) }
        return statuses.first { $0 != .success } ?? .success
    }

    final func tellChange() { onChange() }

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

/// What a handler has to say.
public enum MPRemoteCommandHandlerStatus: Int, Sendable {
    /// It was done.
    case success = 0
    /// There is no such item.
    case noSuchContent = 100
    /// Nothing is playing that it could be done to.
    case noActionableNowPlayingItem = 110
    /// There is no device for it.
    case deviceNotFound = 120
    /// It was not done.
    case commandFailed = 200
}
