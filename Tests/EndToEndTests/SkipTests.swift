import Foundation
import TestSupport
import Testing
import UndersongAudioSession
import UndersongPlayback

extension EndToEnd {
    @Suite struct `Movement between items` {
        @Test(.rule("T30", "T36"), .comparesSamples)
        func `Next, previous and jump are heard at once, also around the end`()
            async throws
        {
            let files = try Music()
            let sources = try Sources(files, seconds: [2, 2.1, 1.9])
            let studio = try Studio()
            await studio.player.set { $0.modes.repeatMode = .all }
            let ids = await studio.player.append(sources.media)
            try await studio.play()

            try await studio.hearNext { await $0.advanceToNextItem() }
            try await studio.hearNext { await $0.returnToPreviousItem() }
            try await studio.hearNext { try? await $0.jump(to: ids[2]) }
            try await studio.hearNext { await $0.advanceToNextItem() }
            try await studio.hearNext { await $0.returnToPreviousItem() }
            try studio.recording.wait(0.2)
            let heard = try await studio.finish(sources)

            #expect(heard.pieces.map(\.source) == [0, 1, 0, 2, 0, 2])
            #expect(heard.pieces.map(\.start) == [0, 0, 0, 0, 0, 0])
            #expect(heard.unmatchedFrames == 0)
            #expect(heard.difference(from: ReportedSound(studio.events, of: sources)) == "")
            let generations = studio.events.filter(\.isBeginning).map(\.head.generation)
            #expect(generations == [0, 1, 2, 3, 4, 5])
        }

        @Test(.rule("T29"), .comparesSamples)
        func `Commands while paused change the current item silently`()
            async throws
        {
            let files = try Music()
            let sources = try Sources(files, seconds: [2, 2, 2])
            let studio = try Studio()
            await studio.player.append(sources.media)
            try await studio.play()
            try studio.recording.wait(0.3)
            try await studio.pause()

            let count = studio.count
            await studio.player.advanceToNextItem()
            try studio.wait(after: count, for: \.isBeginning)
            await studio.player.advanceToNextItem()
            await studio.player.returnToPreviousItem()
            try studio.recording.wait(0.3)
            let current = try #require(await studio.player.currentItem)
            let time = await studio.player.currentTime
            let statuses = studio.events[count...].filter(\.isState)
            try await studio.play()
            try studio.recording.wait(0.3)
            let heard = try await studio.finish(sources)

            #expect(sources.number(of: current) == 1)
            #expect(time == .zero)
            #expect(statuses.isEmpty)
            #expect(heard.pieces.map(\.source) == [0, 1])
            #expect(heard.pieces.map(\.start) == [0, 0])
            #expect(heard.unmatchedFrames == 0)
        }

        @Test(.rule("T26", "T28"), .comparesSamples)
        func `The queue ends after the last item, and previous goes back`() async throws {
            let files = try Music()
            let sources = try Sources(files, seconds: [2, 2])
            let studio = try Studio()
            await studio.player.advanceToNextItem()
            await studio.player.returnToPreviousItem()
            let before = studio.events.count { $0.isBeginning || $0.isState }
            await studio.player.append(sources.media)
            try await studio.play()
            try studio.recording.wait(0.2)
            try await studio.hearNext { await $0.advanceToNextItem() }

            let count = studio.count
            await studio.player.advanceToNextItem()
            try studio.wait(after: count) { $0.head.reason == .known(.noItemToPlay) }
            let current = await studio.player.currentItem
            try studio.recording.wait(0.3)
            try await studio.hearNext { await $0.returnToPreviousItem() }
            try studio.recording.wait(0.2)
            let heard = try await studio.finish(sources)

            #expect(before == 0)
            #expect(current == nil)
            #expect(heard.pieces.map(\.source) == [0, 1, 1])
            #expect(heard.pieces.map(\.start) == [0, 0, 0])
            #expect(heard.pieces.last.map { $0.silence > 10_000 } == true)
            #expect(heard.unmatchedFrames == 0)
        }

