import TestSupport
import Testing
import UndersongBase

@testable import UndersongLibrary

/// The scans of a library: which one runs when.
@Suite struct `The plan of a library's scans` {
    private let music = ScanRequest(root: "/music")

    /// A plan with a folder whose first scan is complete at 0.
    private func settled(_ folders: [FilePath] = ["/music"]) -> ScanPlan {
        var plan = ScanPlan()
        _ = plan.handle(.began(folders), at: 0)
        for _ in folders { _ = plan.handle(.ended(ScanOutcome(.complete)), at: 0) }
        return plan
    }

    private func scans(_ effects: [ScanPlan.Effect]) -> [ScanRequest] {
        effects.compactMap { if case .scan(let request) = $0 { request } else { nil } }
    }

    @Test func `All folders are scanned at the beginning, one after the other`() {
        var plan = ScanPlan()
        let other = ScanRequest(root: "/other")

        #expect(
            plan.handle(.began(["/music", "/other"]), at: 0) == [.forgetMissing, .scan(music)])
        #expect(plan.running == music)
        let next = plan.handle(.ended(ScanOutcome(.complete)), at: 1)
        #expect(next == [.note("/music", isMissing: false), .scan(other)])
        #expect(
            plan.handle(.ended(ScanOutcome(.complete)), at: 2) == [
                .note("/other", isMissing: false)
            ])
        #expect(plan.running == nil)
        #expect(plan.nextDue(at: 2) == Due(boot: 86_400))
        #expect(plan.handle(.timePassed, at: 86_400) == [.forgetMissing])
    }

    @Test(.rule("LB33")) func `A changed folder is scanned when its changes pause`() {
        var plan = settled()
        let album = ScanRequest(root: "/music", folder: "/music/a", isRecursive: false)
        let change = ScanPlan.Input.changed("/music/a", isRecursive: false)

        #expect(plan.handle(change, at: 10) == [])
        #expect(plan.nextDue(at: 10) == Due(boot: 12))
        #expect(plan.handle(change, at: 11.5) == [])
        #expect(plan.handle(.timePassed, at: 12) == [])
        #expect(plan.handle(.timePassed, at: 13.5) == [.scan(album)])
    }

    @Test(.rule("LB33")) func `Changes without a pause are scanned after half a minute`() {
        var plan = settled()
        var time = 100.0
        while time < 129.5 {
            #expect(plan.handle(.changed("/music/a", isRecursive: false), at: time) == [])
            time += 1
        }
        #expect(scans(plan.handle(.timePassed, at: 130)).map(\.folder) == ["/music/a"])
    }

    @Test func `A change during a scan waits for its end`() {
        var plan = settled()
        _ = plan.handle(.asked(nil, readsAll: true), at: 10)
        #expect(plan.running == ScanRequest(root: "/music", readsAll: true))
        #expect(plan.handle(.changed("/music/a", isRecursive: true), at: 11) == [])
        #expect(plan.handle(.timePassed, at: 14) == [])

        let effects = plan.handle(.ended(ScanOutcome(.complete)), at: 15)

        #expect(scans(effects) == [ScanRequest(root: "/music", folder: "/music/a")])
    }

    @Test func `What a wider scan includes is not scanned twice`() {
        var plan = settled()
        _ = plan.handle(.changed("/music/a/b", isRecursive: false), at: 10)
        _ = plan.handle(.changed("/music/a", isRecursive: true), at: 10)
        _ = plan.handle(.changed("/music/a/c", isRecursive: true), at: 10)
        _ = plan.handle(.changed("/music/ab", isRecursive: false), at: 10)

        let first = plan.handle(.timePassed, at: 12)
        let second = plan.handle(.ended(ScanOutcome(.complete)), at: 13)
        let third = plan.handle(.ended(ScanOutcome(.complete)), at: 14)

        #expect(scans(first) == [ScanRequest(root: "/music", folder: "/music/a")])
        #expect(
            scans(second) == [
                ScanRequest(root: "/music", folder: "/music/ab", isRecursive: false)
            ])
        #expect(scans(third) == [])
    }

    @Test func `Very many changes become one scan of all`() {
        var plan = settled()
        for number in 0...ScanPlan.changeLimit {
            _ = plan.handle(.changed("/music/\(number)", isRecursive: false), at: 10)
        }
        #expect(scans(plan.handle(.timePassed, at: 12)) == [music])
        #expect(scans(plan.handle(.ended(ScanOutcome(.complete)), at: 13)) == [])
    }

    @Test func `Lost changes are looked for everywhere`() {
        var plan = settled(["/music", "/other"])
        #expect(plan.handle(.lostChanges, at: 10) == [])
        #expect(scans(plan.handle(.timePassed, at: 12)) == [music])
        #expect(
            scans(plan.handle(.ended(ScanOutcome(.complete)), at: 13)) == [
                ScanRequest(root: "/other")
            ])
    }

    @Test(.rule("LB33")) func `A folder that is not watched is scanned every hour`() {
        var plan = settled()
        _ = plan.handle(.asked("/music/a", readsAll: false), at: 10)
        _ = plan.handle(.ended(ScanOutcome(.complete, watchProblem: "a limit")), at: 20)

        #expect(plan.watchProblem(of: "/music") == "a limit")
        #expect(plan.nextDue(at: 20) == Due(boot: 3620))
        #expect(plan.handle(.timePassed, at: 3620) == [.scan(music)])
        _ = plan.handle(.ended(ScanOutcome(.complete)), at: 3621)
        #expect(plan.watchProblem(of: "/music") == nil)
        #expect(plan.nextDue(at: 3621) == Due(boot: 86_400))
    }

    @Test(.rule("LB33"))
    func `A missing folder is looked for every hour, and noted when it comes and goes`() {
        var plan = settled()
        _ = plan.handle(.asked(nil, readsAll: false), at: 10)
        #expect(
            plan.handle(.ended(ScanOutcome(.rootIsMissing)), at: 20)
                == [.note("/music", isMissing: true)])
        #expect(plan.handle(.timePassed, at: 3620) == [.scan(music)])
        #expect(plan.handle(.ended(ScanOutcome(.rootIsMissing)), at: 3620) == [])
        #expect(plan.handle(.timePassed, at: 7220) == [.scan(music)])
        #expect(
            plan.handle(.ended(ScanOutcome(.complete)), at: 7221)
                == [.note("/music", isMissing: false)])
    }

    @Test(.rule("LB34"))
    func `A scan whose results were not stored is tried again, less and less often`() {
        var plan = settled()
        var now = 10.0
        _ = plan.handle(.asked(nil, readsAll: false), at: now)
        for delay in [60.0, 120, 240] {
            #expect(plan.handle(.ended(ScanOutcome(.failed("No space left"))), at: now) == [])
            #expect(plan.problems.first == "/music: No space left")
            #expect(plan.nextDue(at: now) == Due(boot: now + delay))
            now += delay
            #expect(plan.handle(.timePassed, at: now) == [.scan(music)])
        }
        _ = plan.handle(.ended(ScanOutcome(.complete)), at: now)
        #expect(plan.nextDue(at: now) == Due(boot: 86_400))
    }

    @Test func `A removed folder is left when its scan has ended`() {
        var plan = ScanPlan()
        _ = plan.handle(.began(["/music"]), at: 0)
        #expect(plan.handle(.removed("/music"), at: 1) == [.stopScan])
        #expect(plan.handle(.ended(ScanOutcome(.stopped)), at: 2) == [.leave("/music")])
        #expect(plan.folders == [])
        #expect(plan.running == nil)
    }

    @Test func `Leaving an outer folder keeps the inner one, and the other way round`() {
        var plan = settled(["/music", "/music/rock"])
        #expect(plan.handle(.removed("/music/rock"), at: 1) == [])
        _ = plan.handle(.added("/music/rock"), at: 2)
        _ = plan.handle(.ended(ScanOutcome(.complete)), at: 2)
        #expect(
            plan.handle(.removed("/music"), at: 3)
                == [.leave("/music"), .scan(ScanRequest(root: "/music/rock"))])
    }

    @Test func `While it is held no scan runs, and then the one that was stopped`() {
        var plan = ScanPlan()
        _ = plan.handle(.began(["/music"]), at: 0)
        #expect(plan.handle(.held, at: 1) == [.stopScan])
        #expect(plan.handle(.ended(ScanOutcome(.stopped)), at: 2) == [])
        #expect(plan.handle(.changed("/music/a", isRecursive: false), at: 3) == [])
        #expect(plan.handle(.timePassed, at: 100) == [])
        #expect(plan.isWaiting)
        #expect(plan.handle(.released, at: 101) == [.scan(music)])
        #expect(!plan.isWaiting)
    }

    @Test func `A folder that is not in the library is not scanned`() {
        var plan = settled()
        #expect(plan.handle(.asked("/elsewhere", readsAll: false), at: 10) == [])
        #expect(plan.handle(.changed("/musical", isRecursive: true), at: 10) == [])
        #expect(plan.handle(.timePassed, at: 100) == [])
    }

    @Test func `The latest problems come first, and are not endless`() {
        var plan = settled()
        for number in 0..<80 {
            _ = plan.handle(.asked(FilePath("/music/\(number)"), readsAll: false), at: 10)
            let problems = ["\(number) a", "\(number) b"]
            _ = plan.handle(.ended(ScanOutcome(.complete, problems: problems)), at: 10)
        }
        #expect(plan.problems.prefix(3) == ["79 b", "79 a", "78 b"])
        #expect(plan.problems.count == 100)
    }
    @Test func `A scan replaces the problems of what it has looked at again`() {
        var plan = settled()
        func scan(_ folder: FilePath?, _ outcome: ScanOutcome) {
            _ = plan.handle(.asked(folder, readsAll: false), at: 10)
            _ = plan.handle(.ended(outcome), at: 10)
        }
        scan("/music/a", ScanOutcome(.complete, problems: ["a: Permission denied"]))
        scan("/music/b", ScanOutcome(.complete, problems: ["b: Permission denied"]))
        scan("/music/b", ScanOutcome(.complete, problems: ["b: Permission denied"]))
        #expect(plan.problems == ["b: Permission denied", "a: Permission denied"])
        scan("/music/b", ScanOutcome(.complete))
        #expect(plan.problems == ["a: Permission denied"])
        scan(nil, ScanOutcome(.complete))
        #expect(plan.problems == [])
    }

    @Test func `A scan that was not complete, or of a part, keeps other problems`() {
        var plan = settled()
        _ = plan.handle(.asked(nil, readsAll: false), at: 10)
        _ = plan.handle(.ended(ScanOutcome(.complete, problems: ["x: Permission denied"])), at: 10)
        _ = plan.handle(.asked("/music/a", readsAll: false), at: 10)
        _ = plan.handle(.ended(ScanOutcome(.complete)), at: 10)
        #expect(plan.problems == ["x: Permission denied"])
        _ = plan.handle(.asked(nil, readsAll: false), at: 10)
        _ = plan.handle(.ended(ScanOutcome(.failed("No space left"))), at: 10)
        #expect(plan.problems == ["/music: No space left", "x: Permission denied"])
        _ = plan.handle(.removed("/music"), at: 11)
        #expect(plan.problems == [])
    }
}
