// Where libtreadle is: TREADLE_LIB names the folder of the Python package.
fn main() {
    let folder = std::env::var("TREADLE_LIB").expect("TREADLE_LIB must name the folder that has libtreadle.so");
    println!("cargo:rerun-if-env-changed=TREADLE_LIB");
    println!("cargo:rustc-link-search=native={folder}");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
}
