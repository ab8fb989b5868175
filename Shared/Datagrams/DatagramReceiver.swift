import Glibc
import ServiceKit
import Synchronization

/// Receives datagrams on a thread of its own and passes each to the handler, which must not block. Never sends any.
package final class DatagramReceiver: Sendable {
    package typealias Handler = @Sendable (borrowing Datagram) -> Void

    /// More than the kernel's buffer holds.
    private static let datagramsAtOnce = 65_536

    private let socket: DatagramSocket
    private let contentBytesMaximum: Int
    private let handler: Handler
    private let wakeup = WakePipe()
    private let isStopping = Atomic(false)
    private let ended = OneTimeEvent()

    /// Binds the socket, and throws if that fails. Longer contents count as malformed.
    package init(
        address: String, port: UInt16, contentBytesMaximum: Int, handler: @escaping Handler
    ) throws(DatagramError) {
        socket = try DatagramSocket(address: address, port: port)
        self.contentBytesMaximum = contentBytesMaximum
        self.handler = handler
    }

    package var port: UInt16 { socket.port }

    /// Datagrams that the kernel dropped before this process could read them.
    package var droppedByKernel: Int { socket.droppedByKernel }

    package func start() {
        NativeThread(name: "datagrams") { [self] in
            receive()
            ended.happen()
        }.detach()
    }

    /// Returns when the handler is called no more. What has arrived by then is passed to it.
    package func stop() async {
        isStopping.store(true, ordering: .releasing)
        wakeup.wake()
        await ended.wait()
    }

    private func receive() {
        let inflater = Inflater(bytesMaximum: contentBytesMaximum)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Datagram.bytesMaximum, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let isLast = isStopping.load(ordering: .acquiring)
            takeWaiting(into: buffer, inflater: inflater)
            if isLast { return }
            waitForNext()
        }
    }

    /// Bounded, since senders must not keep a stopping receiver from its end.
    private func takeWaiting(into buffer: UnsafeMutableRawBufferPointer, inflater: Inflater) {
        for _ in 0..<DatagramReceiver.datagramsAtOnce {
            guard let (count, sender) = socket.receive(into: buffer) else { return }
            guard let sender else { continue }
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            handler(Datagram(sender: sender, bytes: bytes, inflater: inflater))
        }
    }

    private func waitForNext() {
        var waiting = [
            pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&waiting, nfds_t(waiting.count), -1)
    }
}
