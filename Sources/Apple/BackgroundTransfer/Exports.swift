// Apple's background URLSession over `undersong-transferd`. Code for iOS that transfers in the
// background keeps its names; see `WhatDiffers-BackgroundTransfer` in AVFoundation's documentation.
@_exported public import Foundation
