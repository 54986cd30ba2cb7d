/// Interleaved samples of one format, on their way from a decoder to the ring. Counts are of samples,
/// not frames. What only moves samples is the same for every format.
package struct SampleBuffer: Equatable, Sendable {
    /// What the samples are.
    package private(set) var format: SampleFormat
    private var bytes: [UInt8] = []

    /// Makes one without samples.
    package init(_ format: SampleFormat = .int16) { self.format = format }

    package init(_ samples: [Int16]) {
        self.init(.int16)
        unsafe append(samples.span.bytes)
    }

    package init(_ samples: [Float]) {
        self.init(.float32)
        unsafe append(samples.span.bytes)
    }

    package var count: Int { bytes.count / format.byteCount }
    package var isEmpty: Bool { bytes.isEmpty }

    /// Calls `body` with the bytes as they are played.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe bytes.withUnsafeBytes { unsafe body($0) }
    }

    // MARK: Moving samples

    /// Removes all samples, and keeps the memory. Those that follow are of `format`.
    package mutating func removeAll(for format: SampleFormat) {
        self.format = format
        bytes.removeAll(keepingCapacity: true)
    }

    /// Appends samples of the same format; to a buffer without samples those of any.
    package mutating func append(_ other: SampleBuffer) {
        if isEmpty { format = other.format }
        precondition(format == other.format, "samples of two formats do not mix")
        bytes.append(contentsOf: other.bytes)
    }

    /// Appends the bytes of whole samples, which are of its format.
    package mutating func append(_ samples: RawSpan) {
        unsafe samples.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }

    package mutating func removeFirst(_ count: Int) {
        bytes.removeFirst(count * format.byteCount)
    }

    package mutating func removeLast(_ count: Int) { bytes.removeLast(count * format.byteCount) }

    package subscript(range: Range<Int>) -> SampleBuffer {
        var part = SampleBuffer(format)
        let size = format.byteCount
        part.bytes.append(contentsOf: bytes[range.lowerBound * size..<range.upperBound * size])
        return part
    }

    package func prefix(_ most: Int) -> SampleBuffer { self[0..<min(most, count)] }
    package func suffix(_ most: Int) -> SampleBuffer { self[max(0, count - most)..<count] }

    // MARK: Values

    /// The samples as 16-bit integers: rounded to the nearest, and clipped, where they are wider.
    package var int16: [Int16] {
        switch format {
        case .int16: unsafe withSamples(of: Int16.self) { unsafe Array($0) }
        case .float32: float32.map { Int16(fullScale: $0) }
        }
    }

    /// The samples as floating-point numbers, 1 being full scale: exact.
    package var float32: [Float] {
        switch format {
        case .int16: unsafe withSamples(of: Int16.self) { unsafe $0.map { Float($0) / 32768 } }
        case .float32: unsafe withSamples(of: Float.self) { unsafe Array($0) }
        }
    }

    /// Makes samples of `format`, rounded and clipped where that is narrower.
    package init(_ samples: [Float], as format: SampleFormat) {
        switch format {
        case .int16: self.init(samples.map { Int16(fullScale: $0) })
        case .float32: self.init(samples)
        }
    }

    /// The same samples in `format`, rounded and clipped where that is narrower.
    package func converted(to format: SampleFormat) -> SampleBuffer {
        format == self.format ? self : SampleBuffer(float32, as: format)
    }

    /// Replaces each sample by what `body` makes of its index and its value, where 32768 is full scale
    /// whatever the format. Integers are rounded to the nearest and clipped.
    package mutating func mapInPlace(
        _ indices: Range<Int>, _ body: (_ index: Int, _ value: Float) -> Float
    ) {
        let format = format
        unsafe bytes.withUnsafeMutableBytes { bytes in
            switch format {
            case .int16:
                let samples = unsafe bytes.bindMemory(to: Int16.self)
                for index in indices {
                    unsafe samples[index] = Int16(rounding: body(index, Float(samples[index])))
                }
            case .float32:
                let samples = unsafe bytes.bindMemory(to: Float.self)
                for index in indices {
                    unsafe samples[index] = body(index, samples[index] * 32768) / 32768
                }
            }
        }
    }

    /// The value of one sample, where 32768 is full scale whatever the format.
    package func value(at index: Int) -> Float {
        switch format {
        case .int16: unsafe withSamples(of: Int16.self) { unsafe Float($0[index]) }
        case .float32: unsafe withSamples(of: Float.self) { unsafe $0[index] * 32768 }
        }
    }

    private func withSamples<Sample, Result>(
        of type: Sample.Type, _ body: (UnsafeBufferPointer<Sample>) -> Result
    ) -> Result {
        // An array's memory is aligned for every type of sample.
        unsafe bytes.withUnsafeBytes { unsafe body($0.bindMemory(to: type)) }
    }
}

extension Int16 {
    /// The nearest to a sample of which 32768 is full scale, clipped; 0 for one that is no number.
    package init(rounding value: Float) {
        self = value.isNaN ? 0 : Int16(Swift.max(-32768, Swift.min(32767, value.rounded())))
    }

    /// The nearest to a sample of which 1 is full scale, clipped; 0 for one that is no number.
    package init(fullScale value: Float) { self.init(rounding: value * 32768) }
}
