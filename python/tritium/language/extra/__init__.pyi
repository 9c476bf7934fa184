from . import cuda as cuda, libdevice as libdevice
