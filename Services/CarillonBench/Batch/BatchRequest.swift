/// Bodies of requests to `send-batch`.
enum BatchRequest {
    /// One element with the short ids of these devices.
    static func ids(_ devices: Range<Int>, group: Int, client: Int) -> String {
        let ids = devices.map { "\"\(BatchDevice($0).id)\"" }.joined(separator: ",")
        return request(
            group: group, client: client, elements: [element("Hello", type: "appmetrica_device_id", ids: ids)])
    }

    /// One element with Google's tokens of these devices.
    static func tokens(_ devices: Range<Int>, group: Int, client: Int) -> String {
        let tokens = devices.map { "\"\(BatchDevice($0).tokenText)\"" }.joined(separator: ",")
        return request(
            group: group, client: client, elements: [element("Hello", type: "android_push_token", ids: tokens)])
    }

    /// An element for each device, with a message of its own.
    static func elements(_ devices: Range<Int>, group: Int, client: Int) -> String {
        request(
            group: group, client: client,
            elements: devices.map {
                element("Order \($0) is ready", type: "appmetrica_device_id", ids: "\"\(BatchDevice($0).id)\"")
            })
    }

    private static func element(_ text: String, type: String, ids: String) -> String {
        """
        {"messages":{"android":{"content":{"title":"News","text":"\(text)"}}},"devices":[{"id_type":"\(type)",\
        "id_values":[\(ids)]}]}
        """
    }

    private static func request(group: Int, client: Int, elements: [String]) -> String {
        """
        {"push_batch_request":{"group_id":\(group),"client_transfer_id":\(client),"tag":"bench","batch":[\
        \(elements.joined(separator: ","))]}}
        """
    }
}
