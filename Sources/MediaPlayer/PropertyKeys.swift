// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The keys of `MPNowPlayingInfoCenter.nowPlayingInfo`, with Apple's strings. Numbers may be any of
// Swift's or `NSNumber`.

/// The title: `String`.
public let MPMediaItemPropertyTitle = "title"
/// Who performs: `String`.
public let MPMediaItemPropertyArtist = "artist"
/// The album: `String`.
public let MPMediaItemPropertyAlbumTitle = "albumTitle"
/// Whose album it is: `String`.
public let MPMediaItemPropertyAlbumArtist = "albumArtist"
/// The genre: `String`.
public let MPMediaItemPropertyGenre = "genre"
/// Who wrote it: `String`.
public let MPMediaItemPropertyComposer = "composer"
/// Its length in seconds: a number.
public let MPMediaItemPropertyPlaybackDuration = "playbackDuration"
/// Its place on the album, from 1: a number.
public let MPMediaItemPropertyAlbumTrackNumber = "albumTrackNumber"
/// How many tracks the album has: a number.
public let MPMediaItemPropertyAlbumTrackCount = "albumTrackCount"
/// The disc, from 1: a number.
public let MPMediaItemPropertyDiscNumber = "discNumber"
/// How many discs there are: a number.
public let MPMediaItemPropertyDiscCount = "discCount"
/// Its picture: `MPMediaItemArtwork`.
public let MPMediaItemPropertyArtwork = "artwork"
/// The item for programs: a number.
public let MPMediaItemPropertyPersistentID = "persistentID"
/// The album for programs: a number.
public let MPMediaItemPropertyAlbumPersistentID = "albumPersistentID"
/// The artist for programs: a number.
public let MPMediaItemPropertyArtistPersistentID = "artistPersistentID"
/// What kind of item it is: a number.
public let MPMediaItemPropertyMediaType = "mediaType"
/// Whether it is not for children: a number.
public let MPMediaItemPropertyIsExplicit = "isExplicit"
/// Whether it is not on this computer: a number.
public let MPMediaItemPropertyIsCloudItem = "isCloudItem"
/// Its words: `String`.
public let MPMediaItemPropertyLyrics = "lyrics"
/// What someone noted: `String`.
public let MPMediaItemPropertyComments = "comments"
/// When it was released: `Date`.
public let MPMediaItemPropertyReleaseDate = "releaseDate"
/// Its file: `URL`.
public let MPMediaItemPropertyAssetURL = "assetURL"
/// Its tempo: a number.
public let MPMediaItemPropertyBeatsPerMinute = "beatsPerMinute"
/// How often it was played: a number.
public let MPMediaItemPropertyPlayCount = "playCount"
/// How often it was skipped: a number.
public let MPMediaItemPropertySkipCount = "skipCount"
/// Its stars, 0 to 5: a number.
public let MPMediaItemPropertyRating = "rating"
/// When it was played last: `Date`.
public let MPMediaItemPropertyLastPlayedDate = "lastPlayedDate"
/// The user's own group: `String`.
public let MPMediaItemPropertyUserGrouping = "userGrouping"
/// Where it was left, in seconds: a number.
public let MPMediaItemPropertyBookmarkTime = "bookmarkTime"
/// Whether the album has several artists: a number.
public let MPMediaItemPropertyIsCompilation = "isCompilation"
/// The podcast: `String`.
public let MPMediaItemPropertyPodcastTitle = "podcastTitle"

/// Where the item was, in seconds, when the dictionary was set: a number. What is shown goes on from
/// there by itself, so set it only when it jumps.
public let MPNowPlayingInfoPropertyElapsedPlaybackTime =
    "MPNowPlayingInfoPropertyElapsedPlaybackTime"
/// How fast it plays: a number, 1 if it is missing and 0 while it is paused.
public let MPNowPlayingInfoPropertyPlaybackRate = "MPNowPlayingInfoPropertyPlaybackRate"
/// How fast the item plays if nothing else is said: a number.
public let MPNowPlayingInfoPropertyDefaultPlaybackRate =
    "MPNowPlayingInfoPropertyDefaultPlaybackRate"
/// Its place in the queue, from 0: a number.
public let MPNowPlayingInfoPropertyPlaybackQueueIndex = "MPNowPlayingInfoPropertyPlaybackQueueIndex"
/// How many items the queue has: a number.
public let MPNowPlayingInfoPropertyPlaybackQueueCount = "MPNowPlayingInfoPropertyPlaybackQueueCount"
/// How much of it was heard, 0 to 1: a number.
public let MPNowPlayingInfoPropertyPlaybackProgress = "MPNowPlayingInfoPropertyPlaybackProgress"
/// Its chapter, from 0: a number.
public let MPNowPlayingInfoPropertyChapterNumber = "MPNowPlayingInfoPropertyChapterNumber"
/// How many chapters there are: a number.
public let MPNowPlayingInfoPropertyChapterCount = "MPNowPlayingInfoPropertyChapterCount"
/// Whether it has no end: a number.
public let MPNowPlayingInfoPropertyIsLiveStream = "MPNowPlayingInfoPropertyIsLiveStream"
/// What it is: the raw value of an `MPNowPlayingInfoMediaType`.
public let MPNowPlayingInfoPropertyMediaType = "MPNowPlayingInfoPropertyMediaType"
/// Its file: `URL`.
public let MPNowPlayingInfoPropertyAssetURL = "MPNowPlayingInfoPropertyAssetURL"
/// The item for programs, whatever they are: `String`.
public let MPNowPlayingInfoPropertyExternalContentIdentifier =
    "MPNowPlayingInfoPropertyExternalContentIdentifier"
/// The profile that it is played for: `String`.
public let MPNowPlayingInfoPropertyExternalUserProfileIdentifier =
    "MPNowPlayingInfoPropertyExternalUserProfileIdentifier"
/// The service that it comes from: `String`.
public let MPNowPlayingInfoPropertyServiceIdentifier = "MPNowPlayingInfoPropertyServiceIdentifier"
/// The album or playlist that it is played from: `String`.
public let MPNowPlayingInfoCollectionIdentifier = "MPNowPlayingInfoCollectionIdentifier"
/// The moment that a live stream is at: `Date`.
public let MPNowPlayingInfoPropertyCurrentPlaybackDate =
    "MPNowPlayingInfoPropertyCurrentPlaybackDate"
/// Where the credits begin, in seconds: a number.
public let MPNowPlayingInfoPropertyCreditsStartTime = "MPNowPlayingInfoPropertyCreditsStartTime"
/// Where advertisements are: an array.
public let MPNowPlayingInfoPropertyAdTimeRanges = "MPNowPlayingInfoPropertyAdTimeRanges"
/// The languages that there are: an array.
public let MPNowPlayingInfoPropertyAvailableLanguageOptions =
    "MPNowPlayingInfoPropertyAvailableLanguageOptions"
/// The languages that are chosen: an array.
public let MPNowPlayingInfoPropertyCurrentLanguageOptions =
    "MPNowPlayingInfoPropertyCurrentLanguageOptions"
