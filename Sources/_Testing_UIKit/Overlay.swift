// Nothing, and yet needed: Swift Testing names this module as what a file gets that imports both it
// and a module called UIKit. Apple's lets images be attached to tests. Without any such module a
// test on Linux could not import this package's UIKit, nor MediaPlayer, which brings it along.
