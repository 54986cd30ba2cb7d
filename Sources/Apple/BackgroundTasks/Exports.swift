// Apple's background tasks, scheduled in the process of the application. Code for iOS that refreshes
// in the background keeps its names; see `WhatDiffers-BackgroundTasks` in AVFoundation's
// documentation.
@_exported public import Foundation
