-- Messages to sessions. `{schema}` is the schema's name.

CREATE TABLE {schema}.message (
    session text COLLATE "C" NOT NULL REFERENCES {schema}.session ON DELETE CASCADE,
    -- Counts the messages of the session from 1.
    number bigint NOT NULL,
    -- As a JSON string: Postgres' texts have no NUL.
    content text NOT NULL,
    PRIMARY KEY (session, number)
);
