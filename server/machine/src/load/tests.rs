#[test]
fn builtin_loads() {
    super::builtin::read().map_err(|e| e.to_string()).unwrap();
}
