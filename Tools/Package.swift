// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
]
let syntax: [Target.Dependency] = [
    .product(name: "SwiftParser", package: "swift-syntax"),
    .product(name: "SwiftSyntax", package: "swift-syntax"),
]

// A package of its own: the product does not depend on swift-syntax.
let package = Package(
    name: "tools",
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-syntax", exact: "603.0.1")
    ],
    targets: [
        .target(
            name: "PortRewriting", dependencies: syntax, path: "Port/Sources/PortRewriting",
            swiftSettings: strict),
        .executableTarget(
            name: "Port", dependencies: ["PortRewriting"], path: "Port/Sources/Port"),
        .testTarget(
            name: "PortTests", dependencies: ["PortRewriting"], path: "Port/Tests/PortTests",
            exclude: ["Fixtures"]),
        .target(
            name: "Mutations", dependencies: syntax, path: "Mutate/Sources/Mutations",
            swiftSettings: strict),
        .executableTarget(
            name: "Mutate", dependencies: ["Mutations"], path: "Mutate/Sources/Mutate",
            swiftSettings: strict),
        .testTarget(
            name: "MutationsTests", dependencies: ["Mutations"],
            path: "Mutate/Tests/MutationsTests"),
    ],
    swiftLanguageModes: [.v6]
)
