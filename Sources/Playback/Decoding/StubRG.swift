public enum ReplayGainMode: String, CaseIterable, Sendable { case off, track, album }
public struct ReplayGain: Equatable, Sendable { public init() {}; public func factor(_ mode: ReplayGainMode) -> Double { 1 } }
