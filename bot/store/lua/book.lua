-- Book one call in every limit at once, or in none. KEYS: a key a limit. ARGV: longest wait in ms, then per limit: gap in ms, burst.
-- Returns the wait in ms (0: now); negative: the wait would be that long, and nothing was booked.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local wait = 0
local next_at = {}
for i, key in ipairs(KEYS) do
  local gap, burst = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  local due = math.max(tonumber(redis.call('GET', key) or 0), now)
  wait = math.max(wait, due - now - gap * (burst - 1))
  next_at[i] = due + gap
end
if wait > tonumber(ARGV[1]) then return -wait end
for i, key in ipairs(KEYS) do
  redis.call('SET', key, next_at[i], 'PX', math.max(1, next_at[i] - now + 1000))
end
return wait
