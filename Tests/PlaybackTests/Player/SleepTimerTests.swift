import Testing
import UndersongPlayback

@Suite struct `A sleep timer` {
    @Test func `A sleep timer reports once that it is time to fade, and then that it is over`() {
        var timer = SleepTimer(seconds: 30, fade: 10, at: 100)

        #expect(timer.nextDue == 120 && timer.remaining(at: 101) == 29)
        #expect(timer.advance(to: 119.9) == nil && !timer.isFading)
        #expect(timer.advance(to: 120) == .fadeOut(seconds: 10) && timer.isFading)
        #expect(timer.nextDue == 130)
        #expect(timer.advance(to: 125) == nil)
        #expect(timer.advance(to: 130) == .pause)
        #expect(timer.remaining(at: 131) == 0)
    }

    @Test func `A sleep timer never has more left than was set, however its end is rounded`() {
        let timer = SleepTimer(seconds: 60, fade: 0, at: 100.3)

        #expect(timer.deadline - 100.3 > 60)
        #expect(timer.remaining(at: 100.3) == 60)
    }

    @Test func `A sleep timer that is checked late fades for the rest, or not at all`() {
        var late = SleepTimer(seconds: 30, fade: 10, at: 0)
        var tooLate = late

        #expect(late.advance(to: 27.5) == .fadeOut(seconds: 2.5))
        #expect(tooLate.advance(to: 9000) == .pause && !tooLate.isFading)
    }

    @Test func `A sleep timer without a fade only ends`() {
        var timer = SleepTimer(seconds: 30, fade: 0, at: 0)

        #expect(timer.nextDue == 30)
        #expect(timer.advance(to: 29.9) == nil)
        #expect(timer.advance(to: 30) == .pause)
    }

    @Test func `A sleep timer fades for no longer than its duration`() {
        var timer = SleepTimer(seconds: 4, fade: 10, at: 50)

        #expect(timer.advance(to: 50) == .fadeOut(seconds: 4))
    }
}
