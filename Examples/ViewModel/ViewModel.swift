import AVFoundation
import UIKit

/// A player's view model as in an iOS app: plays the files, shows titles and times, and reports the
/// times of the second file from the background.
@MainActor
func viewModel(_ files: [String]) -> Any {
    let viewModel = PlayerViewModel(songs: files)
    let screen = PlayerScreen(viewModel: viewModel)
    screen.viewDidLoad()
    screen.playButtonTapped()

    let homeButton = HomeButton(player: viewModel.player)
    homeButton.pressBehindFirstItem()
    return [screen, homeButton]
}
