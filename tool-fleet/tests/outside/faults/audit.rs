//! What the database saw of the machines' writes: who wrote under which lease.

use tokio_postgres::{Client, NoTls};

use crate::Failure;

/// Notes each write with the connection's name, which is that of the machine.
const TRIGGERS: &str = "
    CREATE TABLE IF NOT EXISTS public.audit (
        number bigint GENERATED ALWAYS AS IDENTITY,
        what text NOT NULL,
        session text NOT NULL,
        lease bigint,
        is_live boolean,
        took bigint,
        machine text NOT NULL
    );
    CREATE OR REPLACE FUNCTION public.audit_session() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO public.audit (what, session, lease, is_live, took, machine) VALUES (
            CASE WHEN TG_OP = 'INSERT' OR NEW.newest <> OLD.newest THEN 'checkpoint' ELSE 'renewal' END,
            NEW.id,
            CASE WHEN TG_OP = 'UPDATE' THEN OLD.lease END,
            CASE WHEN TG_OP = 'UPDATE' THEN OLD.lease_until > clock_timestamp() END,
            CASE WHEN NEW.lease = NEW.newest AND (TG_OP = 'INSERT' OR OLD.lease IS DISTINCT FROM NEW.lease) THEN NEW.lease END,
            current_setting('application_name')
        );
        RETURN NULL;
    END $$;
    CREATE OR REPLACE FUNCTION public.audit_call() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO public.audit (what, session, lease, machine)
            SELECT 'call', NEW.session, lease, current_setting('application_name')
            FROM toolwright.session WHERE id = NEW.session;
        RETURN NULL;
    END $$;
    CREATE TRIGGER audit AFTER INSERT OR UPDATE ON toolwright.session
        FOR EACH ROW EXECUTE FUNCTION public.audit_session();
    CREATE TRIGGER audit AFTER INSERT OR UPDATE ON toolwright.call
        FOR EACH ROW EXECUTE FUNCTION public.audit_call();
";

/// Writes of a machine under a lease that another one took: checkpoints, renewals and records of calls. And leases that were taken
/// while another one was live. After a lease has expired, an input may be stored before the next run takes a lease. That happens
/// after a deploy: a call that was approved for the old tool waits again, so no run takes the lease of a killed worker until a
/// person decides.
const STALE: &str = "
    SELECT count(*) FROM public.audit AS written
    LEFT JOIN public.audit AS taken ON taken.took = written.lease
    WHERE written.lease IS NOT NULL AND (
        (written.took IS NULL AND written.machine IS DISTINCT FROM taken.machine
            AND NOT (written.what = 'checkpoint' AND NOT written.is_live))
        OR (written.took IS NOT NULL AND written.is_live)
    )
";

async fn connected(url: &str) -> Result<Client, Failure> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Begins to note writes.
pub(crate) async fn begin(url: &str) -> Result<(), Failure> {
    connected(url).await?.batch_execute(TRIGGERS).await?;
    Ok(())
}

/// What was noted.
pub(crate) struct Audit {
    /// Writes under a lease that were noted.
    pub(crate) writes: i64,
    /// Runs that a machine began after another one's lease had ended by itself.
    pub(crate) taken_over: i64,
    pub(crate) stale: i64,
}

/// Returns what was noted.
pub(crate) async fn end(url: &str) -> Result<Audit, Failure> {
    let client = connected(url).await?;
    let writes = "SELECT count(*) FROM public.audit WHERE lease IS NOT NULL";
    let taken = "SELECT count(*) FROM public.audit WHERE lease IS NOT NULL AND took IS NOT NULL";
    Ok(Audit {
        writes: client.query_one(writes, &[]).await?.try_get(0)?,
        taken_over: client.query_one(taken, &[]).await?.try_get(0)?,
        stale: client.query_one(STALE, &[]).await?.try_get(0)?,
    })
}