        @Test(.comparesSamples)
        func `A broken item is skipped with one error and no gap`() async throws {
            let files = try Music()
            let sources = try Sources(files, seconds: [1.2, 1.1])
            let broken = try files.write(Data("no music at all".utf8), to: "broken.mp3")
            let studio = try Studio()

            await studio.player.append([
                sources.media[0], .file(path: broken), .file(path: "/nowhere.mp3"),
                sources.media[1],
            ])
            try await studio.play()
            try studio.wait { $0.head.reason == .known(.noItemToPlay) }
            let heard = try await studio.finish(sources)

            #expect(heard.difference(fromWhole: [0, 1], of: sources) == "")
            #expect(heard.unmatchedFrames == 0)
            let codes = studio.events.compactMap { event in
                if case .error(let failure) = event.kind { failure.code } else { nil }
            }
            #expect(codes == ["not-mpeg-audio", "not-found"])
            let statuses = studio.events.filter(\.isState).map(\.head.status)
            #expect(statuses.count { $0 == .playing } == 1)
        }

        @Test(arguments: [["--repeat", "all"], ["--repeat", "one"], ["--shuffle"], ["--single"]])
        func `A queue of only broken items ends after one pass, with status 1`(
            modes: [String]
        ) throws {
            let files = try Music()
            let paths = try (0..<3).map { try files.write(Data("\($0)".utf8), to: "\($0).mp3") }

            let player = try Program(
                Program.undersong, ["play", "--output", "null"] + modes + paths)
            let status = try player.wait()

            #expect(status == 1)
            let events = try Events(player.text)
            #expect(events["error"].count == 3)
            #expect(events["item"].isEmpty)
            #expect(events["end"].first?["failed"] as? Int == 3)
        }

        @Test(.comparesSamples) func `Repeated items and queues loop without a gap`() async throws {
            let files = try Music()
            let sources = try Sources(files, seconds: [0.9, 1.1])
            let studio = try Studio()
            await studio.player.append(sources.media)
            await studio.player.set { $0.modes.repeatMode = .all }
            try await studio.play()
            try studio.waitForItems(4)
            try studio.recording.wait(0.2)
            await studio.player.set { $0.modes.repeatMode = .one }
            try studio.waitForItems(6)
            try studio.recording.wait(0.2)
            await studio.player.set { $0.modes.repeatMode = .off }
            try studio.wait { $0.head.reason == .known(.noItemToPlay) }
            let heard = try await studio.finish(sources)

            #expect(heard.difference(fromWhole: [0, 1, 0, 1, 1, 1], of: sources) == "")
            #expect(heard.pieces.dropFirst().allSatisfy { $0.silence == 0 })
            #expect(heard.unmatchedFrames == 0)
        }

        @Test(.comparesSamples)
        func `The mode single stops at the boundary and continues with the next first frame`()
            async throws
        {
            let files = try Music()
            let sources = try Sources(files, seconds: [0.8, 0.9])
            let studio = try Studio()
            await studio.player.set { $0.modes.isSingle = true }
            await studio.player.append(sources.media)
            try await studio.play()

            let held = try studio.wait {
                $0.isState && $0.head.reason == .known(.userPaused)
            }
            let current = try #require(await studio.player.currentItem)
            let time = await studio.player.currentTime
            try studio.recording.wait(0.3)
            try await studio.play()
            try studio.wait { $0.head.reason == .known(.noItemToPlay) }
            let heard = try await studio.finish(sources)

            #expect(sources.number(of: current) == 1)
            #expect(time == .zero)
            #expect(held.head.item == current.id)
            #expect(held.head.position == .zero)
            #expect(heard.difference(fromWhole: [0, 1], of: sources) == "")
            #expect(heard.pieces.last.map { $0.silence > 10_000 } == true)
        }

