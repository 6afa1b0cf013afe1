# SPDX-License-Identifier: GPL-3.0-or-later
"""The guests whose disks are recorded: QEMU's arguments, and what the guest does before it records itself.

QEMU emulates the controllers and drives; the kernel, its drivers, udev, lvm, cryptsetup, mdadm and lsblk in the
guest are real. File systems are mounted only on folders whose names the recorder leaves readable.
"""

from __future__ import annotations

from dataclasses import dataclass

NVME_MODEL = "WD_BLACK SN770"
"""QEMU cannot be told another NVMe model: `record` changes this name of equal length in a copy of it."""


@dataclass(frozen=True, slots=True)
class Guest:
    """One machine. ``root`` is the device that carries the system; ``renamed`` asks for the other NVMe model."""

    name: str
    suite: str
    root: str
    devices: tuple[str, ...]
    script: str = ""
    renamed: bool = False


def drive(name: str, size: str, device: str) -> tuple[str, ...]:
    """A drive whose content lasts as long as the guest."""
    return ("-drive", f"file=/tmp/{name}:{size},id={name}", "-device", f"{device},drive={name}")


AHCI = ("-device", "ahci,id=ahci")
XHCI = ("-device", "qemu-xhci,id=xhci,p2=8,p3=8")
SATA_ROOT = (
    "ide-hd,bus=ide.0,model=Samsung SSD 860 EVO 500GB,serial=S3Z2NB0K123456,rotation_rate=1,wwn=0x5002538e40a1b2c3"
)
LUKS = "printf secret | cryptsetup -q luksFormat --pbkdf pbkdf2 --pbkdf-force-iterations 1000"
OPEN = "printf secret | cryptsetup open"

DESKTOP = Guest(
    "desktop", "trixie", SATA_ROOT,
    (
        *AHCI, *XHCI,
        *drive("hdd", "2T", "ide-hd,bus=ahci.0,model=ST2000DM008-2FR102,serial=ZFL0ABCD,rotation_rate=7200,wwn=0x5000c500a1b2c3d4"),
        *drive("quiet", "1T", "ide-hd,bus=ahci.1,model=Generic 1TB,serial=GEN001"),
        *drive("old", "160G", "ide-hd,bus=ahci.2,model=INTEL SSDSA2M160G2GC,serial=CVPO0001"),
        "-device", "ide-cd,bus=ahci.3,model=HL-DT-ST DVDRAM GH24NSD1",
    ),
    """
    printf 'size=1G\\nsize=2G\\n' | sfdisk -q -X gpt /dev/disk/by-id/*ZFL0ABCD
    udevadm settle
    hdd=$(readlink -f /dev/disk/by-id/ata-ST2000DM008-2FR102_ZFL0ABCD)
    mkfs.ext4 -q ${hdd}1; mkfs.xfs -q ${hdd}2
    mkdir -p /srv/data /mnt/data
    mount ${hdd}1 /srv/data; mount ${hdd}2 /mnt/data
    mkdir -p /srv/data/home; mount --bind /srv/data/home /home
    """,
)  # fmt: skip

USB = Guest(
    "usb", "trixie", "virtio-blk-pci",
    (
        *XHCI,
        "-device", "usb-bot,id=pocket,bus=xhci.0",
        *drive("stick", "8G", "scsi-hd,bus=pocket.0,scsi-id=0,lun=0,removable=on,vendor=SanDisk,product=Ultra Fit,serial=4C53"),
        *drive("disk", "1T", "usb-storage,bus=xhci.0,removable=off,serial=57584131"),
        "-device", "usb-uas,id=uas,bus=xhci.0",
        *drive("ssd", "500G", "scsi-hd,bus=uas.0,scsi-id=0,lun=0,vendor=Samsung,product=PSSD T7,rotation_rate=1,serial=S5T7"),
        "-device", "usb-uas,id=uas2,bus=xhci.0",
        *drive("hdd", "4T", "scsi-hd,bus=uas2.0,scsi-id=0,lun=0,vendor=WD,product=Elements 25A3,rotation_rate=5400,serial=WX41"),
        "-device", "usb-bot,id=bot,bus=xhci.0",
        *drive("bridge", "250G", "scsi-hd,bus=bot.0,scsi-id=0,lun=0,vendor=JMicron,product=Generic SSD,serial=DD56"),
    ),
    """
    stick=$(lsblk -dnpo NAME,MODEL | awk '/Ultra/ {print $1}')
    printf 'size=1G,type=c\\n' | sfdisk -q $stick; udevadm settle
    mkfs.vfat ${stick}1 >/dev/null; mount ${stick}1 /media
    """,
)  # fmt: skip

