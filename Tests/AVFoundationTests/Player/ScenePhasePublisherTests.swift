import Combine
import Synchronization
import Testing
import UIKit

@MainActor @Suite struct `A publisher of scene phases` {
    private let application = UIApplication(center: NotificationCenter(), clock: .mainQueue)

    @Test func `It has the current phase and all that follow, until it is cancelled`() {
        application.host.launch(into: .inactive)
        let seen = Mutex<[ScenePhase]>([])
        let application = application
        let subscription = application.scenePhasePublisher.sink { phase in
            #expect(application.scenePhase == phase)
            seen.withLock { $0.append(phase) }
        }

        application.host.enter(.active)
        subscription.cancel()
        application.host.enter(.background)

        #expect(seen.withLock(\.self) == [.inactive, .active])
    }
}
