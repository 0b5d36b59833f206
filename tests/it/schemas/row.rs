//! A row of the table: a type, what can be read as it, and what cannot.

use serde_json::value::RawValue;
use toolwright::{Context, ToolCall, ToolError, Toolset, schema::SchemaDoc};
#[cfg(oracle)]
use toolwright_testing::Disagreement;

pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// The schema of what is read.
    pub(crate) schema: SchemaDoc,
    pub(crate) input: String,
    pub(crate) output: String,
    /// The comparison with schemars, of a type that it knows.
    #[cfg(oracle)]
    pub(crate) agrees: Option<fn() -> Result<(), Disagreement>>,
    /// One tool, whose one argument is of the type.
    pub(crate) tools: fn() -> Toolset,
    /// Reads a sample with `serde_json` and writes it again.
    pub(crate) rewrite: fn(&str) -> serde_json::Result<String>,
    pub(crate) samples: (&'static str, &'static str),
}

impl Row {
    /// Decodes a sample as our tools do; what is wrong with it.
    pub(crate) fn decode(&self, sample: &str) -> Option<ToolError> {
        call(&(self.tools)(), sample)
    }

    pub(crate) fn good(&self) -> Vec<String> {
        list(self.samples.0)
    }

    pub(crate) fn bad(&self) -> Vec<String> {
        list(self.samples.1)
    }
}

/// The values of a JSON array, each as its text: a number keeps its spelling.
fn list(array: &str) -> Vec<String> {
    let values: Vec<Box<RawValue>> = serde_json::from_str(array).expect(array);
    values.iter().map(|value| value.get().to_owned()).collect()
}

/// What a tool with the one argument says of a sample.
pub(crate) fn call(tools: &Toolset, sample: &str) -> Option<ToolError> {
    let call = ToolCall::new("1", "hold", format!(r#"{{"value":{sample}}}"#));
    let result = tools.call_blocking(
        &call,
        &Context::new().with_repairs(toolwright::args::Repairs::None),
    );
    result.outcome.err()
}

/// A row a type: what is read as it, and what is not. A leading `-` says that schemars does not
/// know the type.
macro_rules! rows {
    ($($(-$no:tt)? $ty:ty => $good:literal, $bad:literal;)*) => {
        vec![$({
            #[cfg(oracle)]
            #[allow(unused_mut, unused_assignments)]
            let mut agrees: Option<fn() -> Result<(), toolwright_testing::Disagreement>> = None;
            #[cfg(oracle)]
            $crate::schemas::row::agrees!(agrees $(-$no)? $ty);
            $crate::schemas::row::Row {
                name: stringify!($ty),
                schema: toolwright::schema::SchemaDoc::of::<$ty>(),
                input: toolwright::schema::SchemaDoc::of::<$ty>().as_json().to_owned(),
                output: toolwright::schema::SchemaDoc::of_output::<$ty>().as_json().to_owned(),
                #[cfg(oracle)]
                agrees,
                tools: || {
                    /// Holds a value.
                    #[toolwright::tool]
                    // A lock is taken for state without an attribute.
                    fn hold(#[arg(rename = "value")] value: $ty) {
                        let _ = value;
                    }
                    toolwright::tools![hold]
                },
                rewrite: |sample| {
                    let value: $ty = serde_json::from_str(sample)?;
                    serde_json::to_string(&value)
                },
                samples: ($good, $bad),
            }
        }),*]
    };
}

#[cfg(oracle)]
macro_rules! agrees {
    ($agrees:ident -$no:tt $ty:ty) => {};
    ($agrees:ident $ty:ty) => {
        $agrees = Some(toolwright_testing::agrees::<$ty>);
    };
}

#[cfg(oracle)]
pub(crate) use agrees;
pub(crate) use rows;
