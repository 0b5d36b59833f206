// How do I rename a tool from another crate?

use toolwright::{Toolset, tools};

/// Stands for a crate that you depend on.
mod geo {
    /// Looks up a name.
    #[toolwright::tool(read_only)]
    pub(crate) fn lookup(name: &str) -> String {
        format!("{name} is at 59.9 N, 10.7 E")
    }

    pub(crate) fn all() -> toolwright::Toolset {
        toolwright::tools![lookup]
    }
}

fn print(tools: &Toolset) {
    for def in tools.definitions() {
        println!("{}: {}", def.name, def.description);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A tool that you can name: in the list, with another description if you like.
    print(&tools![geo::lookup as "find_place": "Find the coordinates of a place."]);

    // A toolset that you were given.
    print(&geo::all().rename("lookup", "geo_lookup")?);
    Ok(())
}

// Prints:
// find_place: Find the coordinates of a place.
// geo_lookup: Looks up a name.
