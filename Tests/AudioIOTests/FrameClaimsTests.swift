import TestSupport
import Testing

@testable import UndersongAudioIO

@Suite(.blockingThreads) struct `The claims on a ring's frames` {
    @Test
    func `The claims on frames end at the frame at which they are stopped, and continue there`() {
        let claims = FrameClaims()

        let isFirst = claims.claim(100, at: claims.now)
        let place = claims.stop()
        let isStopped = claims.claim(100, at: claims.now)
        claims.allow()
        let isSecond = claims.claim(7, at: claims.now)
        let end = claims.stop()

        #expect(isFirst && !isStopped && isSecond)
        #expect(place == 100)
        #expect(end == 107)
    }

    @Test
    func `The claims on frames fail if they were stopped and allowed again since their moment`() {
        let claims = FrameClaims()
        let moment = claims.now
        _ = claims.stop()
        claims.allow()

        let isClaimed = claims.claim(100, at: moment)

        #expect(!isClaimed)
        #expect(claims.now.position == 0)
    }

    @Test func `The claims on frames keep their position, however often they are stopped`() {
        let claims = FrameClaims()
        let isClaimed = claims.claim(1 << 40, at: claims.now)
        for _ in 0..<70_000 {
            _ = claims.stop()
            claims.allow()
            claims.allow()
        }

        #expect(isClaimed)
        #expect(claims.now.position == 1 << 40)
        #expect(!claims.now.isStopped)
    }

    @Test func `The claims on frames never pass the place of a stop, whenever it happens`() throws {
        let stage = ClaimStage()

        try together(
            {
                while !stage.isOver.isSet {
                    let moment = stage.claims.now
                    if stage.claims.claim(3, at: moment) { stage.taken.increase() }
                }
            },
            {
                while stage.taken.value < 200_000 {
                    let place = stage.claims.stop()
                    let still = stage.claims.now.position
                    if place != still { stage.faults.increase() }
                    stage.claims.allow()
                }
                stage.isOver.set()
            })

        #expect(stage.faults.value == 0)
        #expect(stage.claims.now.position == 3 * stage.taken.value)
    }
}

/// The state that both threads share.
private final class ClaimStage: Sendable {
    let claims = FrameClaims()
    let taken = Shared()
    let faults = Shared()
    let isOver = Flag()
}

private final class Flag: Sendable {
    private let number = Shared()

    var isSet: Bool { number.value > 0 }

    func set() { number.value = 1 }
}
