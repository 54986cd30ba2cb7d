import UndersongBase
import UndersongLocation

extension PlacesFeature {
    static let methods: [WireMethod] = [
        location(GetLocationStatus.self) { _, _, _ in },
        location(StartLocations.self) { player, _, _ async throws(ServiceError) in
            try await player.setLocations { $0.isUpdating = true }
        },
        location(StopLocations.self) { player, _, _ async throws(ServiceError) in
            try await player.setLocations { $0.isUpdating = false }
        },
        location(AuthorizeLocations.self) { player, call, _ async throws(ServiceError) in
            try await player.authorizeLocations(call.authorization)
        },
        location(SetLocationAccuracy.self) { player, call, _ async throws(ServiceError) in
            try await player.setLocations { settings in
                settings.accuracy = call.accuracy ?? settings.accuracy
                settings.backgroundAccuracy = call.background ?? settings.backgroundAccuracy
            }
        },
        location(SetLocationFilter.self) { player, call, _ async throws(ServiceError) in
            try await player.setLocations { $0.distance = call.distance }
        },
        location(SetLocationSource.self) { player, call, _ async throws(ServiceError) in
            try await player.setLocations { $0.source = call.source }
        },
        location(KeepLocations.self) { player, call, _ async throws(ServiceError) in
            try await player.setLocations { $0.keepsFixes = call.isOn }
        },
        WireMethod(GetTrack.self) { frontEnd, _, _ async throws(ServiceError) in
            GetTrack.Reply(fixes: await frontEnd.player.recentFixes)
        },
        location(ReplayTrack.self) { player, call, origin async throws(ServiceError) in
            let purpose = "replay \(call.name)"
            guard let bytes = try origin.nextFile(limit: Track.sizeLimit, to: purpose) else {
                throw ServiceError(.invalidValue, purpose, "its descriptor is missing")
            }
            try await player.replay(bytes, name: call.name, speed: call.speed)
        },
        location(EndReplay.self) { player, _, _ async throws(ServiceError) in
            try await player.endReplay()
        },
        location(AddPlace.self) { player, call, _ async throws(ServiceError) in
            try await player.addPlace(call.name, at: call.center, radius: call.radius)
        },
        location(RemovePlace.self) { player, call, _ async throws(ServiceError) in
            try await player.removePlace(call.name)
        },
        location(AddRule.self) { player, call, _ async throws(ServiceError) in
            try await player.addRule(call.rule)
        },
        location(RemoveRules.self) { player, call, _ async throws(ServiceError) in
            try await player.removeRules(call.event, call.place)
        },
    ]

    /// Returns a method that calls `perform` and replies with the state of locations after that.
    private static func location<Call: ControlCall>(
        _ type: Call.Type,
        _ perform:
            @escaping @Sendable (PlayerService, Call, WireMethod.Origin) async throws(ServiceError)
            -> Void
    ) -> WireMethod where Call.Reply == LocationStatus {
        WireMethod(type) { frontEnd, call, origin async throws(ServiceError) in
            let player = frontEnd.player
            try await perform(player, call, origin)
            return try await player.locationStatus
        }
    }
}
