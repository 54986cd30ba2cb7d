import TestSupport
import Testing
import UndersongBackground

extension BackgroundTasks {
    /// The task that is due at `now`.
    fileprivate mutating func advance(to now: Double) -> Effect? {
        handle(.timePassed, at: now).first
    }

    /// The next time at which something is due.
    fileprivate var nextDue: Double? { nextDue(at: 0).boot }
}

@Suite struct `Finite-length tasks` {
    @Test(.rule("E1")) func `Finite-length tasks each get an identifier, which is never 0`() {
        var tasks = BackgroundTasks()

        let identifiers = [tasks.begin(name: "a", at: 0), tasks.begin(name: nil, at: 0)]

        #expect(identifiers == [1, 2])
        #expect(tasks.identifiers == [1, 2])
    }

    @Test(.rule("T66"))
    func `A task's time is unlimited in the foreground, and then counts down from a budget`() {
        var tasks = BackgroundTasks()
        _ = tasks.begin(name: nil, at: 100)

        let inFront = tasks.timeRemaining(at: 1_000)
        tasks.enterBackground(at: 2_000)

        #expect(inFront == .greatestFiniteMagnitude)
        #expect(tasks.timeRemaining(at: 2_000) == 30)
        #expect(tasks.timeRemaining(at: 2_012.5) == 17.5)
        #expect(tasks.timeRemaining(at: 2_040) == 0)
    }

    @Test(.rule("T66")) func `Finite-length tasks expire once, five seconds before the end`() {
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

    @Test(.rule("T66")) func `Finite-length tasks end the host, by name, if they have not ended`() {
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

    @Test(.rule("T66"))
    func `Finite-length tasks are warned before the end, however late the clock is checked`() {
        var tasks = BackgroundTasks()
        _ = tasks.begin(name: "export", at: 0)
        tasks.enterBackground(at: 0)

        let due = [tasks.advance(to: 500), tasks.advance(to: 500)]

        #expect(due == [.expire([1]), .terminate([.init(identifier: 1, name: "export")])])
    }

    @Test(.rule("T66")) func `Finite-length tasks do not end the host if they have ended in time`()
    {
        var tasks = BackgroundTasks()
        let task = tasks.begin(name: nil, at: 0)
        tasks.enterBackground(at: 0)
        _ = tasks.advance(to: 25)

        let maySuspend = tasks.end(task ?? 0)
        let due = tasks.advance(to: 30)

        #expect(maySuspend)
        #expect(due == nil)
    }

    @Test
    func `A task's time is unlimited while sound plays in the background, and then a new budget`() {
        var tasks = BackgroundTasks()
        _ = tasks.setUnlimited(true, at: 0)
        tasks.enterBackground(at: 10)

        let task = tasks.begin(name: nil, at: 5_000)
        let remaining = tasks.timeRemaining(at: 5_000)
        let next = tasks.nextDue
        let isOver = tasks.setUnlimited(false, at: 6_000)

        #expect(task != nil)
        #expect(remaining == .greatestFiniteMagnitude)
        #expect(next == nil)
        #expect(!isOver)
        #expect(tasks.timeRemaining(at: 6_010) == 20)
        #expect(tasks.nextDue == 6_025)
    }

    @Test
    func `Finite-length tasks let the host be suspended when sound ends, until there is some`() {
        var tasks = BackgroundTasks()
        _ = tasks.setUnlimited(true, at: 0)
        tasks.enterBackground(at: 10)
        let whilePlaying = tasks.settle()

        let isOver = tasks.setUnlimited(false, at: 20)
        let isSuspended = tasks.isSuspended
        _ = tasks.setUnlimited(true, at: 30)

        #expect(!whilePlaying)
        #expect(isOver && isSuspended)
        #expect(!tasks.isSuspended)
    }

    @Test(.rule("E3")) func `A new budget for tasks holds from the next time in the background on`()
    {
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

    @Test(.rule("T67")) func `Finite-length tasks need one end for each begin`() {
        var tasks = BackgroundTasks()
        let first = tasks.begin(name: nil, at: 0)
        let second = tasks.begin(name: nil, at: 0)
        tasks.enterBackground(at: 0)

        let afterOne = tasks.end(first ?? 0)
        let again = tasks.end(first ?? 0)
        let afterBoth = tasks.end(second ?? 0)

        #expect([afterOne, again, afterBoth] == [false, false, true])
    }

    @Test(.rule("T67"))
    func `Finite-length tasks share one clock, which another task does not reset`() {
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

    @Test(.rule("E2")) func `A task cannot begin when the time is nearly over`() {
        var tasks = BackgroundTasks()
        _ = tasks.begin(name: nil, at: 0)
        tasks.enterBackground(at: 0)

        let identifiers = [24.9, 25].map { tasks.begin(name: nil, at: $0) }

        #expect(identifiers == [2, nil])
    }

    @Test(.rule("A6")) func `A task may begin while the application is entering the background`() {
        var tasks = BackgroundTasks()
        tasks.enterBackground(at: 0)

        let task = tasks.begin(name: nil, at: 0)
        let maySuspend = tasks.settle()

        #expect(task == 1)
        #expect(!maySuspend)
        #expect(tasks.timeRemaining(at: 1) == 29)
    }

    @Test(.rule("E8")) func `A stay in the background without a task has no time at all`() {
        var tasks = BackgroundTasks()

        tasks.enterBackground(at: 10)
        let maySuspend = tasks.settle()

        #expect(maySuspend)
        #expect(tasks.timeRemaining(at: 10) == 0)
        #expect(tasks.begin(name: nil, at: 10) == nil)
    }

    @Test(.rule("E8", "T68"))
    func `No task has time if one has expired and no other has begun since`() {
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

    @Test(.rule("T68")) func `Finite-length tasks have time again if one has begun on return`() {
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

    @Test(.rule("T69")) func `Finite-length tasks have a fresh block of time after each return`() {
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

    @Test(.rule("T69"))
    func `Finite-length tasks have no fresh block for entering the background twice`() {
        var tasks = BackgroundTasks()
        _ = tasks.begin(name: nil, at: 0)
        tasks.enterBackground(at: 0)

        tasks.enterBackground(at: 20)

        #expect(tasks.timeRemaining(at: 20) == 10)
    }

    @Test(.rule("E6")) func `The end of a finite-length task that never began is ignored`() {
        var tasks = BackgroundTasks()
        tasks.enterBackground(at: 0)

        let maySuspend = tasks.end(7)

        #expect(!maySuspend)
    }
}
