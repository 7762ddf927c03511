# the compiled side: cffi makes its names from the headers, and checks them when it is called
from typing import Any

ffi: Any
lib: Any