SD_CARD = Guest(
    "sd-card", "trixie", "virtio-blk-pci",
    (
        "-device", "sdhci-pci,id=sd",
        *drive("card", "16G", "sd-card,bus=sd-bus"),
    ),
    """
    printf 'size=64M,type=c\\nsize=64M\\n' | sfdisk -q /dev/mmcblk0; udevadm settle
    mkfs.vfat /dev/mmcblk0p1 >/dev/null; mkfs.ext4 -q /dev/mmcblk0p2
    mount /dev/mmcblk0p2 /srv; mkdir /srv/boot; mount /dev/mmcblk0p1 /srv/boot
    """,
)  # fmt: skip

LAPTOP = Guest(
    "laptop", "trixie", "nvme,serial=21234F800001",
    drive("data", "500G", "nvme,serial=21234F800002"),
    f"""
    printf 'size=512M,type=uefi\\n,\\n' | sfdisk -q -X gpt /dev/nvme1n1; udevadm settle
    mkfs.vfat /dev/nvme1n1p1 >/dev/null; mkdir -p /boot/efi; mount /dev/nvme1n1p1 /boot/efi
    {LUKS} /dev/nvme1n1p2 -; {OPEN} /dev/nvme1n1p2 luks-data -
    vgcreate -q vg-a /dev/mapper/luks-data
    lvcreate -q -Wn -L 2G -n swap vg-a; lvcreate -q -Wn -L 20G -n home vg-a
    mkswap -q /dev/vg-a/swap; swapon /dev/vg-a/swap
    mkfs.btrfs -q /dev/vg-a/home; mount /dev/vg-a/home /home
    btrfs -q subvolume create /home/data; mount -o subvol=data /dev/vg-a/home /srv
    modprobe zram; udevadm settle; sleep 1; echo 1G > /sys/block/zram0/disksize; mkswap -q /dev/zram0; swapon -p 100 /dev/zram0
    """,
    renamed=True,
)  # fmt: skip

NVME_PATHS = Guest(
    "nvme-multipath", "trixie", "virtio-blk-pci",
    (
        "-device", "nvme-subsys,id=sub,nqn=shared",
        "-device", "nvme,serial=MULTI1,subsys=sub", "-device", "nvme,serial=MULTI1,subsys=sub",
        *drive("shared", "100G", "nvme-ns,nsid=1,shared=on,bus=nvme-bus.0"),
        "-device", "nvme,serial=ZNS1,id=zns",
        *drive("zoned", "4G", "nvme-ns,bus=zns,zoned=true,zoned.zone_size=128M"),
    ),
    """
    printf ',\\n' | sfdisk -q /dev/nvme0n1; udevadm settle
    mkfs.ext4 -q /dev/nvme0n1p1; mount /dev/nvme0n1p1 /srv
    """,
    renamed=True,
)  # fmt: skip

SAS_SERVER = Guest(
    "sas-server", "bookworm", SATA_ROOT,
    (
        "-device", "mptsas1068,id=sas",
        *(
            word
            for number in range(5)
            for word in drive(
                f"sas{number}", "600G",
                f"scsi-hd,bus=sas.0,scsi-id={number},vendor=SEAGATE,product=ST600MM0009,rotation_rate=10000,"
                f"serial=S0M{number}ABCD,wwn=0x5000c500f00000{number}1,port_wwn=0x5000c500f00000{number}2",
            )
        ),
        *drive("flash", "400G", "scsi-hd,bus=sas.0,scsi-id=6,vendor=TOSHIBA,product=PX05SMB040,rotation_rate=1,"
               "serial=Y7A0,wwn=0x50000399c8000001"),
    ),
    """
    set -- $(lsblk -dnpo NAME,MODEL | awk '/ST600/ {print $1}')
    flash=$(lsblk -dnpo NAME,MODEL | awk '/PX05/ {print $1}')
    modprobe -a raid1 raid456 dm-raid dm-thin-pool dm-cache dm-mirror
    mdadm -q -C /dev/md0 --run -l1 -n2 --assume-clean --metadata=1.2 $1 $2
    mdadm -q -C /dev/md1 --run -l5 -n3 --assume-clean --metadata=1.2 $3 $4 $5
    vgcreate -q vg /dev/md0 /dev/md1 $flash
    lvcreate -q -Wn -T -L 10G vg/pool /dev/md1; lvcreate -q -Wn -V 50G -T vg/pool -n thin
    lvcreate -q -Wn -L 20G -n slow vg /dev/md0
    lvcreate -q -y --type cache-pool -L 4G -n fast vg $flash
    lvconvert -q -y --type cache --cachepool vg/fast vg/slow
    lvcreate -q -Wn --type raid1 --nosync -m1 -L 5G -n mirror vg /dev/md0 /dev/md1
    mkfs.xfs -q /dev/vg/thin; mkfs.ext4 -q /dev/vg/slow; mkfs.ext4 -q /dev/vg/mirror
    mkdir -p /srv/data /srv/home
    mount /dev/vg/thin /srv/data; mount /dev/vg/slow /srv/home; mount /dev/vg/mirror /opt
    """,
)  # fmt: skip

