/// Requests to `send-batch`.
enum AppMetricaSamples {
    static let messages = """
        {"android":{"silent":false,"content":{"title":"Title","text":"Text","icon":"bell","icon_background":"#80FF8800",
         "image":"https://example.com/picture.jpg","banner":"https://example.com/banner.jpg","data":"payload",
         "channel_id":"news","priority":-2,"collapse_key":2001,"vibration":[0,500],"led_color":"#00FF00",
         "led_interval":50,"led_pause_interval":60,"time_to_live":180,"visibility":"public","urgency":"high"},
         "open_action":{"deeplink":"yandexmaps://?"}},
         "iOS":{"silent":false,"content":{"title":"Title","text":"Text","badge":1,"sound":"disable","thread_id":"thread",
         "category":"category","mutable_content":1,"expiration":3600,"data":"payload","collapse_id":"collapse",
         "attachments":[{"id":"photo","file_url":"https://example.com/a.png","file_type":"png"}]},
         "open_action":{"url":"https://example.com/"}}}
        """

    /// All seven types.
    static let devices = """
        [{"id_type":"appmetrica_device_id","id_values":["123456789","42"]},
         {"id_type":"ios_ifa","id_values":["8A690667-6204-4A6A-9B38-85DE01600000"]},
         {"id_type":"google_aid","id_values":["eb5f3ec8-2e3e-492f-b15b-d21860b0a7c1"]},
         {"id_type":"android_push_token","id_values":["eFfxdO7uCMw:APA91bF1tN3X3BAbiJXsQhk-0123456789"]},
         {"id_type":"ios_push_token",
          "id_values":["F6A79E9F844A24C5FBED5C58A4C71561C180F0123456789ABCDEF0123456789A"]},
         {"id_type":"huawei_push_token","id_values":["0866422030123456"]},
         {"id_type":"huawei_oaid","id_values":["ecef47f7-fcce-ad00-b15b-d21860b0a7c1"]}]
        """

    /// `replacing` is one member of the request, which takes the place of the member of that name.
    static func request(
        group: String = "1", clientID: String? = nil, replacing member: String = "", messages: String = messages,
        devices: String = devices, elements: [String]? = nil
    ) -> String {
        let name = member.prefix { $0 != ":" }
        let batch = elements ?? [#"{"messages":\#(messages),"devices":\#(devices)}"#]
        var members = [#""group_id":\#(group)"#, #""tag":"spring""#, #""batch":[\#(batch.joined(separator: ","))]"#]
        if let clientID { members.append(#""client_transfer_id":\#(clientID)"#) }
        members.removeAll { !name.isEmpty && $0.hasPrefix(name) }
        if !member.isEmpty { members.append(member) }
        return #"{"push_batch_request":{\#(members.joined(separator: ","))}}"#
    }

    /// With a message for Android and short ids.
    static func element(_ text: String, ids: [String]) -> String {
        let ids = ids.map { "\"\($0)\"" }.joined(separator: ",")
        return """
            {"messages":{"android":{"content":{"title":"Title","text":"\(text)"}}},
             "devices":[{"id_type":"appmetrica_device_id","id_values":[\(ids)]}]}
            """
    }
}
