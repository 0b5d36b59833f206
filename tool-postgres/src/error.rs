use std::error::Error;

use deadpool_postgres::PoolError;
use toolwright::agent::store::CheckpointError;

/// Failure of an operation on the database.
pub(crate) enum Failure {
    Database(tokio_postgres::Error),
    Pool(PoolError),
    Checkpoint(CheckpointError),
}

pub(crate) type Done<T> = Result<T, Failure>;

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(error)
    }
}

impl From<PoolError> for Failure {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Backend(error) => Self::Database(error),
            error => Self::Pool(error),
        }
    }
}

impl From<CheckpointError> for Failure {
    fn from(error: CheckpointError) -> Self {
        Self::Checkpoint(error)
    }
}

impl From<Failure> for CheckpointError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Database(error) => {
                // The error itself says "db error"; the server's words are its source.
                let words = error
                    .source()
                    .map_or_else(|| error.to_string(), ToString::to_string);
                Self::store_with(format!("the database failed: {words}"), error)
            }
            Failure::Pool(error) => {
                Self::store_with(format!("no connection to the database: {error}"), error)
            }
            Failure::Checkpoint(error) => error,
        }
    }
}
