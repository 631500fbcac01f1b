// Where libtreadle is: TREADLE_LIB names the folder of the Python package.
fn main() {
    let folder = std::env::var("TREADLE_LIB").expect("TREADLE_LIB must name the folder that has libtreadle.so");
    println!("cargo:rerun-if-env-changed=TREADLE_LIB");
    // By its full name: wheels hold no links, so that there is no libtreadle.so for -ltreadle.
    for argument in [format!("-L{folder}"), "-l:libtreadle.so.0".into(), format!("-Wl,-rpath,{folder}")] {
        println!("cargo:rustc-link-arg={argument}");
    }
}
