//! A kernel written in CUDA Python, in a Rust program:
//!
//!     treadle compile triad.py:triad --target cpu,sm_75 -o triad.image
//!     TREADLE_LIB=$(python -c "import treadle; print(treadle.__path__[0])") \
//!       cargo run --release --manifest-path rust/Cargo.toml triad.image

use std::process::ExitCode;

fn main() -> ExitCode {
    let path = match std::env::args().nth(1) {
        Some(path) => path,
        None => {
            eprintln!("triad IMAGE");
            return ExitCode::from(2);
        }
    };
    let x: Vec<f64> = (0..100_000).map(f64::from).collect();
    let mut out = vec![0.0; x.len()];
    if let Err(error) = triad::triad(&path, &x, &x, 0.5, &mut out) {
        eprintln!("triad: {error}");
        return ExitCode::FAILURE;
    }
    let worst = x.iter().zip(&out).map(|(x, out)| (out - 1.5 * x).abs()).fold(0.0, f64::max);
    println!("triad over {} elements: largest difference {worst:e}", x.len());
    if worst == 0.0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
