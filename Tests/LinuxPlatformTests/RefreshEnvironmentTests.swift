import Foundation
import Testing
import UndersongBackground
import UndersongBase
import UndersongLinuxPlatform

@Suite struct `This machine, for background tasks` {
    @Test func `The machine has both clocks and the local time for background tasks`() {
        let environment = RefreshEnvironment.system(clock: SystemClock())
        let (before, now) = (SystemClock().secondsSinceBoot, environment.now())

        #expect(now.boot >= before)
        #expect(abs(now.wall - Date.now.timeIntervalSince1970) < 60)
        #expect(
            now.utcOffset
                == Double(
                    TimeZone.current.secondsFromGMT(
                        for: Date(timeIntervalSince1970: now.wall))))
        #expect(environment.load().map { $0 >= 0 } == true)
        #expect(environment.bootID.count == 36)
    }

    @Test func `The machine follows the login session for programs that do not do that themselves`()
    {
        let service = RefreshEnvironment.system(clock: SystemClock())
        let program = RefreshEnvironment.system(clock: SystemClock(), followsLogin: true)

        #expect(service.watchMachine != nil && service.watchLogin == nil)
        #expect(program.watchMachine != nil && program.watchLogin != nil)
    }
}
