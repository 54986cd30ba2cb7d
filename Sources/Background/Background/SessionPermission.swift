public import UndersongPlayback

/// Decides whether a session may sound, from the host's state, the declared modes, the
/// interruptions and a missing device. A value: facts go in, and what to publish or do about them
/// comes out.
///
/// Interruptions nest, only the outermost is reported, and the user's wish outlives them (behaviour
/// 3.1, T51-T57).
package struct SessionPermission: Sendable {
    /// An event that may change whether the session may sound.
    package enum Input: Sendable {
        /// The session begins: the first decision is due.
        case begin
        /// The host entered this state; `source` names where it was determined.
        case enter(ApplicationState, source: String)
        /// These modes are declared; `source` names the declaration.
        case declare(Capabilities, source: String)
        /// The `audio` mode was declared, or withdrawn.
        case setAudioCapability(Bool)
        case setCategory(SessionCategory)
        /// Job control is about to stop this process, or has continued it.
        case setHostStopped(Bool)
        /// The session is interrupted, or no longer, as its owner keeps account of it.
        case setInterrupted(Bool)
        case interruptionBegan(InterruptionSource)
        case interruptionEnded(InterruptionSource, shouldResume: Bool)
        /// The user wants to play, which takes the sound back from other sessions but not from a
        /// call.
        case willPlay
        /// Playback waits for a missing device, or no longer.
        case setDeviceMissing(Bool)
    }

    /// The actions that follow an input.
    package enum Effect: Equatable, Sendable {
        case applicationChanged([LifecycleEvent])
        case interruption(InterruptionEvent)
        /// An interruption ended without permission to resume (T52).
        case pause
        case decided(PolicyDecision)
    }

    package private(set) var policy: SessionPolicy
    private var lifecycle: ApplicationLifecycle
    /// The origin of the host's state.
    package private(set) var applicationStateSource: String
    /// The time at which the host entered its state, in nanoseconds of CLOCK_MONOTONIC.
    package private(set) var applicationStateSince: Int64
    /// The declared background modes, and where they are declared.
    package private(set) var capabilities: Capabilities
    package private(set) var capabilitySource: String
    /// The interruptions, in the order in which they began.
    package private(set) var interruptions: [InterruptionSource] = []
    /// The call that began first of those that have not ended, whether reported or nested in
    /// another interruption; nil for none.
    package var call: InterruptionSource? { interruptions.first(where: \.isCall) }
    /// The last decision; nil before the session begins.
    package private(set) var decision: PolicyDecision?
    /// The time since which each reason has forbidden sound, in nanoseconds of CLOCK_MONOTONIC.
    package private(set) var suppressedSince: [SuppressionReason: Int64] = [:]

    package init(
        category: SessionCategory, capabilities: Capabilities, capabilitySource: String,
        applicationState: ApplicationState, applicationStateSource: String, at hostTime: Int64
    ) {
        self.capabilities = capabilities
        self.capabilitySource = capabilitySource
        self.applicationStateSource = applicationStateSource
        applicationStateSince = hostTime
        lifecycle = ApplicationLifecycle(state: applicationState)
        policy = SessionPolicy(
            category: category, hasAudioCapability: capabilities.backgroundModes.contains(.audio),
            applicationState: applicationState)
    }

    /// True if sound is allowed.
    package var isAllowed: Bool { policy.suppressions.isEmpty }
    /// The host's state.
    package var applicationState: ApplicationState { lifecycle.state }

    /// Applies an input at `hostTime`, in nanoseconds of CLOCK_MONOTONIC, and returns what to do,
    /// in order.
    package mutating func handle(_ input: Input, at hostTime: Int64) -> [Effect] {
        let effects = apply(input, at: hostTime)
        return effects + decide(at: hostTime)
    }

    private mutating func apply(_ input: Input, at hostTime: Int64) -> [Effect] {
        switch input {
        case .begin: break
        case .enter(let state, let source): return enter(state, source, at: hostTime)
        case .declare(let capabilities, let source):
            self.capabilities = capabilities
            capabilitySource = source
            policy.hasAudioCapability = capabilities.backgroundModes.contains(.audio)
        case .setAudioCapability(let isDeclared): policy.hasAudioCapability = isDeclared
        case .setCategory(let category): policy.category = category
        case .setHostStopped(let isStopped): policy.isHostStopped = isStopped
        case .setInterrupted(let isInterrupted): policy.isInterrupted = isInterrupted
        case .interruptionBegan(let source): return begin(source)
        case .interruptionEnded(let source, let shouldResume):
            return end(source, shouldResume: shouldResume)
        case .willPlay:
            guard interruptions.allSatisfy(\.isOverridable) else { break }
            return interruptions.flatMap { end($0, shouldResume: true) }
        case .setDeviceMissing(let isMissing): policy.isDeviceMissing = isMissing
        }
        return []
    }

    private mutating func enter(
        _ state: ApplicationState, _ source: String, at hostTime: Int64
    ) -> [Effect] {
        guard state != lifecycle.state else { return [] }
        (applicationStateSource, applicationStateSince) = (source, hostTime)
        policy.applicationState = state
        return [.applicationChanged(lifecycle.enter(state))]
    }

    private mutating func begin(_ source: InterruptionSource) -> [Effect] {
        interruptions.append(source)
        guard interruptions.count == 1 else { return [] }
        policy.isInterrupted = true
        return [.interruption(InterruptionEvent(hasBegun: true, source: source))]
    }

    private mutating func end(_ source: InterruptionSource, shouldResume: Bool) -> [Effect] {
        guard let index = interruptions.firstIndex(of: source) else { return [] }
        interruptions.remove(at: index)
        guard interruptions.isEmpty else { return [] }
        policy.isInterrupted = false
        let event = InterruptionEvent(hasBegun: false, source: source, shouldResume: shouldResume)
        return [.interruption(event)] + (shouldResume ? [] : [.pause])
    }

    private mutating func decide(at hostTime: Int64) -> [Effect] {
        let reasons = policy.suppressions
        let new = PolicyDecision(
            reasons: reasons, hasAudioCapability: policy.hasAudioCapability,
            capabilitySource: capabilitySource)
        guard new != decision else { return [] }
        decision = new
        suppressedSince = reasons.reduce(into: [:]) { $0[$1] = suppressedSince[$1] ?? hostTime }
        return [.decided(new)]
    }
}

