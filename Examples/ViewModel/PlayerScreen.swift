import AVFoundation
import UIKit

/// A view controller without views: its labels are lines of text.
class PlayerScreen {
    private let viewModel: PlayerViewModel
    private var observers: [NSObjectProtocol] = []

    init(viewModel: PlayerViewModel) {
        self.viewModel = viewModel
    }

    deinit {
        observers.forEach { NotificationCenter.default.removeObserver($0) }
    }

    func viewDidLoad() {
        viewModel.onTitleChange = { [weak self] title in
            print("Title: \(title)")
            self?.showLength()
        }
        viewModel.onTimeChange = { text in print("Time: \(text)") }
        viewModel.onFinish = {
            print("Finished")
            exit(0)
        }
        let center = NotificationCenter.default
        observers = [
            center.addObserver(
                forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: .main
            ) { _ in print("In the background") },
            center.addObserver(
                forName: UIApplication.willEnterForegroundNotification, object: nil, queue: .main
            ) { _ in print("In front again") },
        ]
        viewModel.startObserving()
    }

    func playButtonTapped() {
        viewModel.togglePlayPause()
    }

    private func showLength() {
        guard let asset = viewModel.player.currentItem?.asset else { return }
        print("Length: \(asset.duration.positionalText)")
    }
}
