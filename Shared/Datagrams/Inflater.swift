import CZlib

/// Decompresses datagrams. Used by one thread: its window serves one datagram after another.
final class Inflater {
    /// On the heap, since zlib remembers the stream's address.
    private let stream: UnsafeMutablePointer<z_stream>
    private var output: [UInt8]

    init(bytesMaximum: Int) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        precondition(carillon_inflate_init(stream) == Z_OK, "no memory for zlib's window")
        // One byte more than allowed tells a content of the full length from one that is too long.
        output = [UInt8](repeating: 0, count: bytesMaximum + 1)
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Nil for bytes that are neither zlib's nor gzip's format, end early, or are longer than the maximum:
    /// decompression stops there, so that a bomb costs no more than a long content.
    func inflate(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard inflateReset(stream) == Z_OK else { return nil }
        // zlib does not write to its input.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(bytes.count)
        let capacity = output.count
        let status = output.withUnsafeMutableBufferPointer { output in
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = UInt32(capacity)
            return CZlib.inflate(stream, Z_FINISH)
        }
        let count = capacity - Int(stream.pointee.avail_out)
        guard status == Z_STREAM_END, count < capacity else { return nil }
        return Array(output[..<count])
    }
}
