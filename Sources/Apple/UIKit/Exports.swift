// This module is the application's life cycle under UIKit's names, so that iOS code which follows
// the foreground and the background keeps its `import UIKit`. It contains no user interface.
@_exported public import Foundation
