// Empty, but required: Swift Testing imports this module into any file that imports both Testing
// and a module called UIKit. Apple's module lets tests attach images. Without it a test on Linux
// could not import this package's UIKit, or MediaPlayer, which re-exports it.
