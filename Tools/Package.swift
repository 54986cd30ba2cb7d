// swift-tools-version: 6.2
import PackageDescription

// A package of its own: the product does not depend on swift-syntax.
let package = Package(
    name: "port",
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-syntax", exact: "603.0.1")
    ],
    targets: [
        .target(
            name: "PortRewriting",
            dependencies: [
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
            ],
            swiftSettings: [.enableUpcomingFeature("InternalImportsByDefault")]),
        .executableTarget(name: "Port", dependencies: ["PortRewriting"]),
        .testTarget(
            name: "PortTests", dependencies: ["PortRewriting"], exclude: ["Fixtures"]),
    ],
    swiftLanguageModes: [.v6]
)
