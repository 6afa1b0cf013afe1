# SPDX-License-Identifier: GPL-3.0-or-later
"""The disks of the test machine: one of every kind that QEMU offers."""

from __future__ import annotations

from tests.machine.machine import Device

CONTROLLERS = (
    Device("usb", "qemu-xhci,id=usb0"),
    Device("scsi", "virtio-scsi-pci,id=scsi0"),
    Device("sd", "sdhci-pci,id=sd0"),
    Device("port", "pcie-root-port,id=slot0,chassis=1,slot=1"),
    Device("second-port", "pcie-root-port,id=slot1,chassis=2,slot=2"),
)

SATA_HDD = Device(
    "sata-hdd", "ide-hd,bus=ide.0,model=SPINNER,serial=HDD7200,rotation_rate=7200,wwn=0x5000c50012345601", 1024
)
SATA_SSD = Device("sata-ssd", "ide-hd,bus=ide.1,model=FLASH,serial=SSD0001,rotation_rate=1,wwn=0x5000c50012345602", 64)
SATA_PLAIN = Device("sata-plain", "ide-hd,bus=ide.2,model=SILENT,serial=PLAIN01", 64)
DVD = Device("dvd", "ide-cd,bus=ide.3,model=DVD,serial=DVD0001")
SCSI_WWN = Device(
    "scsi-wwn",
    "scsi-hd,bus=scsi0.0,scsi-id=1,vendor=ACME,product=BIGDISK,serial=SAS0001,wwn=0x5000c50012345603,rotation_rate=10000",
    64,
)
SCSI_PLAIN = Device("scsi-plain", "scsi-hd,bus=scsi0.0,scsi-id=2,vendor=ACME,product=NOWWN,serial=NOWWN01", 64)
TWIN_A = Device("twin-a", "scsi-hd,bus=scsi0.0,scsi-id=3,vendor=ACME,product=TWIN,serial=TWIN001", 64)
TWIN_B = Device("twin-b", "scsi-hd,bus=scsi0.0,scsi-id=4,vendor=ACME,product=TWIN,serial=TWIN001", 64)
ODD = Device("odd", 'scsi-hd,bus=scsi0.0,scsi-id=5,vendor=ACME,product=ODD,serial=O"d *$d{x}', 64)
USB_BOX = Device("box", "usb-bot,bus=usb0.0,port=1,id=box,serial=USB0001")
USB = Device("stick", "scsi-hd,bus=box.0,vendor=Sandy,product=Stick,serial=USB0001,removable=on", 64)
SLOW_BOX = Device("slow-box", "usb-bot,bus=usb0.0,port=3,id=slow-box,serial=USB0003")
SLOW_STICK = Device(
    "slow-stick",
    "scsi-hd,bus=slow-box.0,vendor=Sandy,product=Slow,serial=USB0003,removable=on",
    4096,
    throttled=",throttling.bps-write=12000000,throttling.bps-read=30000000",
)
"""As slow as many a stick; it is plugged in later."""
USB_DISK = Device("usb-disk", "usb-storage,bus=usb0.0,port=2,serial=USB0002", 64)
SD = Device("card", "sd-card,bus=sd-bus", 64)
VIRTIO = Device("virtio-serial", "virtio-blk-pci,serial=VIRT0001", 64)
VIRTIO_PLAIN = Device("virtio-plain", "virtio-blk-pci", 64)
NVME = Device("nvme", "nvme,bus=slot0,serial=NVME0001", 64)  # only ever plugged in later: its state cannot be saved

DISKS = (
    *(SATA_HDD, SATA_SSD, SATA_PLAIN, DVD, SCSI_WWN, SCSI_PLAIN, TWIN_A, TWIN_B, ODD),
    *(USB_BOX, USB, USB_DISK, SD, VIRTIO, VIRTIO_PLAIN),
)
