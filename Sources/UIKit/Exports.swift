// This module is the application's life cycle under UIKit's names, so that code which was written
// for iOS keeps its `import UIKit` where it follows the foreground and the background. There is no
// user interface in it, and no view will ever come.
@_exported public import Foundation
