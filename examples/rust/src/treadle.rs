//! What this program uses of treadle.h, and owners of its handles.

use std::ffi::{c_char, c_void, CStr, CString};
use std::fmt;
use std::ptr;

pub type Status = i32;
pub type Handle = *mut c_void;

#[repr(C)]
struct ImageSource {
    struct_size: u32,
    format: u32,
    data: *const c_void,
    bytes: u64,
    path: *const c_char,
}

#[repr(C)]
struct ArrayDesc {
    abi_major: u32,
    abi_minor: u32,
    struct_size: u32,
    flags: u32,
    data: u64,
    device_type: i32,
    device_id: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    itemsize: u32,
    ndim: i32,
    stream_kind: i32,
    stream: u64,
    event: u64,
    shape: *const i64,
    byte_strides: *const i64,
    typestr: *const c_char,
    descr: *const c_char,
    mask: *const c_void,
    owner: *mut c_void,
    retain: *const c_void,
    release: *const c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Argument {
    kind: u32,
    bytes: u32,
    value: [u64; 2],
}

#[repr(C)]
struct LaunchConfig {
    struct_size: u32,
    argument_size: u32,
    grid: [u32; 3],
    block: [u32; 3],
    cluster: [u32; 3],
    shared_bytes: u32,
    stream: Handle,
}

#[repr(C)]
pub struct DlVersioned {
    major: u32,
    minor: u32,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut DlVersioned)>,
    flags: u64,
    data: *mut c_void,
    device_type: i32,
    device_id: i32,
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *const i64,
    strides: *const i64,
    byte_offset: u64,
}

// Linked as build.rs says.
extern "C" {
    fn treadle_status_name(status: Status) -> *const c_char;
    fn treadle_last_error() -> *const c_char;
    fn treadle_device_open(kind: *const c_char, ordinal: i32, device: *mut Handle) -> Status;
    fn treadle_device_synchronize(device: Handle) -> Status;
    fn treadle_image_load(device: Handle, source: *const ImageSource, image: *mut Handle) -> Status;
    fn treadle_image_kernel(image: Handle, name: *const c_char, kernel: *mut Handle) -> Status;
    fn treadle_image_free(image: Handle) -> Status;
    fn treadle_kernel_free(kernel: Handle) -> Status;
    fn treadle_array_create(
        device: Handle, kind: u32, desc: *const ArrayDesc, stream: Handle, array: *mut Handle,
    ) -> Status;
    fn treadle_array_from_dlpack(tensor: *mut DlVersioned, producer: Handle, array: *mut Handle) -> Status;
    fn treadle_array_write(array: Handle, from: *const c_void, bytes: u64, stream: Handle) -> Status;
    fn treadle_array_read(array: Handle, to: *mut c_void, bytes: u64, stream: Handle) -> Status;
    fn treadle_array_free(array: Handle) -> Status;
    fn treadle_launch(
        kernel: Handle, config: *const LaunchConfig, arguments: *const Argument, count: u32,
    ) -> Status;
}

pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str(&self.0)
    }
}

pub type Result<T> = std::result::Result<T, Error>;

fn check(status: Status) -> Result<()> {
    if status == 0 {
        return Ok(());
    }
    // SAFETY: both are NUL-terminated; the text is valid until this thread's next failing call.
    let [name, text] = unsafe { [treadle_status_name(status), treadle_last_error()].map(|text| CStr::from_ptr(text)) };
    Err(Error(format!("{}: {}", name.to_string_lossy(), text.to_string_lossy())))
}

pub struct Device(Handle);

impl Device {
    /// A GPU if there is one, otherwise the CPU.
    pub fn first() -> Result<Device> {
        let mut device = ptr::null_mut();
        check(unsafe { treadle_device_open(ptr::null(), 0, &mut device) })?;
        Ok(Device(device))
    }

    pub fn synchronize(&self) -> Result<()> {
        check(unsafe { treadle_device_synchronize(self.0) })
    }

    /// The kernel of that name in an image file.
    pub fn kernel(&self, path: &str, name: &str) -> Result<Kernel> {
        let (path, name) = (CString::new(path).unwrap(), CString::new(name).unwrap());
        let source = ImageSource {
            struct_size: std::mem::size_of::<ImageSource>() as u32,
            format: 0,
            data: ptr::null(),
            bytes: 0,
            path: path.as_ptr(),
        };
        let (mut image, mut kernel) = (ptr::null_mut(), ptr::null_mut());
        check(unsafe { treadle_image_load(self.0, &source, &mut image) })?;
        let found = check(unsafe { treadle_image_kernel(image, name.as_ptr(), &mut kernel) });
        unsafe { treadle_image_free(image) };
        found.map(|_| Kernel(kernel))
    }

    /// A one-dimensional float64 array with these values.
    pub fn array(&self, values: &[f64]) -> Result<Array> {
        let shape = [values.len() as i64];
        // SAFETY: all zero is a valid description.
        let mut desc: ArrayDesc = unsafe { std::mem::zeroed() };
        desc.abi_major = 1;
        desc.struct_size = std::mem::size_of::<ArrayDesc>() as u32;
        (desc.code, desc.bits, desc.lanes) = (2, 64, 1);
        desc.ndim = 1;
        desc.shape = shape.as_ptr();
        let mut array = ptr::null_mut();
        check(unsafe { treadle_array_create(self.0, 0, &desc, ptr::null_mut(), &mut array) })?;
        let array = Array(array);
        let bytes = std::mem::size_of_val(values) as u64;
        check(unsafe { treadle_array_write(array.0, values.as_ptr().cast(), bytes, ptr::null_mut()) })?;
        Ok(array)
    }
}

pub struct Array(Handle);

impl Array {
    /// Takes the tensor over, also where it fails; its length comes with it.
    ///
    /// # Safety
    /// The tensor must be one of DLPack's, which nobody else uses any more.
    pub unsafe fn from_tensor(tensor: *mut DlVersioned) -> Result<(Array, usize)> {
        let (mut array, length) = (ptr::null_mut(), *(*tensor).shape as usize);
        let taken = check(treadle_array_from_dlpack(tensor, ptr::null_mut(), &mut array));
        if let (Err(_), Some(deleter)) = (&taken, (*tensor).deleter) {
            deleter(tensor);
        }
        taken.map(|_| (Array(array), length))
    }

    pub fn read(&self, to: &mut [f64]) -> Result<()> {
        let bytes = std::mem::size_of_val(to) as u64;
        check(unsafe { treadle_array_read(self.0, to.as_mut_ptr().cast(), bytes, ptr::null_mut()) })
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        unsafe { treadle_array_free(self.0) };
    }
}

impl From<&Array> for Argument {
    fn from(array: &Array) -> Argument {
        Argument { kind: 1, bytes: 0, value: [array.0 as u64, 0] }
    }
}

impl From<f64> for Argument {
    fn from(number: f64) -> Argument {
        Argument { kind: 4, bytes: 0, value: [number.to_bits(), 0] }
    }
}

pub struct Kernel(Handle);

impl Kernel {
    pub fn launch(&self, grid: u32, block: u32, arguments: &[Argument]) -> Result<()> {
        let config = LaunchConfig {
            struct_size: std::mem::size_of::<LaunchConfig>() as u32,
            argument_size: std::mem::size_of::<Argument>() as u32,
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            cluster: [0; 3],
            shared_bytes: 0,
            stream: ptr::null_mut(),
        };
        check(unsafe { treadle_launch(self.0, &config, arguments.as_ptr(), arguments.len() as u32) })
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        unsafe { treadle_kernel_free(self.0) };
    }
}
