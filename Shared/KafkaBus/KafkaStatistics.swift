/// The one figure we read from librdkafka's statistics, a large JSON text that comes every few seconds.
enum KafkaStatistics {
    private static let name = Array("\"consumer_lag\":".utf8)

    /// Messages of the assigned partitions that are not committed yet. Partitions without an offset say -1.
    static func consumerLag(in json: UnsafeBufferPointer<UInt8>) -> Int {
        var lag = 0
        var index = 0
        while index + name.count <= json.count {
            guard json[index] == name[0], json[index..<index + name.count].elementsEqual(name) else {
                index += 1
                continue
            }
            index += name.count
            while index < json.count, json[index] == UInt8(ascii: " ") { index += 1 }
            var number = 0
            while index < json.count, case let digit = Int(json[index]) - 48, 0...9 ~= digit, number < Int.max / 100 {
                number = number * 10 + digit
                index += 1
            }
            lag += number
        }
        return lag
    }
}
