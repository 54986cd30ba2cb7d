package import UndersongBase

extension RefreshScheduler {
    package func nextDue(at now: ScheduleTime) -> Due {
        var due = Due.never
        for task in tasks { due.add(boot: task.isExpired ? task.deadline : task.warning) }
        for wish in wishes {
            let obstacles = allObstacles(wish, at: now)
            // The load is not reported: somebody has to look.
            guard obstacles.allSatisfy({ !$0.needsChange || $0 == .busy }) else { continue }
            var boot = obstacles.compactMap(\.boot).max()
            if obstacles.contains(.busy) { boot = max(boot ?? 0, now.boot + Self.lookInterval) }
            switch (boot, obstacles.compactMap(\.wall).max()) {
            case (let boot?, let wall?) where now.wall(atBoot: boot) < wall:
                due.add(wall: wall)
            case (let boot?, _): due.add(boot: boot)
            case (nil, let wall?): due.add(wall: wall)
            case (nil, nil): break
            }
        }
        return due
    }

    /// The seconds between looks at the load of the processors.
    static let lookInterval = 60.0

    /// What is wanted and what becomes of it, the next first.
    package func outlook(at now: ScheduleTime) -> [RefreshOutlook] {
        wishes.map { wish in
            let obstacles = allObstacles(wish, at: now)
            let times =
                obstacles.compactMap(\.wall)
                + obstacles.compactMap(\.boot).map { now.wall(atBoot: $0) } + [now.wall]
            return RefreshOutlook(
                identifier: wish.identifier, kind: wish.kind, request: wish.request,
                due: obstacles.contains(where: \.needsChange) ? nil : times.max(),
                obstacles: obstacles.map { obstacle in
                    RefreshOutlook.Obstacle(
                        reason: .known(obstacle.name), text: obstacle.words(at: now),
                        remedy: obstacle.remedy)
                }.sorted { $0.text < $1.text })
        }.sorted { ($0.due ?? .infinity) < ($1.due ?? .infinity) }
    }

    /// Whether something that is due begins within moments unless the machine is against it: its
    /// conditions are not known yet, or have to last.
    package func isAboutToBegin(at now: ScheduleTime) -> Bool {
        wishes.contains { wish in
            let obstacles = allObstacles(wish, at: now)
            return !obstacles.isEmpty && obstacles.allSatisfy(\.passesSoon)
        }
    }

    private func allObstacles(_ wish: Wish, at now: ScheduleTime) -> Set<RefreshObstacle> {
        var obstacles = obstacles(wish, at: now)
        let plan = currentPlan(wish, at: now)
        if plan.wall > now.wall { obstacles.insert(.betterTime(plan)) }
        return obstacles
    }
}

extension Due {
    fileprivate mutating func add(boot: Double) { self.boot = min(boot, self.boot ?? boot) }
    fileprivate mutating func add(wall: Double) { self.wall = min(wall, self.wall ?? wall) }
}
