import Foundation
import Testing

/// Makes tests take turns that use shared objects of a process: its audio session, which pauses
/// every player when one test interrupts it, and `AVPlayer.outputDestination`. Serialized suites
/// still run in parallel with each other, and suites in two modules share nothing but the package,
/// so the turn is a lock on its manifest.
struct SharedAudioSession: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let manifest = try FileHandle(forReadingFrom: Self.manifest)
        let descriptor = manifest.fileDescriptor
        // On its own thread: the test that has the turn needs those of Swift's pool.
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                flock(descriptor, LOCK_EX)
                continuation.resume()
            }
        }
        defer { try? manifest.close() }
        try await function()
    }

    private static let manifest = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Package.swift")
}

extension Trait where Self == SharedAudioSession {
    /// Serializes tests that use the audio session of this process.
    static var sharedAudioSession: Self { SharedAudioSession() }
}