RAID_CARD = Guest(
    "raid-card", "bookworm", "virtio-blk-pci",
    (
        "-device", "megasas-gen2,id=raid",
        *drive("volume", "8T", "scsi-hd,bus=raid.0,scsi-id=0,vendor=LSI,product=MR9261-8i,serial=00a1b2"),
        "-device", "lsi53c895a,id=old",
        *drive("parallel", "73G", "scsi-hd,bus=old.0,scsi-id=1,vendor=FUJITSU,product=MAW3073NP,rotation_rate=10025"),
        "-device", "pvscsi,id=pv",
        *drive("vmware", "40G", "scsi-hd,bus=pv.0,scsi-id=0,vendor=VMware,product=Virtual disk"),
    ),
)  # fmt: skip

CLOUD = Guest(
    "cloud", "bookworm", "virtio-blk-pci",
    (
        *drive("named", "20G", "virtio-blk-pci,serial=vol-0a1b2c"),
        "-device", "virtio-scsi-pci,id=scsi",
        *drive("google", "50G", "scsi-hd,bus=scsi.0,vendor=Google,product=PersistentDisk,rotation_rate=1,device_id=data"),
        *drive("plain", "10G", "scsi-hd,bus=scsi.0"),
    ),
    """
    mkfs.ext4 -q /dev/vdb; mount /dev/vdb /var/lib
    """,
)  # fmt: skip

FABRICS = Guest(
    "fabrics", "trixie", "virtio-blk-pci", (),
    """
    ip link set lo up
    modprobe -a nvmet nvmet-tcp nvme-tcp nbd iscsi_tcp
    truncate -s 3G /tmp/tcp; truncate -s 2G /tmp/nbd; truncate -s 1G /tmp/iscsi
    mount -t configfs none /sys/kernel/config 2>/dev/null
    sub=/sys/kernel/config/nvmet/subsystems/far; port=/sys/kernel/config/nvmet/ports/1
    mkdir $sub; echo 1 > $sub/attr_allow_any_host; mkdir $sub/namespaces/1
    echo /tmp/tcp > $sub/namespaces/1/device_path; echo 1 > $sub/namespaces/1/enable
    mkdir $port; echo tcp > $port/addr_trtype; echo ipv4 > $port/addr_adrfam
    echo 127.0.0.1 > $port/addr_traddr; echo 4420 > $port/addr_trsvcid; ln -s $sub $port/subsystems/far
    nvme connect -t tcp -a 127.0.0.1 -s 4420 -n far
    nbd-server 10809 /tmp/nbd; sleep 1; nbd-client 127.0.0.1 10809 /dev/nbd0
    tgtd; sleep 1
    tgtadm --lld iscsi --op new --mode target --tid 1 -T iqn.2026-01.test:one
    tgtadm --lld iscsi --op new --mode logicalunit --tid 1 --lun 1 -b /tmp/iscsi
    tgtadm --lld iscsi --op bind --mode target --tid 1 -I ALL
    echo InitiatorName=iqn.2026-01.test:me > /etc/iscsi/initiatorname.iscsi
    iscsid; sleep 1; iscsiadm -m discovery -t st -p 127.0.0.1; iscsiadm -m node -l; sleep 2
    nvme=$(lsblk -dnpo NAME | grep nvme | head -1)
    mkfs.ext4 -q $nvme; mount $nvme /srv
    mkfs.ext4 -q /dev/nbd0; mount /dev/nbd0 /mnt
    """,
)  # fmt: skip

