// A player's view model as an app for iOS has it: `ViewModelExample FILE...` plays the files, shows
// titles and times, and tells the times of the second file in the background.
import AVFoundation
import UIKit

let viewModel = PlayerViewModel(songs: Array(CommandLine.arguments.dropFirst()))
let screen = PlayerScreen(viewModel: viewModel)
screen.viewDidLoad()
screen.playButtonTapped()

let homeButton = HomeButton(player: viewModel.player)
homeButton.pressBehindFirstItem()
RunLoop.main.run()
