-- Texts that are too large for the messages of a fleet. `{schema}` is the schema's name.

CREATE TABLE {schema}.payload (
    -- The SHA-256 of the content, in hexadecimal digits: what is stored twice is there once.
    key text COLLATE "C" PRIMARY KEY,
    content bytea NOT NULL,
    -- When it was stored last. What is old is deleted.
    at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX payload_at ON {schema}.payload (at);
