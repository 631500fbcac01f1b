"""The sources of kernels: texts, syntax trees and names."""
