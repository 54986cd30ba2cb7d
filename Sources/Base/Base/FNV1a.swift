/// A number that depends on every byte and on their order, and is the same in every run: FNV-1a with
/// 64 bits.
package func fnv1a(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
}
