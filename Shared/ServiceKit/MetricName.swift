/// Every metric of every executable, in one list: what dashboards, alarms and `docs/operations.md` refer to.
package enum MetricName: String, CaseIterable, Sendable {
    case appFilesBroken = "carillon_broken_app_files"
    case appsLoaded = "carillon_loaded_apps"
    case busBytesBuffered = "carillon_bus_buffered_bytes"
    case busBytesProduced = "carillon_bus_produced_bytes_total"
    case busConsumerLag = "carillon_bus_consumer_lag_messages"
    case busDeadLetters = "carillon_bus_dead_letters_total"
    case busHandlerDuration = "carillon_bus_handler_duration_seconds"
    case busHandlerErrors = "carillon_bus_handler_errors_total"
    case busLeasesLost = "carillon_bus_leases_lost_total"
    case busMessagesHandled = "carillon_bus_messages_handled_total"
    case busMessagesProduced = "carillon_bus_messages_produced_total"
    case busOffsetGaps = "carillon_bus_offset_gaps_total"
    case busPartitionsAssigned = "carillon_bus_assigned_partitions"
    case busProducerRestarts = "carillon_bus_producer_restarts_total"
    case busProducerWaits = "carillon_bus_producer_waits_total"
    case buildInfo = "carillon_build_info"
    case http2ConnectionsLost = "carillon_http2_lost_connections_total"
    case http2ConnectionsOpen = "carillon_http2_open_connections"
    case http2RequestDuration = "carillon_http2_request_duration_seconds"
    case http2RequestsResent = "carillon_http2_resent_requests_total"
    case http2RequestsSettled = "carillon_http2_settled_requests_total"
    case httpBodyBytesBuffered = "carillon_http_buffered_body_bytes"
    case httpClientRequestDuration = "carillon_http_client_request_duration_seconds"
    case httpClientRequestsAnswered = "carillon_http_client_answered_requests_total"
    case httpClientRequestsFailed = "carillon_http_client_failed_requests_total"
    case httpClientRequestsOpen = "carillon_http_client_open_requests"
    case httpConnectionsOpen = "carillon_http_open_connections"
    case httpRequestDuration = "carillon_http_request_duration_seconds"
    case httpRequestsAnswered = "carillon_http_answered_requests_total"
    case httpRequestsRefused = "carillon_http_refused_requests_total"
    case redisCommandDuration = "carillon_redis_command_duration_seconds"
    case redisReconnects = "carillon_redis_reconnects_total"
    case schedulerDevicesReleased = "carillon_scheduler_released_devices_total"
    case schedulerDevicesRemoved = "carillon_scheduler_removed_devices_total"
    case schedulerDevicesUnledgered = "carillon_scheduler_unledgered_devices_total"
    case schedulerRetriesHeld = "carillon_scheduler_held_retries"
    case schedulerRetryLateness = "carillon_scheduler_retry_lateness_milliseconds"
    case senderAppsHalted = "carillon_sender_halted_apps"
    case senderClaimsRefused = "carillon_sender_refused_settlements_total"
    case senderDevicesEnded = "carillon_sender_ended_devices_total"
    case senderDevicesUnledgered = "carillon_sender_unledgered_devices_total"
    case senderPushDuration = "carillon_sender_push_duration_seconds"
    case senderPushes = "carillon_sender_pushes_total"

    package enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
    }

    package var kind: Kind {
        switch self {
        case .appFilesBroken, .appsLoaded, .busBytesBuffered, .busConsumerLag, .busPartitionsAssigned, .buildInfo,
            .http2ConnectionsOpen, .httpBodyBytesBuffered, .httpClientRequestsOpen, .httpConnectionsOpen,
            .schedulerRetriesHeld, .schedulerRetryLateness, .senderAppsHalted:
            .gauge
        case .busHandlerDuration, .http2RequestDuration, .httpClientRequestDuration, .httpRequestDuration,
            .redisCommandDuration, .senderPushDuration:
            .histogram
        default: .counter
        }
    }

    package var help: String {
        switch self {
        case .appFilesBroken: "App files that cannot be used as they stand."
        case .appsLoaded: "Apps in force now."
        case .busBytesBuffered: "Bytes fetched from the bus whose work is not done yet."
        case .busBytesProduced: "Bytes of message values the bus acknowledged as durable."
        case .busConsumerLag: "Messages of the assigned partitions whose work is not recorded as done."
        case .busDeadLetters: "Messages given up and moved to the dead topic."
        case .busHandlerDuration: "Time from handing a batch to its handler until its outputs were durable."
        case .busHandlerErrors: "Batches whose handler failed and will be tried again."
        case .busLeasesLost: "Partitions taken away while this consumer still worked on them."
        case .busMessagesHandled: "Messages whose work is done and acknowledged."
        case .busMessagesProduced: "Messages the bus acknowledged as durable."
        case .busOffsetGaps: "Messages missing from a sequence that should have none: data was lost upstream."
        case .busPartitionsAssigned: "Partitions this consumer holds now."
        case .busProducerRestarts: "Producers replaced after an error they could not recover from."
        case .busProducerWaits: "Times a producer had to wait because a topic was at its bound."
        case .buildInfo: "Always 1; the labels say which build runs."
        case .http2ConnectionsLost: "Connections to a provider that broke or could not be opened."
        case .http2ConnectionsOpen: "Connections to a provider that take requests now."
        case .http2RequestDuration: "Time from accepting a request for a provider until its outcome."
        case .http2RequestsResent: "Requests sent again because the provider had refused them unprocessed."
        case .http2RequestsSettled: "Requests to a provider that have their outcome, by outcome."
        case .httpBodyBytesBuffered: "Bytes of request bodies held in memory now."
        case .httpClientRequestDuration: "Time from asking for a request until its answer was complete."
        case .httpClientRequestsAnswered: "Requests of this service that were answered, by class of status."
        case .httpClientRequestsFailed: "Requests of this service without an answer: not sent, or of unknown outcome."
        case .httpClientRequestsOpen: "Requests of this service that wait or are under way now."
        case .httpConnectionsOpen: "HTTP connections open now."
        case .httpRequestDuration: "Time from the complete header until the answer was handed over."
        case .httpRequestsAnswered: "Requests answered, by class of status."
        case .httpRequestsRefused: "Requests and connections refused by a limit or as malformed, by reason."
        case .redisCommandDuration: "Time from handing a command over until its reply."
        case .redisReconnects: "Connections to Redis opened again after a failure."
        case .schedulerDevicesReleased: "Devices let go to be rendered and tried again."
        case .schedulerDevicesRemoved: "Devices removed while they waited for a retry, which ended as suppressed."
        case .schedulerDevicesUnledgered: "Removed devices for whom no ledger, or no mark in it, could note their end."
        case .schedulerRetriesHeld: "Retry orders that wait or are being let go."
        case .schedulerRetryLateness: "How late the last retries were let go, the latest of them."
        case .senderAppsHalted: "Apps of which nothing can be sent until their settings are mended."
        case .senderClaimsRefused: "Devices whose result came after another sender had taken them over."
        case .senderDevicesEnded: "Devices that reached an end in this sender, by state."
        case .senderDevicesUnledgered: "Devices not sent because no ledger, or no mark in it, vouched for them."
        case .senderPushDuration: "Time a batch of devices took from its claim's answer to the provider's last answer."
        case .senderPushes: "Pushes handed to a provider, by outcome: answered, not_sent, unknown."
        }
    }
}
