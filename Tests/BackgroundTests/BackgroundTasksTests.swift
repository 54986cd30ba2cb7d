import Testing
import UndersongBackground

@Suite struct `Finite-length tasks` {
    @Test func `E1: each get an identifier, which is never 0`() {
        var tasks = BackgroundTasks()

        let identifiers = [tasks.begin(name: "a", at: 0), tasks.begin(name: nil, at: 0)]

        #expect(identifiers == [1, 2])
        #expect(tasks.identifiers == [1, 2])
    }

    @Test func `T66: have unlimited time in the foreground, then a budget that counts down`() {
        var tasks = BackgroundTasks()
        _ = tasks.begin(name: nil, at: 100)

        let inFront = tasks.timeRemaining(at: 1_000)
        tasks.enterBackground(at: 2_000)

        #expect(inFront == .greatestFiniteMagnitude)
        #expect(tasks.timeRemaining(at: 2_000) == 30)
        #expect(tasks.timeRemaining(at: 2_012.5) == 17.5)
        #expect(tasks.timeRemaining(at: 2_040) == 0)
    }

    @Test func `T66: expire once, five seconds before the end`() {
        var tasks = BackgroundTasks()
        _ = tasks.begin(name: "first", at: 0)
        _ = tasks.begin(name: "second", at: 0)
        tasks.enterBackground(at: 10)

        let next = tasks.nextDue
        let due = [34.9, 35, 35.1].map { tasks.advance(to: $0) }

        #expect(next == 35)
        #expect(due == [nil, .expire([1, 2]), nil])
        #expect(tasks.nextDue == 40)
    }

