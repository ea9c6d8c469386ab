-- Keep a lease. KEYS: work, due. ARGV: id, fence, lease in ms. Returns 1, or 0 when somebody else holds the work now.
local work = redis.call('HMGET', KEYS[1], 'fence', 'state')
if work[1] ~= ARGV[2] or work[2] == 'done' then return 0 end
local time = redis.call('TIME')
local till = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[3])
redis.call('HSET', KEYS[1], 'lease_until', till)
redis.call('ZADD', KEYS[2], till, ARGV[1])
return 1
