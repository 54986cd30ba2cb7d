// Apple's locations: code for iOS that uses places keeps its names. See `WhatDiffers-CoreLocation` in
// AVFoundation's documentation.
@_exported public import Foundation