    @Test func `T66: end the host, by name, if they have not ended`() {
        var tasks = BackgroundTasks()
        _ = tasks.begin(name: "export", at: 0)
        let other = tasks.begin(name: nil, at: 0)
        _ = tasks.begin(name: "upload", at: 0)
        tasks.enterBackground(at: 0)
        _ = tasks.advance(to: 25)
        _ = tasks.end(other ?? 0)

        let due = [tasks.advance(to: 30), tasks.advance(to: 31)]

        #expect(
            due == [
                .terminate([
                    .init(identifier: 1, name: "export"), .init(identifier: 3, name: "upload"),
                ]), nil,
            ])
        #expect(tasks.nextDue == nil)
        #expect(tasks.timeRemaining(at: 31) == 0)
    }

    @Test func `T66: are warned before the end, however late the clock is checked`() {
        var tasks = BackgroundTasks()
        _ = tasks.begin(name: "export", at: 0)
        tasks.enterBackground(at: 0)

        let due = [tasks.advance(to: 500), tasks.advance(to: 500)]

        #expect(due == [.expire([1]), .terminate([.init(identifier: 1, name: "export")])])
    }

    @Test func `T66: do not end the host if they have ended in time`() {
        var tasks = BackgroundTasks()
        let task = tasks.begin(name: nil, at: 0)
        tasks.enterBackground(at: 0)
        _ = tasks.advance(to: 25)

        let maySuspend = tasks.end(task ?? 0)
        let due = tasks.advance(to: 30)

        #expect(maySuspend)
        #expect(due == nil)
    }

    @Test func `have unlimited time in the background while sound plays, and then a new budget`() {
        var tasks = BackgroundTasks()
        _ = tasks.setAudible(true, at: 0)
        tasks.enterBackground(at: 10)

        let task = tasks.begin(name: nil, at: 5_000)
        let remaining = tasks.timeRemaining(at: 5_000)
        let next = tasks.nextDue
        let isOver = tasks.setAudible(false, at: 6_000)

        #expect(task != nil)
        #expect(remaining == .greatestFiniteMagnitude)
        #expect(next == nil)
        #expect(!isOver)
        #expect(tasks.timeRemaining(at: 6_010) == 20)
        #expect(tasks.nextDue == 6_025)
    }

    @Test func `let the host be suspended when the sound ends, until there is sound again`() {
        var tasks = BackgroundTasks()
        _ = tasks.setAudible(true, at: 0)
        tasks.enterBackground(at: 10)
        let whilePlaying = tasks.settle()

        let isOver = tasks.setAudible(false, at: 20)
        let isSuspended = tasks.isSuspended
        _ = tasks.setAudible(true, at: 30)

        #expect(!whilePlaying)
        #expect(isOver && isSuspended)
        #expect(!tasks.isSuspended)
    }

    @Test func `E3: have a new budget from the next time in the background on`() {
        var tasks = BackgroundTasks(budget: 180, warning: 10)
        _ = tasks.begin(name: nil, at: 0)
        tasks.enterBackground(at: 0)

        tasks.setBudget(60, warning: 5)
        let thisTime = (tasks.timeRemaining(at: 0), tasks.nextDue)
        tasks.enterForeground()
        tasks.enterBackground(at: 1_000)

        #expect(thisTime == (180, 170))
        #expect(tasks.timeRemaining(at: 1_000) == 60)
        #expect(tasks.nextDue == 1_055)
    }

    @Test func `T67: need one end for each begin`() {
        var tasks = BackgroundTasks()
        let first = tasks.begin(name: nil, at: 0)
        let second = tasks.begin(name: nil, at: 0)
        tasks.enterBackground(at: 0)

        let afterOne = tasks.end(first ?? 0)
        let again = tasks.end(first ?? 0)
        let afterBoth = tasks.end(second ?? 0)

        #expect([afterOne, again, afterBoth] == [false, false, true])
    }

    @Test func `T67: share one clock, which another task does not reset`() {
        var tasks = BackgroundTasks()
        _ = tasks.begin(name: nil, at: 0)
        tasks.enterBackground(at: 0)

        let later = tasks.begin(name: nil, at: 20)
        let remaining = tasks.timeRemaining(at: 20)
        let due = tasks.advance(to: 25)

        #expect(later == 2)
        #expect(remaining == 10)
        #expect(due == .expire([1, 2]))
    }

    @Test func `E2: cannot begin when their time is nearly over`() {
        var tasks = BackgroundTasks()
        _ = tasks.begin(name: nil, at: 0)
        tasks.enterBackground(at: 0)

        let identifiers = [24.9, 25].map { tasks.begin(name: nil, at: $0) }

        #expect(identifiers == [2, nil])
    }

    @Test func `A6: may begin while the application is entering the background`() {
        var tasks = BackgroundTasks()
        tasks.enterBackground(at: 0)

        let task = tasks.begin(name: nil, at: 0)
        let maySuspend = tasks.settle()

        #expect(task == 1)
        #expect(!maySuspend)
        #expect(tasks.timeRemaining(at: 1) == 29)
    }

    @Test func `T68: have no time if one has expired and no other has begun since`() {
        var tasks = BackgroundTasks()
        let task = tasks.begin(name: nil, at: 0)
        tasks.enterBackground(at: 0)
        _ = tasks.advance(to: 25)
        _ = tasks.end(task ?? 0)
        tasks.enterForeground()

        tasks.enterBackground(at: 100)
        let maySuspend = tasks.settle()
        let late = tasks.begin(name: nil, at: 100)

        #expect(maySuspend)
        #expect(tasks.timeRemaining(at: 100) == 0)
        #expect(late == nil)
    }

    @Test func `T68: have time again if one has begun on return`() {
        var tasks = BackgroundTasks()
        let task = tasks.begin(name: nil, at: 0)
        tasks.enterBackground(at: 0)
        _ = tasks.advance(to: 25)
        _ = tasks.end(task ?? 0)
        tasks.enterForeground()

        let again = tasks.begin(name: nil, at: 90)
        tasks.enterBackground(at: 100)
        let maySuspend = tasks.settle()

        #expect(again == 2)
        #expect(!maySuspend)
        #expect(tasks.timeRemaining(at: 100) == 30)
    }

    @Test func `T69: have a fresh block of time after each return`() {
        var tasks = BackgroundTasks()
        _ = tasks.begin(name: nil, at: 0)
        tasks.enterBackground(at: 0)
        let first = tasks.timeRemaining(at: 20)
        tasks.enterForeground()
        let inFront = tasks.nextDue

        tasks.enterBackground(at: 50)
        let second = tasks.timeRemaining(at: 50)
        let due = [74, 75].map { tasks.advance(to: $0) }

        #expect([first, second] == [10, 30])
        #expect(inFront == nil)
        #expect(due == [nil, .expire([1])])
    }

    @Test func `T69: have no fresh block for entering the background twice`() {
        var tasks = BackgroundTasks()
        _ = tasks.begin(name: nil, at: 0)
        tasks.enterBackground(at: 0)

        tasks.enterBackground(at: 20)

        #expect(tasks.timeRemaining(at: 20) == 10)
    }

    @Test func `E6: ignore the end of a task that never began`() {
        var tasks = BackgroundTasks()
        tasks.enterBackground(at: 0)

        let maySuspend = tasks.end(7)

        #expect(!maySuspend)
    }
}
