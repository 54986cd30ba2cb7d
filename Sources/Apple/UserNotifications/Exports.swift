// Apple's notifications of the user, shown by the notification server of the desktop. Code for iOS keeps
// its names; see `WhatDiffers-UserNotifications` in AVFoundation's documentation.
@_exported public import Foundation
