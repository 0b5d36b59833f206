// How do I return an error that the model can act on?

use std::fmt;

use toolwright::{Context, Encoder, ToolCall, tool, tools};

#[derive(Debug)]
enum TransferError {
    NoSuchAccount(String),
    NotEnough { balance: u32 },
}

// The model reads this text, and nothing else of the error.
impl fmt::Display for TransferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchAccount(name) => write!(f, "no account `{name}`; there is `savings`"),
            Self::NotEnough { balance } => write!(f, "the balance is only {balance}"),
        }
    }
}

impl std::error::Error for TransferError {}

/// Transfer money to an account.
#[tool]
fn transfer(to: &str, amount: u32) -> Result<String, TransferError> {
    match (to, amount) {
        ("savings", 0..=500) => Ok(format!("{amount} transferred to {to}")),
        ("savings", _) => Err(TransferError::NotEnough { balance: 500 }),
        _ => Err(TransferError::NoSuchAccount(to.to_owned())),
    }
}

fn main() {
    let tools = tools![transfer];
    for arguments in [
        r#"{"to": "saving", "amount": 900}"#,
        r#"{"to": "savings", "amount": 900}"#,
        r#"{"to": "savings", "amount": 500}"#,
    ] {
        let call = ToolCall::new("call_1", "transfer", arguments);
        let result = tools.call_blocking(&call, &Context::new());
        println!(
            "{}: {}",
            result.is_success(),
            result.content(Encoder::auto())
        );
    }
}

// Prints:
// false: no account `saving`; there is `savings`
// false: the balance is only 500
// true: 500 transferred to savings
