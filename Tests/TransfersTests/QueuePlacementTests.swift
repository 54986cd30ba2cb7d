import Testing
import UndersongTransfers

/// The placement of finished files in the player's queue.
@Suite struct `The request to queue a file` {
    private static let placement = QueuePlacement(.end, key: "k")
    private var policy = TransferPolicy(seed: 3)
    private var now = Moment(boot: 100, epoch: 1_700_000_000)

    /// A policy with a transfer that is complete except for its name.
    init() {
        var request = TransferRequest(url: "http://host/a.mp3", destination: "/tmp/a.mp3")
        request.queue = Self.placement
        _ = policy.handle(.add(request, isResumed: true, isBackground: false), at: now)
        _ = policy.handle(
            .response(
                1, ResponseHead(status: 200, url: "http://host/a.mp3", ["Content-Length": "9"])),
            at: now)
        _ = policy.handle(.ended(1, .complete(9)), at: now)
        let file = PreparedFile(path: "/parts/1", device: 1, inode: 1)
        _ = policy.handle(.verified(1, .prepared(file)), at: now)
    }

    private mutating func handle(_ input: TransferPolicy.Input) -> [TransferPolicy.Effect] {
        policy.handle(input, at: now)
    }

    private mutating func place() -> [TransferPolicy.Effect] {
        handle(.placed(1, .success("/tmp/a (2).mp3")))
    }

    private var join: TransferPolicy.Effect { .join(1, path: "/tmp/a (2).mp3", Self.placement) }

    @Test mutating func `A queue wish is sent when the file has its name, after that is on record`()
        throws
    {
        let effects = place()

        let kept = effects.firstIndex {
            if case .keep(let task) = $0 { task.hasPendingPlacement } else { false }
        }
        let sent = effects.firstIndex(of: join)
        #expect(try #require(kept) < #require(sent))
        #expect(policy.hasWork)
    }

    @Test mutating func `A queue wish is fulfilled once`() {
        _ = place()

        let effects = handle(.answered(1, .joined))

        #expect(effects.contains { if case .keep(let task) = $0 { !task.isOpen } else { false } })
        #expect(!policy.hasWork)
        #expect(!handle(.timePassed).contains(join))
        #expect(!handle(.retry(1)).contains(join))
    }

    @Test mutating func `A queue wish is sent again when nobody has answered, ever later`() {
        _ = place()
        var waits: [Double] = []
        for _ in 0..<3 {
            #expect(!handle(.answered(1, .unavailable("nobody"))).contains(join))
            let due = policy.nextDue(at: now).boot ?? now.boot
            waits.append((due - now.boot).rounded())
            now.boot = due
            #expect(handle(.timePassed).contains(join))
        }

        #expect((4...6).contains(waits[0]) && (9...11).contains(waits[1]))
        #expect((18...22).contains(waits[2]))
        #expect(policy.tasks[1]?.lastTrouble == "nobody")
    }

    @Test mutating func `A queue wish is sent at once when the user wants that`() {
        _ = place()
        _ = handle(.answered(1, .unavailable("nobody")))

        #expect(handle(.retry(1)).contains(join))
    }

    @Test mutating func `A queue wish is given up when the player does not want the file`() {
        _ = place()

        _ = handle(.answered(1, .refused("no sound")))

        #expect(!policy.hasWork)
        #expect(policy.tasks[1]?.queueAnswer == .refused("no sound"))
    }

    @Test mutating func `A queue wish survives the process, with its key`() {
        let record = place().compactMap { effect -> TransferTask? in
            if case .keep(let task) = effect { task } else { nil }
        }.last

        var other = TransferPolicy(seed: 4)
        let effects = other.handle(
            .restored(record.map { [$0] } ?? [], isSameBoot: false), at: Moment(boot: 1, epoch: 2))

        #expect(effects.contains(join))
    }

    @Test mutating func `A queue wish does not concern a file that fails`() {
        let failure = TransferFailure(.folderGone, "gone")

        let effects = handle(.placed(1, .failure(failure)))

        #expect(!effects.contains { if case .join = $0 { true } else { false } })
        #expect(!policy.hasWork)
    }

    @Test mutating func `A queue wish ends with the record of its file`() {
        _ = place()

        _ = handle(.remove(1))

        #expect(!policy.hasWork)
        #expect(handle(.answered(1, .joined)).isEmpty)
    }
}
