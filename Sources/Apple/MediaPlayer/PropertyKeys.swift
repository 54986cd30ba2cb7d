// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The keys of `MPNowPlayingInfoCenter.nowPlayingInfo`, with Apple's strings. Numbers may be of any
// numeric Swift type or `NSNumber`.

/// The title: `String`.
public let MPMediaItemPropertyTitle = "title"
/// The performer: `String`.
public let MPMediaItemPropertyArtist = "artist"
/// The album: `String`.
public let MPMediaItemPropertyAlbumTitle = "albumTitle"
/// The artist of the album: `String`.
public let MPMediaItemPropertyAlbumArtist = "albumArtist"
/// The genre: `String`.
public let MPMediaItemPropertyGenre = "genre"
/// The composer: `String`.
public let MPMediaItemPropertyComposer = "composer"
/// The length in seconds: a number.
public let MPMediaItemPropertyPlaybackDuration = "playbackDuration"
/// The track number on the album, from 1: a number.
public let MPMediaItemPropertyAlbumTrackNumber = "albumTrackNumber"
/// The number of the album's tracks: a number.
public let MPMediaItemPropertyAlbumTrackCount = "albumTrackCount"
/// The disc number, from 1: a number.
public let MPMediaItemPropertyDiscNumber = "discNumber"
/// The number of discs: a number.
public let MPMediaItemPropertyDiscCount = "discCount"
/// The picture: `MPMediaItemArtwork`.
public let MPMediaItemPropertyArtwork = "artwork"
/// A permanent identifier of the item: a number.
public let MPMediaItemPropertyPersistentID = "persistentID"
/// A permanent identifier of the album: a number.
public let MPMediaItemPropertyAlbumPersistentID = "albumPersistentID"
/// A permanent identifier of the artist: a number.
public let MPMediaItemPropertyArtistPersistentID = "artistPersistentID"
/// The kind of item: the raw value of an `MPMediaType`.
public let MPMediaItemPropertyMediaType = "mediaType"
/// True if its content is explicit: a number.
public let MPMediaItemPropertyIsExplicit = "isExplicit"
/// True if it is not on this computer: a number.
public let MPMediaItemPropertyIsCloudItem = "isCloudItem"
/// The lyrics: `String`.
public let MPMediaItemPropertyLyrics = "lyrics"
/// Comments on it: `String`.
public let MPMediaItemPropertyComments = "comments"
/// The time at which it was released: `Date`.
public let MPMediaItemPropertyReleaseDate = "releaseDate"
/// The file: `URL`.
public let MPMediaItemPropertyAssetURL = "assetURL"
/// The tempo: a number.
public let MPMediaItemPropertyBeatsPerMinute = "beatsPerMinute"
/// The number of times the item was played: a number.
public let MPMediaItemPropertyPlayCount = "playCount"
/// The number of times the item was skipped: a number.
public let MPMediaItemPropertySkipCount = "skipCount"
/// The stars, 0 to 5: a number.
public let MPMediaItemPropertyRating = "rating"
/// The time at which it was last played: `Date`.
public let MPMediaItemPropertyLastPlayedDate = "lastPlayedDate"
/// The user's own group: `String`.
public let MPMediaItemPropertyUserGrouping = "userGrouping"
/// The position where it was left, in seconds: a number.
public let MPMediaItemPropertyBookmarkTime = "bookmarkTime"
/// True if the album has several artists: a number.
public let MPMediaItemPropertyIsCompilation = "isCompilation"
/// The podcast: `String`.
public let MPMediaItemPropertyPodcastTitle = "podcastTitle"

/// The item's position in seconds when the dictionary was set: a number. The position shown
/// advances automatically from there, so set it only after a jump.
public let MPNowPlayingInfoPropertyElapsedPlaybackTime =
    "MPNowPlayingInfoPropertyElapsedPlaybackTime"
/// The playback rate: a number; 1 if missing, and 0 while paused.
public let MPNowPlayingInfoPropertyPlaybackRate = "MPNowPlayingInfoPropertyPlaybackRate"
/// The item's normal playback rate: a number.
public let MPNowPlayingInfoPropertyDefaultPlaybackRate =
    "MPNowPlayingInfoPropertyDefaultPlaybackRate"
/// The place in the queue, from 0: a number.
public let MPNowPlayingInfoPropertyPlaybackQueueIndex = "MPNowPlayingInfoPropertyPlaybackQueueIndex"
/// The number of items in the queue: a number.
public let MPNowPlayingInfoPropertyPlaybackQueueCount = "MPNowPlayingInfoPropertyPlaybackQueueCount"
/// The fraction that was heard, 0 to 1: a number.
public let MPNowPlayingInfoPropertyPlaybackProgress = "MPNowPlayingInfoPropertyPlaybackProgress"
/// The current chapter, from 0: a number.
public let MPNowPlayingInfoPropertyChapterNumber = "MPNowPlayingInfoPropertyChapterNumber"
/// The number of chapters: a number.
public let MPNowPlayingInfoPropertyChapterCount = "MPNowPlayingInfoPropertyChapterCount"
/// A number that is true for a live stream, which has no end.
public let MPNowPlayingInfoPropertyIsLiveStream = "MPNowPlayingInfoPropertyIsLiveStream"
/// The type: the raw value of an `MPNowPlayingInfoMediaType`.
public let MPNowPlayingInfoPropertyMediaType = "MPNowPlayingInfoPropertyMediaType"
/// The file: `URL`.
public let MPNowPlayingInfoPropertyAssetURL = "MPNowPlayingInfoPropertyAssetURL"
/// An identifier of the item in another system: `String`.
public let MPNowPlayingInfoPropertyExternalContentIdentifier =
    "MPNowPlayingInfoPropertyExternalContentIdentifier"
/// An identifier of the profile that it is played for: `String`.
public let MPNowPlayingInfoPropertyExternalUserProfileIdentifier =
    "MPNowPlayingInfoPropertyExternalUserProfileIdentifier"
/// An identifier of the service that it comes from: `String`.
public let MPNowPlayingInfoPropertyServiceIdentifier = "MPNowPlayingInfoPropertyServiceIdentifier"
/// An identifier of the album or playlist that it is played from: `String`.
public let MPNowPlayingInfoCollectionIdentifier = "MPNowPlayingInfoCollectionIdentifier"
/// The current date in a live stream: `Date`.
public let MPNowPlayingInfoPropertyCurrentPlaybackDate =
    "MPNowPlayingInfoPropertyCurrentPlaybackDate"
/// The start of the credits, in seconds: a number.
public let MPNowPlayingInfoPropertyCreditsStartTime = "MPNowPlayingInfoPropertyCreditsStartTime"
/// The time ranges of advertisements: an array.
public let MPNowPlayingInfoPropertyAdTimeRanges = "MPNowPlayingInfoPropertyAdTimeRanges"
/// The available languages: an array.
public let MPNowPlayingInfoPropertyAvailableLanguageOptions =
    "MPNowPlayingInfoPropertyAvailableLanguageOptions"
/// The selected languages: an array.
public let MPNowPlayingInfoPropertyCurrentLanguageOptions =
    "MPNowPlayingInfoPropertyCurrentLanguageOptions"
