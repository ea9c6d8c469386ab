-- Add machine time of one span to a month, once. KEYS: month.
-- ARGV: since in s, until in s, keep in s, most fields, then field, seconds or tokens, ...
-- A new field beyond `most` is not made; its machine time (fields that begin with "run|") is added to "over".
-- Returns 1, or 0 when this span, or a later one, was added before: then nothing was written.
local last = redis.call('HGET', KEYS[1], 'until')
if last and tonumber(last) > tonumber(ARGV[1]) then return 0 end
redis.call('HSETNX', KEYS[1], 'since', ARGV[1])
redis.call('HSET', KEYS[1], 'until', ARGV[2])
redis.call('HINCRBY', KEYS[1], 'seen', tonumber(ARGV[2]) - tonumber(ARGV[1]))
for at = 5, #ARGV, 2 do
  local field = ARGV[at]
  if redis.call('HEXISTS', KEYS[1], field) == 1 or redis.call('HLEN', KEYS[1]) < tonumber(ARGV[4]) then
    redis.call('HINCRBY', KEYS[1], field, ARGV[at + 1])
  elseif string.sub(field, 1, 4) == 'run|' then
    redis.call('HINCRBY', KEYS[1], 'over', ARGV[at + 1])
  end
end
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
