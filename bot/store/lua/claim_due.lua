-- What is due and held by nobody. KEYS: due. ARGV: how many at most, look again after ms, prefix of work keys.
-- Returns id, queue, id, queue, ... Each is put off, so that replicas of the clock do not kick the same work at once,
-- longer with every kick that nobody took: workers that are away for an hour find no pile of kicks.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
local out = {}
for _, id in ipairs(ids) do
  local queue = redis.call('HGET', ARGV[3] .. id, 'queue')
  if queue then
    local kicks = redis.call('HINCRBY', ARGV[3] .. id, 'kicks', 1)
    local wait = math.min(tonumber(ARGV[2]) * 2 ^ math.min(kicks - 1, 10), math.max(60000, tonumber(ARGV[2])))
    redis.call('ZADD', KEYS[1], now + wait, id)
    out[#out + 1] = id
    out[#out + 1] = queue
  else
    redis.call('ZREM', KEYS[1], id)
  end
end
return out
