import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
