import Datagrams
import ServiceKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct DatagramReceiverTests {
    private static let text = "POST /event/sport?msg=hello"
    private static let zlib: [UInt8] = [
        120, 156, 11, 240, 15, 14, 81, 208, 79, 45, 75, 205, 43, 209, 47, 46, 200, 47, 42, 177, 207, 45, 78, 183, 205,
        72, 205, 201, 201, 7, 0, 131, 243, 9, 246,
    ]
    private static let gzip: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 11, 240, 15, 14, 81, 208, 79, 45, 75, 205, 43, 209, 47, 46, 200, 47, 42, 177,
        207, 45, 78, 183, 205, 72, 205, 201, 201, 7, 0, 80, 201, 242, 221, 27, 0, 0, 0,
    ]
    /// Ends before the end of its stream.
    private static let unfinished = Array(zlib.prefix(20))

    private struct Received: Equatable {
        let text: String?
        let sender: String
    }

    /// Receives until `count` datagrams have come.
    private func received(
        _ count: Int, contentBytesMaximum: Int = 1_024, send: (DatagramClient) -> Void
    ) async throws -> [Received] {
        let received = Monitor<[Received]>([])
        let receiver = try DatagramReceiver(
            address: "127.0.0.1", port: 0, contentBytesMaximum: contentBytesMaximum
        ) { datagram in
            let content = datagram.content()
            let text = content.flatMap { String(validating: $0, as: UTF8.self) }
            let sender = "\(datagram.sender)"
            received.change { $0.append(Received(text: text, sender: sender)) }
        }
        receiver.start()
        let client = DatagramClient(port: receiver.port, source: "127.0.0.7")
        send(client)
        try await waitUntil { received.withLock { $0.count } >= count }
        await receiver.stop()
        #expect(!client.hasAnswer)
        return received.withLock { $0 }
    }

    @Test func readsEveryForm() async throws {
        let all = try await received(4) { client in
            client.send(Self.text)
            client.send(Self.zlib)
            client.send(Self.gzip)
            client.send([])
        }
        #expect(all == [Self.text, Self.text, Self.text, ""].map { Received(text: $0, sender: "127.0.0.7") })
    }

    /// Each bad content is followed by a good one, which the same window decompresses.
    @Test func badContentsHaveNoText() async throws {
        let bad: [[UInt8]] = [
            Self.unfinished, [120], [31], [120, 156], Array(Self.zlib.dropLast()),
            [120] + [UInt8](repeating: 7, count: 99),
            Self.zlib.enumerated().map { $0 == 12 ? $1 ^ 0xFF : $1 },
        ]
        let all = try await received(2 * bad.count) { client in
            for content in bad {
                client.send(content)
                client.send(Self.gzip)
            }
        }
        #expect(all.map(\.text) == bad.flatMap { _ in [nil, Self.text] })
    }

    /// The content has 27 bytes.
    @Test func aContentOverTheMaximumHasNoText() async throws {
        let fits = try await received(1, contentBytesMaximum: 27) { $0.send(Self.zlib) }
        #expect(fits.map(\.text) == [Self.text])
        let bomb = try await received(1, contentBytesMaximum: 26) { $0.send(Self.zlib) }
        #expect(bomb.map(\.text) == [nil])
    }

    @Test func aTakenPortIsReported() async throws {
        let first = try DatagramReceiver(address: "127.0.0.1", port: 0, contentBytesMaximum: 10) { _ in }
        let error = try #require(throws: DatagramError.self) {
            _ = try DatagramReceiver(address: "127.0.0.1", port: first.port, contentBytesMaximum: 10) { _ in }
        }
        #expect("\(error)".contains("UDP port \(first.port)"))
    }
}
