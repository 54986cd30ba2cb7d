import Foundation
import Testing

/// Lets tests take turns that use what a process has one of: its audio session, which pauses every
/// player when one test interrupts it, and `AVPlayer.outputDestination`. Suites that are serialized
/// each run beside one another all the same, and in two modules they have nothing in common but the
/// package: the turn is a lock on its manifest.
struct SharedAudioSession: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let manifest = try FileHandle(forReadingFrom: Self.manifest)
        let descriptor = manifest.fileDescriptor
        // On a thread of its own: the test whose turn it is needs those of Swift's pool.
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
    /// The tests use the audio session of this process.
    static var sharedAudioSession: Self { SharedAudioSession() }
}
