import CUndersongLinux
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongPlayback
import UndersongStore

@testable import UndersongService

/// Background processing with real processes, files and stores.
@Suite(.blockingThreads, .timeLimit(.minutes(3))) struct `Background processing` {
    private let stage: ProcessingStage

    init() throws { stage = try ProcessingStage() }

    /// A copy of a song of half a minute.
    private func song(_ name: String = "song.mp3") throws -> FilePath {
        let path = stage.path("music/" + name)
        try FileManager.default.copyItem(atPath: Stage.song, toPath: path)
        return FilePath(path)
    }

    /// A song of some minutes.
    private func longSong() throws -> FilePath {
        let song = try Data(contentsOf: URL(filePath: Stage.song))
        let path = stage.path("music/long.mp3")
        try Data((0..<10).map { _ in song }.joined()).write(to: URL(filePath: path))
        return FilePath(path)
    }

    private func isRunning(_ process: pid_t) -> Bool { kill(process, 0) == 0 }

    @Test func `Background processing keeps the loudness of files, and measures nothing twice`()
        async throws
    {
        let store = stage.openStore()
        let file = try song()
        let before = try Data(contentsOf: URL(filePath: file.description))

        let first = await stage.run([file], in: store, ProcessingStage.real)
        let record = try #require(store.analysis(of: file))
        let second = await stage.run([file], in: store, ProcessingStage.real)

        #expect(first.outcome == .finished && first.analyzed == 1)
        #expect(second.outcome == .finished && second.known == 1)
        guard case .analyzed(let analysis) = record.outcome, let loudness = analysis.loudness else {
            Issue.record("\(record)")
            return
        }
        #expect(loudness.integrated < 0 && loudness.integrated > -40)
        #expect(loudness.truePeak >= loudness.samplePeak && loudness.samplePeak > 0)
        #expect(analysis.damage == [])
        #expect(try Data(contentsOf: URL(filePath: file.description)) == before)
    }

    @Test func `Background processing handles the queue's files, and reports those that are gone`()
        async throws
    {
        let store = stage.openStore()
        let files = try stage.makeFiles(["a", "b"])
        let ids = store.add(
            (files + ["/gone.mp3", "-", "https://example.org/a.mp3"]).map {
                QueueEntry(MediaSource(path: $0))
            })
        try await store.commit(PlayerRecord(order: QueueOrder(ids: ids)), as: .edit("add"))

        let result = await stage.run(nil, in: store, try stage.scriptedWorker())

        #expect(result.outcome == .finished)
        #expect(stage.begun == ["a", "b"])
        #expect(result.analyzed == 2 && result.missing == 1)
        #expect(stage.allNotices.contains(AnalysisNotice(.missing, "/gone.mp3")))
    }

    @Test func `Background processing pauses for other programs only where nobody waits for it`()
        async throws
    {
        let store = stage.openStore()
        let files = try stage.makeFiles(["a", "b"])
        let ids = store.add([QueueEntry(MediaSource(path: files[1]))])
        try await store.commit(PlayerRecord(order: QueueOrder(ids: ids)), as: .edit("add"))

        _ = await stage.run([files[0]], in: store, try stage.scriptedWorker())
        #expect(stage.arguments == "")
        _ = await stage.run(nil, in: store, try stage.scriptedWorker())
        #expect(stage.arguments == "--yield")
    }

    @Test func `Background processing yields to everybody else, in a session of its own`()
        async throws
    {
        let store = stage.openStore()
        let file = try longSong()
        let worker = try stage.observedWorker()
        let task = Task { await stage.run([file], in: store, worker) }

        try await eventually {
            stage.worker.map { sched_getscheduler($0) == SCHED_IDLE } ?? false
        }
        let process = try #require(stage.worker)
        let text = try String(contentsOfFile: "/proc/\(process)/sched", encoding: .utf8)
        try await eventually { clinux_io_class(process) == Int32(CLINUX_IO_IDLE) }
        // Kernels may be built without groups of sessions.
        let group = "/proc/\(process)/autogroup"
        try await eventually {
            (try? String(contentsOfFile: group, encoding: .utf8))?.contains("nice 19") ?? true
        }
        let session = getsid(process)
        task.cancel()

        #expect(text.contains(#/policy\s*:\s*5/#))
        #expect(session == -1 || session == process)
        #expect(await task.value.outcome == .expired)
        // Where others keep the processors busy, it takes its time to die as well.
        try await eventually { !isRunning(process) }
    }

    @Test func `Background processing ends at once when it expires, in the middle of a file`()
        async throws
    {
        let store = stage.openStore()
        let files = try stage.makeFiles(["a", "endless", "b"])
        let worker = try stage.scriptedWorker("[[ $path = *endless ]] && sleep 1000")
        let task = Task { await stage.run(files, in: store, worker) }

        try await eventually { stage.begun.last == "endless" }
        let process = try #require(stage.worker)
        task.cancel()
        let result = await task.value

        #expect(result.outcome == .expired)
        #expect(result.analyzed == 1)
        #expect(!isRunning(process))
        #expect(store.analysis(of: files[0]) != nil && store.analysis(of: files[1]) == nil)
    }

    /// PR6.
    @Test func `Processing that expires at each of 50 files repeats the work on one at most`()
        async throws
    {
        let store = stage.openStore()
        let files = try stage.makeFiles((1...50).map { "\($0)" })
        let worker = try stage.scriptedWorker()
        var rounds = 0
        while true {
            rounds += 1
            let task = Mutex<Task<AnalysisReport.Outcome, Never>?>(nil)
            let started = Task {
                await stage.run(files, in: store, worker) { notice in
                    if notice.kind == .analyzed { task.withLock { $0?.cancel() } }
                }.outcome
            }
            task.withLock { $0 = started }
            if await started.value == .finished { break }
            try #require(rounds <= 200)
        }

        let counts = Dictionary(grouping: stage.begun) { $0 }.mapValues(\.count)
        #expect(counts.count == 50)
        #expect(counts.values.reduce(0, +) <= 50 + rounds)
        for file in files { #expect(store.analysis(of: file) != nil) }
    }

    /// PR9.
    @Test func `A file that crashes the worker three times is skipped, and the others are done`()
        async throws
    {
        let store = stage.openStore()
        let files = try stage.makeFiles(["a", "bad", "b"])
        let worker = try stage.scriptedWorker("[[ $path = *bad ]] && kill -SEGV $$")

        let result = await stage.run(files, in: store, worker)
        let record = store.analysis(of: files[1])
        let later = await stage.run(nil, in: store, worker)

        #expect(result.outcome == .finished)
        #expect(stage.begun == ["a", "bad", "bad", "bad", "b"])
        #expect(result.analyzed == 2 && result.skipped == 1)
        #expect(record?.outcome == .crashed(count: 3))
        #expect(later.outcome == .finished)
        let reasons = stage.allNotices.compactMap { notice in
            notice.kind == .crashed ? notice.reason : nil
        }
        #expect(reasons == Array(repeating: "killed by signal 11 (Segmentation fault)", count: 3))
        #expect(stage.allNotices.contains(AnalysisNotice(.skipped, files[1])))
    }

    @Test func `A worker that hangs on a file is stopped, and the file is skipped`()
        async throws
    {
        let store = stage.openStore()
        let files = try stage.makeFiles(["a", "endless", "b"])
        let worker = try stage.scriptedWorker("[[ $path = *endless ]] && sleep 1000")

        let result = await stage.run(files, in: store, worker, stallSeconds: 2)

        #expect(result.outcome == .finished)
        #expect(result.analyzed == 2 && result.skipped == 1)
        #expect(store.analysis(of: files[1])?.outcome == .crashed(count: 3))
        let reasons = stage.allNotices.compactMap { notice in
            notice.kind == .crashed ? notice.reason : nil
        }
        #expect(Set(reasons) == ["stopped, since it made no progress for 120 s"])
    }

    @Test func `A worker that makes progress with a file is not stopped`() async throws {
        let store = stage.openStore()
        let files = try stage.makeFiles(["long"])
        // Longer than the time without progress, in parts that are shorter.
        let worker = try stage.scriptedWorker(
            "for i in 1 2 3 4; do sleep 1; echo '{\"progress\":{}}'; done")

        let result = await stage.run(files, in: store, worker, stallSeconds: 3)

        #expect(result.analyzed == 1)
        #expect(stage.begun == ["long"])
    }

    /// PR12: that is when the service gives back what the run has needed.
    @Test func `Background processing says when a run is over, also one that expires`() async throws
    {
        let store = stage.openStore()
        let files = try stage.makeFiles(["a", "endless"])
        let ends = Atomic<Int>(0)
        let processor = FileProcessor(
            store: store, worker: try stage.scriptedWorker("[[ $path = *endless ]] && sleep 1000"),
            clock: SystemClock(), log: { _ in },
            whenDone: { ends.add(1, ordering: .relaxed) })

        _ = await processor.run([files[0]]) { _ in }
        #expect(ends.load(ordering: .relaxed) == 1)
        let task = Task { await processor.run([files[1]]) { _ in } }
        try await eventually { stage.begun.last == "endless" }
        task.cancel()
        _ = await task.value

        #expect(ends.load(ordering: .relaxed) == 2)
    }

    /// PR7 and PR9.
    @Test func `A file is measured the same after the worker was killed in the middle of it`()
        async throws
    {
        let store = stage.openStore()
        let file = try longSong()
        let worker = try stage.observedWorker()
        let task = Task { await stage.run([file], in: store, worker) }

        try await eventually {
            guard let process = stage.worker else { return false }
            let folder = "/proc/\(process)/fd"
            let open = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return open.contains { descriptor in
                let target = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "\(folder)/\(descriptor)")
                return target == file.description
            }
        }
        kill(try #require(stage.worker), SIGKILL)
        let result = await task.value
        let killed = try #require(store.analysis(of: file))
        let other = stage.openStore(in: stage.path("other"))
        _ = await stage.run([file], in: other, ProcessingStage.real)

        #expect(result.outcome == .finished && result.analyzed == 1)
        #expect(
            stage.allNotices.contains {
                $0.kind == .crashed && $0.count == 1 && $0.reason == "killed by signal 9 (Killed)"
            })
        #expect(killed.outcome == other.analysis(of: file)?.outcome)
    }

    @Test func `Background processing fails with the reason without a worker that works`()
        async throws
    {
        let store = stage.openStore()
        let files = try stage.makeFiles(["a"])

        let missing = await stage.run(
            files, in: store, WorkerProgram(path: "/nowhere/worker", arguments: []))
        let broken = await stage.run(
            files, in: store, WorkerProgram(path: "/bin/false", arguments: []))

        #expect(missing.outcome == .failed && broken.outcome == .failed)
        #expect(missing.reason == "cannot start the worker: No such file or directory")
        #expect(broken.reason == "ended with exit status 1")
        #expect(store.analysis(of: files[0]) == nil)
    }

    /// PR13.
    @Test func `Background processing of 10,000 files continues with the next one after a restart`()
        async throws
    {
        let count = 10_000
        let files = try stage.makeFiles((1...count).map { "\($0)" })
        let worker = try stage.scriptedWorker()
        let store = stage.openStore()
        let ids = store.add(files.map { QueueEntry(.file(path: $0)) })
        try await store.commit(PlayerRecord(order: QueueOrder(ids: ids)), as: .edit("add"))
        let done = Atomic<Int>(0)
        let task = Task {
            await stage.run(nil, in: store, worker) { notice in
                if notice.kind == .analyzed { done.add(1, ordering: .relaxed) }
            }
        }
        try await eventually { done.load(ordering: .relaxed) >= count / 3 }
        task.cancel()
        let first = await task.value
        // What a power cut leaves: the files without the process, and never closed.
        _ = system("cp -r '\(stage.path("state"))' '\(stage.path("rebooted"))'")
        let later = stage.openStore(in: stage.path("rebooted"))
        let second = await stage.run(nil, in: later, worker)

        #expect(first.outcome == .expired && second.outcome == .finished)
        #expect(first.analyzed + second.analyzed <= count)
        #expect(second.known + second.analyzed == count)
        #expect(second.known >= first.analyzed)
        #expect(stage.begun.count <= count + 1)
    }

    /// PR14. Mounting a small disk needs root.
    @Test(.enabled(if: geteuid() == 0))
    func `Background processing waits while the disk is full, says so, and loses nothing`()
        async throws
    {
        let disk = stage.path("disk")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        try #require(mount("tmpfs", disk, "tmpfs", 0, "size=16m") == 0)
        defer { umount2(disk, Int32(MNT_DETACH)) }
        let store = stage.openStore(in: disk + "/state")
        let files = try stage.makeFiles((1...300).map { "\($0)" })
        let ballast = disk + "/ballast"
        #expect(FileManager.default.createFile(atPath: ballast, contents: Data(count: 15_500_000)))

        let result = await stage.run(files, in: store, try stage.scriptedWorker()) { notice in
            if notice.kind == .paused { unlink(ballast) }
        }
        store.close()
        let troubles = Mutex<[StoreNotice]>([])
        let later = StateStore(folder: disk + "/state", clock: ManualClock()) { notice in
            troubles.withLock { $0.append(notice) }
        }

        #expect(result.outcome == .finished)
        #expect(
            stage.allNotices.contains(AnalysisNotice(.paused, reason: "No space left on device")))
        #expect(stage.allNotices.contains(AnalysisNotice(.resumed)))
        #expect(result.analyzed == 300)
        #expect(files.allSatisfy { later.analysis(of: $0) != nil })
        #expect(troubles.withLock { $0 } == [])
    }

    @Test func `Background processing says what cannot be played, and does not try it again`()
        async throws
    {
        let store = stage.openStore()
        let path = FilePath(stage.path("music/text.flac"))
        try Data("no music\n".utf8).write(to: URL(filePath: path.description))

        let first = await stage.run([path], in: store, ProcessingStage.real)
        let second = await stage.run([path], in: store, ProcessingStage.real)

        #expect(first.unplayable == 1 && second.known == 1)
        guard case .unplayable(let reason) = store.analysis(of: path)?.outcome else {
            Issue.record("the file should be unplayable")
            return
        }
        #expect(!reason.isEmpty)
    }
}
