/// Interleaved samples of one format, on their way from a decoder to the ring. Counts are of samples,
/// not frames. Operations that only move samples are the same for all formats.
package struct SampleBuffer: Equatable, Sendable {
    /// The samples' format.
    package private(set) var format: SampleFormat
    private var bytes: [UInt8] = []

    /// Creates an empty buffer.
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

    /// Calls `body` with the bytes to play.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe bytes.withUnsafeBytes { unsafe body($0) }
    }

    // MARK: Moving samples

    /// Removes all samples but keeps the memory. The next samples are of `format`.
    package mutating func removeAll(for format: SampleFormat) {
        self.format = format
        bytes.removeAll(keepingCapacity: true)
    }

    /// Appends samples of the same format, or of any format if the buffer is empty.
    package mutating func append(_ other: SampleBuffer) {
        if isEmpty { format = other.format }
        precondition(format == other.format, "the samples have different formats")
        bytes.append(contentsOf: other.bytes)
    }

    /// Appends the bytes of whole samples, which are of the buffer's format.
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

    /// The samples as 16-bit integers; wider ones are rounded to the nearest and clipped.
    package var int16: [Int16] {
        switch format {
        case .int16: unsafe withSamples(of: Int16.self) { unsafe Array($0) }
        case .float32: float32.map { Int16(fullScale: $0) }
        }
    }

    /// The samples as floating-point numbers, exact; 1 is full scale.
    package var float32: [Float] {
        switch format {
        case .int16: unsafe withSamples(of: Int16.self) { unsafe $0.map { Float($0) / 32768 } }
        case .float32: unsafe withSamples(of: Float.self) { unsafe Array($0) }
        }
    }

    /// Creates samples of `format`, rounded and clipped if it is narrower.
    package init(_ samples: [Float], as format: SampleFormat) {
        switch format {
        case .int16: self.init(samples.map { Int16(fullScale: $0) })
        case .float32: self.init(samples)
        }
    }

    /// The same samples in `format`, rounded and clipped if it is narrower.
    package func converted(to format: SampleFormat) -> SampleBuffer {
        format == self.format ? self : SampleBuffer(float32, as: format)
    }

    /// Replaces each sample by the result of `body` for its index and value, on a scale where 32768
    /// is full scale in every format. Integers are rounded to the nearest and clipped.
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

    /// The value of one sample, on a scale where 32768 is full scale in every format.
    package func value(at index: Int) -> Float {
        switch format {
        case .int16: unsafe withSamples(of: Int16.self) { unsafe Float($0[index]) }
        case .float32: unsafe withSamples(of: Float.self) { unsafe $0[index] * 32768 }
        }
    }

    private func withSamples<Sample, Result>(
        of type: Sample.Type, _ body: (UnsafeBufferPointer<Sample>) -> Result
    ) -> Result {
        // An array's memory is aligned for every sample type.
        unsafe bytes.withUnsafeBytes { unsafe body($0.bindMemory(to: type)) }
    }
}

extension Int16 {
    /// The sample nearest to a value of which 32768 is full scale, clipped; 0 for NaN.
    package init(rounding value: Float) {
        self = value.isNaN ? 0 : Int16(Swift.max(-32768, Swift.min(32767, value.rounded())))
    }

    /// The sample nearest to a value of which 1 is full scale, clipped; 0 for NaN.
    package init(fullScale value: Float) { self.init(rounding: value * 32768) }
}
