// A player's view model as in an iOS app: `ViewModelExample FILE...` plays the files, shows titles
// and times, and reports the times of the second file from the background.
import AVFoundation
import UIKit

let viewModel = PlayerViewModel(songs: Array(CommandLine.arguments.dropFirst()))
let screen = PlayerScreen(viewModel: viewModel)
screen.viewDidLoad()
screen.playButtonTapped()

let homeButton = HomeButton(player: viewModel.player)
homeButton.pressBehindFirstItem()
RunLoop.main.run()
