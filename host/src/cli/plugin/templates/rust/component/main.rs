//! `component MODULE COMPONENT`: the module carries its WIT in a custom section, which the SDK's bindings left there.

use std::error::Error;

use wit_component::ComponentEncoder;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(module), Some(component)) = (arguments.next(), arguments.next()) else {
        return Err("usage: component MODULE COMPONENT".into());
    };
    let module = std::fs::read(module)?;
    let made = ComponentEncoder::default().validate(true).module(&module)?.encode()?;
    Ok(std::fs::write(component, made)?)
}