MULTIPATH = Guest(
    "dm-multipath", "bookworm", "virtio-blk-pci",
    (
        "-device", "virtio-scsi-pci,id=one", "-device", "virtio-scsi-pci,id=two",
        "-drive", "file=/tmp/lun:200G,id=lun", "-drive", "file=/tmp/lun:200G,id=again",
        "-device", "scsi-hd,bus=one.0,drive=lun,share-rw=on,vendor=ACME,product=Array,serial=80A1,wwn=0x600a098000000001",
        "-device", "scsi-hd,bus=two.0,drive=again,share-rw=on,vendor=ACME,product=Array,serial=80A1,wwn=0x600a098000000001",
    ),
    """
    modprobe dm-multipath
    printf 'defaults {\\n user_friendly_names yes\\n find_multipaths no\\n}\\n' > /etc/multipath.conf
    multipathd -B 2>/dev/null || multipathd; sleep 2; multipath -v2
    udevadm settle
    both=/dev/mapper/$(cat /sys/block/dm-0/dm/name); mkfs.ext4 -q $both; mount $both /srv
    """,
)  # fmt: skip

CACHES = Guest(
    "bcache-zoned", "trixie", "virtio-blk-pci",
    (
        *AHCI,
        *drive("big", "1T", "ide-hd,bus=ahci.0,model=WDC WD10EZEX-08WN4A0,serial=WCC6,rotation_rate=7200"),
        *drive("fast", "120G", "ide-hd,bus=ahci.1,model=KINGSTON SA400S37120G,serial=5002,rotation_rate=1"),
    ),
    """
    big=$(readlink -f /dev/disk/by-id/ata-WDC*WCC6); fast=$(readlink -f /dev/disk/by-id/ata-KINGSTON*5002)
    modprobe -a bcache null_blk scsi_debug
    make-bcache -B $big -C $fast; echo $big > /sys/fs/bcache/register; echo $fast > /sys/fs/bcache/register
    sleep 1; mkfs.ext4 -q /dev/bcache0; mount /dev/bcache0 /srv
    rmmod null_blk; modprobe null_blk nr_devices=1 zoned=1 zone_size=64 gb=1
    rmmod scsi_debug; modprobe scsi_debug zbc=managed zone_size_mb=16 dev_size_mb=128 sector_size=4096
    sleep 1
    """,
)  # fmt: skip

BTRFS = Guest(
    "btrfs-overlay", "trixie", "virtio-blk-pci",
    (
        *AHCI,
        *(
            word
            for number in range(3)
            for word in drive(f"nas{number}", "4T", f"ide-hd,bus=ahci.{number},model=WDC WD40EFRX-68N32N0,"
                              f"serial=WCC7K{number},rotation_rate=5400")
        ),
    ),
    """
    modprobe -a overlay btrfs loop; sleep 1
    mkfs.btrfs -q -d raid1 -m raid1 /dev/sda /dev/sdb /dev/sdc; btrfs device scan; mount /dev/sdb /srv
    mkdir -p /srv/opt /srv/var /srv/tmp; mount -t overlay overlay -o lowerdir=/srv/opt,upperdir=/srv/var,workdir=/srv/tmp /opt
    mkdir -p /srv/data; mount --bind /srv/data /mnt
    truncate -s 300M /srv/data/file; loop=$(losetup --show -fP /srv/data/file)
    printf 'size=100M\\n,\\n' | sfdisk -q $loop; udevadm settle; mkfs.ext4 -q ${loop}p2; mount ${loop}p2 /media
    """,
)  # fmt: skip

UFS = Guest(
    "ufs", "trixie", "virtio-blk-pci",
    ("-device", "ufs,id=ufs,serial=UFS1", *drive("lu", "64G", "ufs-lu,bus=ufs,lun=0")),
)  # fmt: skip

GUESTS = (
    DESKTOP, USB, SD_CARD, LAPTOP, NVME_PATHS, SAS_SERVER, RAID_CARD, CLOUD, FABRICS, MULTIPATH, CACHES,
    BTRFS, UFS,
)  # fmt: skip
