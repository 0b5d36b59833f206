-- Sessions of agents: their checkpoints, and the records of their calls. `{schema}` is the schema's name.

-- Numbers of checkpoints, which are never given again.
CREATE SEQUENCE {schema}.checkpoint_number;

-- One row a session: what every write compares and replaces.
CREATE TABLE {schema}.session (
    -- Sorted by bytes.
    id text COLLATE "C" PRIMARY KEY,
    newest bigint NOT NULL,
    -- The session whose call runs the agent of this one, which is deleted with it.
    caller text COLLATE "C",
    -- The lease of the run: the checkpoint that took it, and its end.
    lease bigint,
    lease_until timestamptz,
    CHECK ((lease IS NULL) = (lease_until IS NULL))
);

CREATE INDEX session_of_caller ON {schema}.session (caller) WHERE caller IS NOT NULL;

CREATE TABLE {schema}.checkpoint (
    id bigint PRIMARY KEY,
    session text COLLATE "C" NOT NULL REFERENCES {schema}.session ON DELETE CASCADE,
    parent bigint,
    written text NOT NULL,
    next text NOT NULL,
    at_ms bigint NOT NULL,
    -- JSON as text: `jsonb` sorts keys, rounds numbers and refuses some strings.
    metadata text NOT NULL,
    -- The session, or what stands between the `front` and the `back` bytes that stay of the session's checkpoint before this one.
    body text NOT NULL,
    front bigint,
    back bigint,
    -- Of the whole session, so that a lost row is noticed: the first eight bytes of its SHA-256.
    sum bigint NOT NULL,
    CHECK ((front IS NULL) = (back IS NULL))
);

CREATE INDEX checkpoint_of_session ON {schema}.checkpoint (session, id);
CREATE INDEX whole_checkpoint ON {schema}.checkpoint (session, id) WHERE front IS NULL;

CREATE TABLE {schema}.call (
    -- In the order in which the calls first began.
    number bigint GENERATED ALWAYS AS IDENTITY,
    session text COLLATE "C" NOT NULL REFERENCES {schema}.session ON DELETE CASCADE,
    -- Bytes, since it has the call's id, which a model wrote: Postgres' texts have no NUL.
    key bytea NOT NULL,
    -- The call and the model's arguments, as JSON.
    record text NOT NULL,
    revision bigint NOT NULL,
    after bigint NOT NULL,
    outcome text,
    PRIMARY KEY (session, key)
);
