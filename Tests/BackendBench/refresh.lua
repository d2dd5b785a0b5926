-- For wrk: each connection thread follows refresh tokens of its own in turn, each answer's token being that family's next one.
-- Arguments: a file with one token a line, the path, the client's id, how many threads there are: as many as connections.
local threads, started = {}, 0
function setup(thread)
  thread:set("place", started)
  started = started + 1
  table.insert(threads, thread)
end
function init(arguments)
  good, bad, tokens, turn = 0, 0, {}, 1
  path, client = arguments[2], arguments[3]
  local line = 0
  for text in io.lines(arguments[1]) do
    if line % tonumber(arguments[4]) == place then table.insert(tokens, text) end
    line = line + 1
  end
end
function request()
  return wrk.format("POST", path, { ["Content-Type"] = "application/x-www-form-urlencoded" },
    "grant_type=refresh_token&client_id=" .. client .. "&refresh_token=" .. tokens[turn])
end
function response(status, headers, body)
  local next_token = body:match('"refresh_token"%s*:%s*"([^"]+)"')
  if status == 200 and next_token then
    tokens[turn], good = next_token, good + 1
    turn = turn % #tokens + 1
  else
    bad = bad + 1
  end
end
function done(summary, latency)
  local good, bad = 0, 0
  for _, thread in ipairs(threads) do
    good = good + thread:get("good")
    bad = bad + thread:get("bad")
  end
  -- Of a connection that failed or a request that got no answer in time, no thread is told.
  local errors = summary.errors
  bad = bad + errors.connect + errors.read + errors.write + errors.timeout
  print(string.format("RESULT %d %d %d %.0f %.0f", good, bad, summary.duration, latency.mean, latency:percentile(99)))
end
