/// Operations of the HTTP API, with the places where text of any length is possible.
enum HostileOperation: String, CaseIterable {
    case createTask
    case createRichieTask
    case scheduleContextPushMessage
    case startPushwooshActivity
    case register
    case registerByForm
    case putDevice
    case subscribeInBulk
    case listTasks
    case target
    case contentType
    case idempotencyKey
    case authorization
    case traceparent
    case event

    /// The limit of a head; bodies may be longer than any test needs.
    var bytesMaximum: Int {
        switch self {
        case .createTask, .createRichieTask, .scheduleContextPushMessage, .startPushwooshActivity, .register,
            .registerByForm, .putDevice, .subscribeInBulk:
            .max
        case .listTasks, .target, .contentType, .idempotencyKey, .authorization, .traceparent, .event: 16 << 10
        }
    }

    var templates: [String] {
        switch self {
        case .createTask: HostileOperation.tasks
        case .createRichieTask: HostileOperation.richieTasks
        case .scheduleContextPushMessage: HostileOperation.contextPushMessages
        case .startPushwooshActivity: HostileOperation.pushwooshActivities
        case .register:
            [
                #"{"proto":"apns","token":"@"}"#, #"{"proto":"@"}"#, #"{"@":1}"#, "{#}", "^", "[~]",
                #"{"proto":"fcm","token":"@","lang":"@"}"#, #"{"external_user_id":"@"}"#, #"{"badge":"@"}"#,
                #"{"time_zone":"@"}"#, #"{"ignore_message":"@"}"#, #"{"environment":"@","version":"@"}"#,
            ]
        case .registerByForm: ["|", "proto=apns&token=@", "lang=@", "@=1", "@", "external_user_id=@&proto=fcm"]
        case .putDevice:
            [
                #"{"protocol":"apns","token":"@"}"#, #"{"@":1}"#, "{#}", "^", #"{"topics":[~]}"#,
                #"{"topics":["@",{"name":"@","silent":"@"}]}"#, #"{"user":"@","identifiers":{"hwid":"@","@":1}}"#,
                #"{"identifiers":{#}}"#, #"{"language":"@","time_zone":"@","environment":"@"}"#,
            ]
        case .subscribeInBulk: ["{#}", #"{"@":{}}"#, #"{"a":{"ignore_message":"@"}}"#, #"{"a":^}"#]
        case .listTasks: ["|", "limit=@", "before=@", "@=1", "dry_run=@"]
        case .target: ["/@", "/a?@", "http://@", "*@", "/apps/@/v1/tasks"]
        case .contentType: ["@", "application/json;@", "application/@"]
        case .idempotencyKey: ["@", "\"@\""]
        case .authorization: ["@", "Bearer @", "Basic @", "Bearer ck_@", "Bearer ck_a_@", "Bearer @ @"]
        case .traceparent: ["@", "00-@", "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-@"]
        case .event: ["@"]
        }
    }

    private static let tasks = [
        #"{"audience":{"topic":"@"},"message":{"title":"@"}}"#,
        #"{"audience":{"all":true},"message":{"title":"@","body":"@"}}"#,
        #"{"audience":{"all":true},"message":{"title":{"@":"x"}}}"#,
        #"{"audience":{"all":true},"message":{"title":{#}}}"#,
        #"{"audience":{"all":true},"message":{"body":"x","data":{#}}}"#,
        #"{"audience":{"all":true},"message":{"body":"x","data":{"@":"@"}}}"#,
        #"{"audience":{"all":true},"message":{"body":"x","@":1}}"#,
        #"{"audience":{"all":true},"message":{"body":"x","sound":"@","category":"@"}}"#,
        #"{"audience":{"all":true},"message":{#}}"#,
        #"{"audience":{"all":true},"messages":{"ios":{#}}}"#,
        #"{"audience":{"all":true},"message":{"body":"x","android":{"vibration":[~],"channel":"@","color":"@"}}}"#,
        #"{"audience":{"all":true},"message":{"body":"x","ios":{"attachments":[~],"thread":"@","collapse_id":"@"}}}"#,
        #"{"audience":{"all":true},"payloads":{"android":{"data":{#}}}}"#,
        #"{"audience":{"all":true},"payloads":{"android":{"data":{"a":^}}}}"#,
        #"{"audience":{"all":true},"payloads":{"android":{"data":{"a":[~]}}}}"#,
        #"{"audience":{"all":true},"payloads":{"android":{"data":{"@":"@"}},"ios":{"aps":{"alert":"@"}}}}"#,
        #"{"audience":{"all":true},"payloads":{"ios":{#}}}"#,
        #"{"audience":{"all":true},"message":{"body":"${var.x}"},"variables":{"x":"@"}}"#,
        #"{"audience":{"all":true},"message":{"body":"x"},"variables":{"@":"x"}}"#,
        #"{"audience":{"all":true},"message":{"body":"x"},"variables":{#}}"#,
        #"{"audience":{"all":true},"message":{"body":"x"},"options":{"collapse_id":"@"}}"#,
        #"{"audience":{"all":true},"message":{"body":"x"},"options":{"time_to_live":"@","priority":"@"}}"#,
        #"{"audience":{"all":true},"message":{"body":"x"},"platforms":[~]}"#,
        #"{"audience":{"all":true},"message":{"body":"x"},"platforms":["@"]}"#,
        #"{"audience":^,"message":{"body":"x"}}"#,
        #"{"audience":{"any":[~]},"message":{"body":"x"}}"#,
        #"{"users":[~],"message":{"body":"x"}}"#,
        #"{"users":["@"],"devices":["@"],"message":{"body":"x"}}"#,
        #"{"devices":[~],"message":{"body":"x"}}"#,
        #"{"@":1}"#, "{#}", "^", "[~]", "@", #""@""#, "[1,@",
    ]

    private static let richieTasks = [
        #"{"app_id":"@","topics":["a"],"payloads":{"android":{"data":{"title":"x"}}}}"#,
        #"{"app_id":"a","topics":["@"],"payloads":{"android":{"data":{"title":"@"}}}}"#,
        #"{"app_id":"a","topics":[~],"payloads":{"android":{"data":{"title":"x"}}}}"#,
        #"{"app_id":"a","external_user_ids":[~],"payloads":{"android":{"data":{"title":"x"}}}}"#,
        #"{"app_id":"a","external_user_ids":["@"],"payloads":{"android":{"data":{"title":"x"}}}}"#,
        #"{"app_id":"a","topics":["a"],"payloads":{"android":{"data":{#}}}}"#,
        #"{"app_id":"a","topics":["a"],"payloads":{"android":{"data":{"alert":{#}}}}}"#,
        #"{"app_id":"a","topics":["a"],"payloads":{"android":{"data":{"title":"x","@":"@"}}}}"#,
        #"{"app_id":"a","topics":["a"],"payloads":{"ios":{"aps":{"alert":{"title":"@"},"sound":"@"}}}}"#,
        #"{"app_id":"a","topics":["a"],"payloads":{"ios":{"aps":{"alert":{#}}}}}"#,
        #"{"app_id":"a","topics":["a"],"payloads":{"ios":{"aps":{#}}}}"#,
        #"{"app_id":"a","topics":["a"],"payloads":{"ios":{"aps":{"alert":{"a":^}}}}}"#,
        #"{"app_id":"a","topics":["a"],"payloads":{#}}"#,
        #"{"@":1}"#, "{#}",
    ]

    private static let contextPushMessages = [
        #"{"platform":"ios","user_id":"@","campaign_id":"@","idempotency_key":"@","deliver_within_hours":1}"#,
        contextPushMessage(content: #"{"title":"@","body":"@","subtitle":"@"}"#),
        contextPushMessage(content: #"{"title":{#},"body":{#},"default_locale":"en"}"#),
        contextPushMessage(content: #"{"title":{"@":"@"},"body":"x","default_locale":"@"}"#),
        contextPushMessage(content: #"{"title":"x","body":"x","userInfo":{#}}"#),
        contextPushMessage(content: #"{"title":"x","body":"x","userInfo":{"ctx_@":"@","@":^}}"#),
        contextPushMessage(content: #"{"title":"x","body":"x","imageUrl":"https://@"}"#),
        contextPushMessage(content: "{#}"),
        #"{"platform":"@","target_delivery_time":"@","delivery_method":"@"}"#, #"{"@":1}"#, "{#}",
    ]

    private static let pushwooshActivities = [
        pushwooshActivity(#"{"users":["@"],"title":"@","content":"@"}"#), pushwooshActivity(#"{"users":[~]}"#),
        pushwooshActivity(#"{"devices":["@",~],"live_activity_id":"@"}"#), pushwooshActivity(#"{"filter":"@"}"#),
        pushwooshActivity(#"{"content":{#},"title":{"@":"@"}}"#), pushwooshActivity(#"{"@":1}"#), "{#}",
        pushwooshActivity("{}", attributes: "{#}"), pushwooshActivity("{}", state: #"{"@":"@"}"#),
        pushwooshActivity("{}", state: #"{"x":^}"#),
    ]

    private static func pushwooshActivity(
        _ notification: String, attributes: String = "{}", state: String = "{}"
    ) -> String {
        let activity = #""live_activity":{"content-state":\#(state),"attributes-type":"A","attributes":\#(attributes)}"#
        let members = notification.dropFirst().dropLast()
        return "{\(activity)\(members.isEmpty ? "" : ",")\(members)}"
    }

    private static func contextPushMessage(content: String) -> String {
        #"{"bundle_id":"a","platform":"ios","user_id":"u","campaign_id":"c","deliver_within_hours":1,"content":"#
            + content + "}"
    }
}