        @Test(.comparesSamples)
        func `The mode consume removes items from the queue when they are left`()
            async throws
        {
            let files = try Music()
            let sources = try Sources(files, seconds: [0.8, 2, 0.7])
            let studio = try Studio()
            await studio.player.set { $0.modes.isConsuming = true }
            let ids = await studio.player.append(sources.media)
            try await studio.play()
            try studio.waitForItems(2)
            try studio.recording.wait(0.2)
            let second = await studio.player.items.map(\.id)
            try await studio.hearNext { await $0.advanceToNextItem() }
            let third = await studio.player.items.map(\.id)
            try studio.recording.wait(0.2)
            // There is nothing to go back to: the same item starts over, which is a jump.
            let count = studio.count
            await studio.player.returnToPreviousItem()
            try studio.wait(after: count, for: \.isJump)
            try studio.wait { $0.head.reason == .known(.noItemToPlay) }
            let heard = try await studio.finish(sources)

            #expect(second == Array(ids[1...]))
            #expect(third == [ids[2]])
            #expect(heard.pieces.map(\.source) == [0, 1, 2, 2])
            #expect(heard.unmatchedFrames == 0)
            #expect(await studio.player.items.isEmpty)
        }

        @Test(.comparesSamples)
        func `An item's start and end are exact to the frame, without a gap`()
            async throws
        {
            let files = try Music()
            let sources = try Sources(
                files, seconds: [2, 2, 2], options: [["-b", "128"], ["-V", "2", "-t"]])
            let studio = try Studio()
            let cuts = [(20_000, 50_001), (0, 30_030), (33_333, 66_666)]
            let entries = zip(sources.media, cuts).map { source, cut in
                QueueEntry(source, start: CMTime(frame: cut.0), end: CMTime(frame: cut.1))
            }

            await studio.player.append(entries)
            try await studio.play()
            try studio.wait { $0.head.reason == .known(.noItemToPlay) }
            let heard = try await studio.finish(sources)

            #expect(heard.pieces.map(\.source) == [0, 1, 2])
            #expect(heard.pieces.map(\.start) == cuts.map(\.0))
            #expect(heard.pieces.map(\.end) == cuts.map(\.1))
            #expect(heard.pieces.dropFirst().allSatisfy { $0.silence == 0 })
            #expect(heard.difference(from: ReportedSound(studio.events, of: sources)) == "")
        }

        @Test(.comparesSamples)
        func `Removing the current item skips it at once, and removing all is silent`()
            async throws
        {
            let files = try Music()
            let sources = try Sources(files, seconds: [2, 2, 2])
            let studio = try Studio()
            let ids = await studio.player.append(sources.media)
            try await studio.play()

            try await studio.hearNext { _ = await $0.remove(ids[0]) }
            try studio.recording.wait(0.2)
            let count = studio.count
            await studio.player.removeAllItems()
            try studio.wait(after: count) { $0.head.reason == .known(.noItemToPlay) }
            try studio.recording.wait(0.2)
            try await studio.hearNext { _ = await $0.append([sources.media[2]]) }
            let heard = try await studio.finish(sources)

            #expect(heard.pieces.map(\.source) == [0, 1, 2])
            #expect(heard.pieces.map(\.start) == [0, 0, 0])
            #expect(heard.unmatchedFrames == 0)
        }
    }
}

extension Studio {
    /// Plays a little, gives a command that leads to another item, and waits until that has
    /// started.
    fileprivate func hearNext(_ command: (QueuePlayer) async throws -> Void) async throws {
        try recording.wait(0.2)
        let count = count
        try await command(player)
        try wait(after: count, for: \.isBeginning)
    }

    /// Waits until `number` items have started in total.
    fileprivate func waitForItems(_ number: Int) throws {
        var begun = 0
        try wait { event in
            if event.isBeginning { begun += 1 }
            return begun == number
        }
    }
}
