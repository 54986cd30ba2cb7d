// swift-tools-version: 6.2
import PackageDescription

// A package of its own: everything in it is built with sanitizers, by scripts/fuzz.
let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "undersong", path: "../..")],
    targets: [
        .executableTarget(
            name: "Fuzz",
            dependencies: [.product(name: "UndersongParsing", package: "undersong")],
            path: "Sources/Fuzz",
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
