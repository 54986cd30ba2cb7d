import Foundation
import TestSupport
import Testing
import UndersongCommandOptions

/// The memory of a process. Each test runs in a process of its own, which is alone with it.
@Suite(.blockingThreads) struct `The memory of a process` {
    @Test func `A process's memory is without unused pages of programs and libraries`() async {
        await #expect(processExitsWith: .success) {
            let before = try residentKilobytes("RssFile")

            ProcessMemory.release()

            #expect(try residentKilobytes("RssFile") < before / 2)
            // What libraries have changed of themselves at their start is still there.
            #expect(["b", "a"].sorted() == ["a", "b"])
        }
    }

    @Test func `A process's memory is without free pages in the middle of the heap`() async {
        await #expect(processExitsWith: .success) {
            let blocks = (0..<4096).map { _ in malloc(4000) }
            for case let block? in blocks { memset(block, 1, 4000) }
            // The last one is at the end of the heap, which cannot be made shorter.
            for block in blocks.dropLast() { free(block) }
            let before = try residentKilobytes("RssAnon")

            ProcessMemory.release()

            #expect(try residentKilobytes("RssAnon") < before - 8192)
            free(blocks[4095])
        }
    }
}

/// A figure from this process's status.
private func residentKilobytes(_ name: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(name + ":") })
    return try #require(line.split(separator: " ").dropLast().last.flatMap { Int($0) })
}
