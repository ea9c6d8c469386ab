-- One transition by compare-and-set. KEYS: work, due, open.
-- ARGV: id, fence, from, to, wait in ms (the lease ends, next look then) or -1 (the lease goes on), keep in s when done, then field, value, ...
-- Returns 1, or 0 when the fence or the state is not the expected one: then nothing was written.
local work = redis.call('HMGET', KEYS[1], 'fence', 'state')
if work[1] ~= ARGV[2] or work[2] ~= ARGV[3] then return 0 end
redis.call('HSET', KEYS[1], 'state', ARGV[4], unpack(ARGV, 7))
if ARGV[4] == 'done' then
  redis.call('HSET', KEYS[1], 'lease_until', 0)
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('ZREM', KEYS[3], ARGV[1])
  redis.call('EXPIRE', KEYS[1], ARGV[6])
elseif tonumber(ARGV[5]) >= 0 then
  local time = redis.call('TIME')
  local due = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[5])
  redis.call('HSET', KEYS[1], 'lease_until', 0, 'not_before', due)
  redis.call('ZADD', KEYS[2], due, ARGV[1])
end
return 1
