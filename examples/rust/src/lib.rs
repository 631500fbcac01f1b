//! triad: out = x + factor * y by the kernel of ../triad.py; on its own, and for tensors of other libraries.

pub mod treadle;

use std::ffi::{c_char, CStr};
use treadle::{Array, Device, DlVersioned, Result};

const BLOCK: u32 = 128;

fn launch(device: &Device, path: &str, factor: f64, arrays: [&Array; 3], length: usize) -> Result<()> {
    let [x, y, out] = arrays;
    let grid = (length as u32 + BLOCK - 1) / BLOCK;
    let kernel = device.kernel(path, "triad")?;
    kernel.launch(grid, BLOCK, &[x.into(), y.into(), factor.into(), out.into()])
}

/// Slices of one length.
pub fn triad(path: &str, x: &[f64], y: &[f64], factor: f64, out: &mut [f64]) -> Result<()> {
    let device = Device::first()?;
    let (a, b, c) = (device.array(x)?, device.array(y)?, device.array(out)?);
    launch(&device, path, factor, [&a, &b, &c], x.len())?;
    c.read(out)
}

unsafe fn with_tensors(path: &str, factor: f64, tensors: [*mut DlVersioned; 3]) -> Result<()> {
    let taken = tensors.map(|tensor| Array::from_tensor(tensor));
    let [(x, length), (y, _), (out, _)] = {
        let [x, y, out] = taken;
        [x?, y?, out?]
    };
    let device = Device::first()?;
    launch(&device, path, factor, [&x, &y, &out], length)?;
    device.synchronize()
}

/// One-dimensional float64 tensors of one length. Takes them over. 0: done.
///
/// # Safety
/// The path must be NUL-terminated, and the tensors DLPack's.
#[no_mangle]
pub unsafe extern "C" fn triad_tensors(path: *const c_char, factor: f64, tensors: *const *mut DlVersioned) -> i32 {
    let path = CStr::from_ptr(path).to_string_lossy();
    match with_tensors(&path, factor, [*tensors, *tensors.add(1), *tensors.add(2)]) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("triad: {error}");
            1
        }
    }
}
