//! The statements of the store. Their columns are read in `rows`, by place.

/// The statements, with the name of the schema.
#[derive(Clone)]
pub(crate) struct Sql {
    pub(crate) first: String,
    pub(crate) next: String,
    pub(crate) head: String,
    pub(crate) locked: String,
    pub(crate) owned: String,
    pub(crate) renew: String,
    pub(crate) release: String,
    pub(crate) prunable: String,
    pub(crate) until: String,
    pub(crate) whole: String,
    pub(crate) prune: String,
    pub(crate) delete_one: String,
    pub(crate) latest: String,
    pub(crate) get: String,
    pub(crate) history: String,
    pub(crate) sessions: String,
    pub(crate) delete: String,
    pub(crate) replace: String,
    pub(crate) begin: String,
    pub(crate) call: String,
    pub(crate) end: String,
    pub(crate) calls: String,
    pub(crate) send: String,
    pub(crate) inbox: String,
}

const CHECKPOINT: &str =
    "id, session, parent, written, next, at_ms, metadata, body, front, back, sum";

const CALL: &str = "key, record, revision, after, outcome";

impl Sql {
    pub(crate) fn of(schema: &str) -> Self {
        let checkpoint = format!("{schema}.checkpoint");
        let (session, call) = (format!("{schema}.session"), format!("{schema}.call"));
        let message = format!("{schema}.message");
        let number = format!("nextval('{schema}.checkpoint_number')");
        // What a row of `head` is there for is done in the same statement.
        let put = |head: &str| {
            format!(
                "WITH head AS ({head} RETURNING id, newest)
                 INSERT INTO {checkpoint} ({CHECKPOINT})
                 SELECT newest, id, $2, $3, $4, $5, $6, $7, $8, $9, $10 FROM head RETURNING id"
            )
        };
        let head = format!("SELECT newest, lease, {LEFT} FROM {session} WHERE id = $1");
        // From the last whole one on.
        let columns = format!("row.{}", CHECKPOINT.replace(", ", ", row."));
        let chain = |target: &str| {
            format!(
                "WITH target AS ({target})
                 SELECT {columns} FROM target JOIN {checkpoint} AS row ON row.session = target.session
                 WHERE row.id <= target.id AND row.id >= (
                     SELECT max(whole.id) FROM {checkpoint} AS whole
                     WHERE whole.session = target.session AND whole.id <= target.id AND whole.front IS NULL
                 ) ORDER BY row.id"
            )
        };
        Self {
            first: put(&first(&session, &number)),
            next: put(&next(&session, &number)),
            locked: format!("{head} FOR SHARE"),
            owned: format!("{head} FOR UPDATE"),
            head,
            renew: format!(
                "UPDATE {session} SET lease_until = clock_timestamp() + $3::float8 * interval '1 millisecond'
                 WHERE id = $1 AND lease = $2"
            ),
            release: format!(
                "UPDATE {session} SET lease = NULL, lease_until = NULL WHERE id = $1 AND lease = $2"
            ),
            prunable: format!(
                "SELECT id, at_ms FROM {checkpoint} WHERE session = $1 ORDER BY id"
            ),
            until: chain("SELECT $1::text AS session, $2::bigint AS id"),
            whole: format!(
                "UPDATE {checkpoint} SET body = $2, front = NULL, back = NULL WHERE id = $1"
            ),
            prune: format!("DELETE FROM {checkpoint} WHERE session = $1 AND id < $2"),
            delete_one: format!("DELETE FROM {checkpoint} WHERE session = $1 AND id = $2"),
            latest: chain(&format!(
                "SELECT id AS session, newest AS id FROM {session} WHERE id = $1"
            )),
            get: chain(&format!(
                "SELECT session, id FROM {checkpoint} WHERE id = $1"
            )),
            history: format!("SELECT {CHECKPOINT} FROM {checkpoint} WHERE session = $1 ORDER BY id"),
            sessions: format!(
                "SELECT id FROM {session} WHERE $1::text IS NULL OR id > $1 ORDER BY id LIMIT $2"
            ),
            delete: format!(
                "WITH RECURSIVE gone (id) AS (
                     VALUES ($1::text COLLATE \"C\")
                     UNION SELECT inside.id FROM {session} AS inside JOIN gone ON inside.caller = gone.id
                 ), deleted AS (
                     DELETE FROM {session} WHERE id IN (SELECT id FROM gone) RETURNING id
                 ) SELECT id FROM deleted WHERE id = $1"
            ),
            replace: format!(
                "UPDATE {call} SET record = $3, after = $4, revision = revision + 1, outcome = NULL
                 WHERE session = $1 AND key = $2 AND revision = $5 RETURNING revision"
            ),
            begin: format!(
                "INSERT INTO {call} (session, key, record, after, revision) VALUES ($1, $2, $3, $4, 1)
                 ON CONFLICT DO NOTHING RETURNING revision"
            ),
            call: format!("SELECT {CALL} FROM {call} WHERE session = $1 AND key = $2"),
            end: format!(
                "UPDATE {call} SET outcome = $4, revision = revision + 1
                 WHERE session = $1 AND key = $2 AND revision = $3"
            ),
            calls: format!("SELECT {CALL} FROM {call} WHERE session = $1 ORDER BY number"),
            send: format!(
                "INSERT INTO {message} (session, number, content)
                 SELECT $1, coalesce(max(number), 0) + 1, $2 FROM {message} WHERE session = $1"
            ),
            inbox: format!(
                "SELECT content FROM {message} WHERE session = $1 AND number > $2 ORDER BY number LIMIT $3"
            ),
        }
    }
}

/// Milliseconds until a lease ends.
const LEFT: &str = "extract(epoch FROM lease_until - clock_timestamp())::float8 * 1000";

/// The end of a writer's lease. $11 is what the writer does, $12 its number, $13 its time in milliseconds.
const UNTIL: &str = "clock_timestamp() + $13::float8 * interval '1 millisecond'";

/// The head of a session that begins.
fn first(session: &str, number: &str) -> String {
    format!(
        "INSERT INTO {session} (id, newest, caller, lease, lease_until)
                 SELECT $1, number, $14, CASE WHEN $11 IN ('take', 'over') THEN number END,
                     CASE WHEN $11 IN ('take', 'over') THEN {UNTIL} END
                 FROM {number} AS number WHERE $12::bigint IS NULL ON CONFLICT DO NOTHING"
    )
}

/// The head of a session that goes on.
fn next(session: &str, number: &str) -> String {
    format!(
        "UPDATE {session} SET newest = number,
                     lease = CASE $11 WHEN 'none' THEN lease WHEN 'keep' THEN $12 WHEN 'release' THEN NULL ELSE number END,
                     lease_until = CASE $11 WHEN 'none' THEN lease_until WHEN 'release' THEN NULL ELSE {UNTIL} END
                 FROM {number} AS number
                 WHERE id = $1 AND newest = $14 AND CASE
                     WHEN $11 = 'over' THEN true
                     WHEN $11 IN ('keep', 'release') THEN lease IS NOT DISTINCT FROM $12
                     ELSE lease_until IS NULL OR lease_until <= clock_timestamp()
                 END"
    )
}