/// A decision of the session policy.
public struct PolicyDecision: Codable, Equatable, Sendable {
    /// The reasons that forbid sound, most important first; empty if sound is allowed.
    public var reasons: [SuppressionReason]
    /// True if the `audio` mode is declared.
    public var hasAudioCapability: Bool
    /// The origin of that declaration.
    public var capabilitySource: String

    package init(reasons: [SuppressionReason], hasAudioCapability: Bool, capabilitySource: String) {
        self.reasons = reasons
        self.hasAudioCapability = hasAudioCapability
        self.capabilitySource = capabilitySource
    }

    private enum CodingKeys: String, CodingKey {
        case decision, reasons, capabilitySource
        case hasAudioCapability = "audioCapability"
    }

    /// Decodes a decision from the members of an event.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        reasons = try members.decode([SuppressionReason].self, forKey: .reasons)
        hasAudioCapability = try members.decode(Bool.self, forKey: .hasAudioCapability)
        capabilitySource = try members.decode(String.self, forKey: .capabilitySource)
    }

    /// Encodes the members of an event.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(reasons.isEmpty ? "allowed" : "suppressed", forKey: .decision)
        try members.encode(reasons, forKey: .reasons)
        try members.encode(hasAudioCapability, forKey: .hasAudioCapability)
        try members.encode(capabilitySource, forKey: .capabilitySource)
    }
}

/// The beginning or end of an interruption.
public struct InterruptionEvent: Codable, Equatable, Sendable {
    /// True if it began; otherwise it ended.
    public var hasBegun: Bool
    /// The source of the interruption.
    public var source: InterruptionSource
    /// True if playback may resume automatically; meaningful only at the end.
    public var shouldResume: Bool

    /// Creates an event; `shouldResume` is meaningless at a beginning.
    public init(hasBegun: Bool, source: InterruptionSource, shouldResume: Bool = false) {
        self.hasBegun = hasBegun
        self.source = source
        self.shouldResume = shouldResume
    }

    private enum CodingKeys: CodingKey { case type, shouldResume }
    private enum Stage: String, Codable { case began, ended }

    /// Decodes an interruption from the members of an event.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        hasBegun = try members.decode(Stage.self, forKey: .type) == .began
        source = try InterruptionSource(from: decoder)
        shouldResume = try members.decodeIfPresent(Bool.self, forKey: .shouldResume) ?? false
    }

    /// Encodes the members of an event.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(hasBegun ? Stage.began : .ended, forKey: .type)
        try source.encode(to: encoder)
        if !hasBegun { try members.encode(shouldResume, forKey: .shouldResume) }
    }
}
