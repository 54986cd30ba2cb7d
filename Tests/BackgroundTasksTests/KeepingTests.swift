import BackgroundTasks
import TestSupport
import Testing
import UIKit

@MainActor @Suite struct `The kept requests` {
    private let folder: URL
    private let time = ManualTime()

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "refresh-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private var file: URL { folder.appending(path: "tasks") }

    private func remove() { try? FileManager.default.removeItem(at: folder) }

    /// An application that continues what the last one has left.
    private func stage(_ identifiers: Set<String> = [Stage.refresh]) throws -> Stage {
        let stage = Stage(identifiers: identifiers, time: time)
        try stage.application.host.keepBackgroundTasks(in: file)
        return stage
    }

    @Test func `A request is on the disk when submit returns, and there for the next process`()
        async throws
    {
        defer { remove() }
        let first = try stage(["a", "b"])
        let request = BGProcessingTaskRequest(identifier: "a")
        request.requiresExternalPower = true
        request.earliestBeginDate = time.date + 60
        try first.scheduler.submit(request)
        try first.submit("b")
        first.scheduler.cancel(taskRequestWithIdentifier: "b")

        let second = try stage(["a", "b"])

        let pending = await second.scheduler.pendingTaskRequests()
        #expect(pending.map(\.identifier) == ["a"])
        let found = try #require(pending.first as? BGProcessingTaskRequest)
        #expect(found.requiresExternalPower)
        #expect(!found.requiresNetworkConnectivity)
        #expect(found.earliestBeginDate == time.date + 60)
    }

    @Test(.rule("A11")) func `A request runs at the next launch if it was due meanwhile`()
        async throws
    {
        defer { remove() }
        try stage().submit(after: 60)
        await time.advance(by: 3600)
        let second = try stage()
        let log = second.log
        second.register { task in
            log.add("refresh occurred")
            task.setTaskCompleted(success: true)
        }

        second.application.host.launch(into: .background)
        await time.advance(by: 1)

        #expect(log.lines == ["launched background", "refresh occurred", "suspended"])
        #expect(await second.pending() == [])
    }

    @Test func `A request is not run twice if the process was killed in the middle`() async throws {
        defer { remove() }
        let first = try stage()
        first.register { _ in }
        try first.submit()
        first.application.host.launch(into: .background)
        await time.advance(by: 1)

        let second = try stage()
        second.showMessages()
        second.register { task in task.setTaskCompleted(success: true) }
        second.application.host.launch(into: .background)
        await time.advance(by: 86400)

        #expect(second.log.lines == ["launched background", "suspended"])
    }

    @Test func `What is kept includes the interval, and when the last fetch was`() async throws {
        defer { remove() }
        let first = try stage()
        first.application.setMinimumBackgroundFetchInterval(7200)
        first.application.host.launch(into: .background)
        await time.advance(by: 1)
        #expect(first.log.lines.filter { $0.hasPrefix("fetch") }.count == 1)

        let second = try stage()
        second.application.host.launch(into: .background)
        await time.advance(by: 7198)
        let before = second.log.lines.count
        await time.advance(by: 86400)

        #expect(before == 2)
        #expect(second.log.lines.count { $0.hasPrefix("fetch") } >= 2)
    }

    @Test func `A request stays if it was made before the file was named`() async throws {
        defer { remove() }
        try stage(["a", "b"]).submit("a")
        let second = Stage(identifiers: ["a", "b"], time: time)
        try second.scheduler.submit(BGProcessingTaskRequest(identifier: "b"))

        try second.application.host.keepBackgroundTasks(in: file)

        #expect(await second.pending() == ["a", "b"])
        #expect(try await stage(["a", "b"]).pending() == ["a", "b"])
    }

    @Test func `A damaged file of requests is put aside, and the list begins empty`() async throws {
        defer { remove() }
        try stage().submit()
        var bytes = try Data(contentsOf: file)
        bytes[5] ^= 1
        try bytes.write(to: file)
        let second = Stage(time: time)
        second.showMessages()

        try second.application.host.keepBackgroundTasks(in: file)

        #expect(await second.pending() == [])
        #expect(
            second.log.lines == [
                "(\(file.path) is damaged and begins empty; what it had is in \(file.path).damaged)"
            ])
        #expect(try Data(contentsOf: folder.appending(path: "tasks.damaged")) == bytes)
    }

    @Test func `Requests cannot be kept in a folder that is not there, or after the launch`() throws
    {
        defer { remove() }
        let stage = Stage(time: time)
        let nowhere = folder.appending(path: "missing/tasks")

        let error = #expect(throws: CocoaError.self) {
            try stage.application.host.keepBackgroundTasks(in: nowhere)
        }
        stage.application.host.launch()
        let late = #expect(throws: CocoaError.self) {
            try stage.application.host.keepBackgroundTasks(in: file)
        }

        #expect(
            error?.localizedDescription
                == "cannot keep background tasks in \(nowhere.path): No such file or directory")
        #expect(late?.localizedDescription == "the application has launched already")
    }

    @Test func `A request that can no longer be kept is reported, and stays in memory`()
        async throws
    {
        let stage = try stage()
        stage.showMessages()
        remove()

        try stage.submit()

        #expect(
            stage.log.lines.first
                == "(cannot keep background tasks in \(file.path): No such file or directory)")
        #expect(await stage.pending() == [Stage.refresh])
    }
}
