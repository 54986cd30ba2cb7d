/// The host's state as running code can see it, with Apple's raw values (A2, behaviour 2.7).
public enum ApplicationState: Int, Hashable, Sendable, CaseIterable {
    /// In the foreground, receiving input.
    case active = 0
    /// In the foreground without input: locked, or interrupted.
    case inactive = 1
    /// Not in the foreground.
    case background = 2

    /// `active`, `inactive` or `background`.
    public var name: String {
        switch self {
        case .active: "active"
        case .inactive: "inactive"
        case .background: "background"
        }
    }

    /// The state that `name` names, or nil.
    public init?(name: String) {
        guard let state = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = state
    }
}

extension ApplicationState: Codable {
    /// Decodes a state from its name.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let state = Self(name: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "It is not a state of a host")
        }
        self = state
    }

    /// Encodes the state's name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

/// The notifications of an application about changes of its state, with Apple's names (A5-A8).
public enum LifecycleEvent: String, Codable, Hashable, Sendable {
    /// About to become inactive.
    case willResignActive
    /// In the background: the last chance to run code.
    case didEnterBackground
    /// Returning, still in the background.
    case willEnterForeground
    /// Active again.
    case didBecomeActive
}

/// Turns a new state into the lifecycle events that lead to it, in Apple's order.
public struct ApplicationLifecycle: Sendable {
    /// The state that was entered last.
    public private(set) var state: ApplicationState

    /// Starts in `state` without an event: a launch into the background sends none (A11).
    public init(state: ApplicationState) { self.state = state }

    /// Enters `next` and returns the events to send; none if `next` is already the state.
    public mutating func enter(_ next: ApplicationState) -> [LifecycleEvent] {
        defer { state = next }
        switch (state, next) {
        case (.active, .inactive): return [.willResignActive]
        case (.active, .background): return [.willResignActive, .didEnterBackground]
        case (.inactive, .background): return [.didEnterBackground]
        case (.inactive, .active): return [.didBecomeActive]
        case (.background, .inactive): return [.willEnterForeground]
        case (.background, .active): return [.willEnterForeground, .didBecomeActive]
        case (.active, .active), (.inactive, .inactive), (.background, .background): return []
        }
    }
}

extension LifecycleEvent {
    /// The value of `applicationState` while this event is delivered: the old state on the way out,
    /// the new state on the way in (A5-A8).
    package var stateDuringEvent: ApplicationState {
        switch self {
        case .willResignActive: .active
        case .didEnterBackground, .willEnterForeground: .background
        case .didBecomeActive: .active
        }
    }
}
