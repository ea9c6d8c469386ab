-- Stand in line for the answer of a thread, and learn whose turn it is. KEYS: line, holder, due.
-- ARGV: id, order, keep in s. Works that are no longer due anywhere have ended: they leave the line here, so that a turn ends
-- with its work, whatever ended it. Returns 1 when it is this work's turn, else 0.
redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
local holder = redis.call('GET', KEYS[2])
if holder and redis.call('ZSCORE', KEYS[3], holder) == false then
  redis.call('ZREM', KEYS[1], holder)
  redis.call('DEL', KEYS[2])
  holder = false
end
if not holder then
  for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    if id == ARGV[1] or redis.call('ZSCORE', KEYS[3], id) then
      holder = id
      redis.call('SET', KEYS[2], id, 'EX', ARGV[3])
      break
    end
    redis.call('ZREM', KEYS[1], id)
  end
end
if holder == ARGV[1] then return 1 end
return 0
