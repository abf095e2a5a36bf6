-- Counters of the throttling (sign-in, reset links), in the shape that rate-limiter-flexible expects. They hold
-- no personal data: keys are HMACs of addresses and e-mails.
CREATE TABLE rate_limits (
  key varchar(255) COLLATE "C" PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);
CREATE INDEX rate_limits_expire_idx ON rate_limits (expire);
COMMENT ON COLUMN rate_limits.expire IS 'milliseconds since 1970; the counter starts anew after it';
