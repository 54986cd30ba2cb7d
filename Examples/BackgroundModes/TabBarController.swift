import Foundation
import UIKit
import UndersongDemoScreen

/// The four tabs, and what touches do on them.
@MainActor
final class TabBarController {
    let audio: AudioViewController
    let location: LocationViewController
    let whatever: WhateverViewController
    let fetch: FetchViewController

    private(set) var selected = DemoTab.audio
    /// Called when `screen` has changed.
    var onChange: () -> Void = {}

    private let application: UIApplication

    init(
        _ application: UIApplication = .shared, audio: AudioViewController,
        location: LocationViewController, whatever: WhateverViewController,
        fetch: FetchViewController
    ) {
        self.application = application
        self.audio = audio
        self.location = location
        self.whatever = whatever
        self.fetch = fetch
        let changed = { [weak self] in self?.onChange() ?? () }
        audio.onChange = changed
        location.onChange = changed
        whatever.onChange = changed
        fetch.onChange = { [weak self] in
            self?.clearBadge()
            changed()
        }
    }

    /// The content of the screen. What moves on a tab that is not seen is left out: it would be sent
    /// 20 times a second.
    var screen: DemoScreen {
        var screen = DemoScreen()
        screen.tab = selected
        screen.audio = audio.view
        if selected != .audio { (screen.audio.seconds, screen.audio.level) = (0, nil) }
        screen.location = location.view
        screen.whatever = whatever.view
        screen.fetch = fetch.view
        if fetch.unread > 0 { screen.badges = [DemoTab.fetch.rawValue: fetch.unread] }
        return screen
    }

    func applicationDidBecomeActive() {
        clearBadge()
        onChange()
    }

    func handle(_ touch: DemoTouch) {
        switch touch {
        case .tab(let tab): select(tab)
        case .playPause: audio.playPauseTapped()
        case .song(let index): audio.songTapped(index)
        case .seek(let seconds): audio.seek(by: seconds)
        case .locationSwitch: location.enabledChanged()
        case .accuracy(let index): location.accuracyChanged(index)
        case .filter(let meters): location.filterChanged(meters)
        case .calculation: whatever.didTapPlayPause()
        case .update: fetch.updateButtonTapped()
        case .route(let path, let speed): location.simulate(path, speed: speed)
        }
    }

    private func select(_ tab: DemoTab) {
        selected = tab
        clearBadge()
        onChange()
    }

    /// Clears the badge of reports that the user sees.
    private func clearBadge() {
        guard selected == .fetch, application.applicationState == .active else { return }
        fetch.didShowReports()
    }
}
