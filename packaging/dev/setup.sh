# shellcheck shell=bash
# Setting up: what is looked at first, the libraries in .venv, the languages. Read by ./dev.

check_place() { # LOCK: what would end in the middle of setting up is said before anything is downloaded
    local closed
    if is_installed "$1"; then return; fi
    closed=$(find "$checkout" "$checkout/.venv" -maxdepth 0 ! -writable -print -quit 2>/dev/null) || true
    if [ -n "$closed" ]; then
        fail "you may not write in $closed, which belongs to $(stat -c %U "$closed"), and the libraries go there." \
            "Start ./dev as that user, or: sudo chown -R $(id -un): $checkout"
    fi
}

check_rights() { # run|test: so is what would end after it
    local closed
    if [ "$1" = run ] && uses_installed; then return; fi
    if [ "$1" = test ] || [ "$(unprivileged_user)" = - ]; then
        closed=$(cd "$checkout" && find app helper packaging resources -name __pycache__ -prune -o \
            '(' ! -perm -o=r -o -type d ! -perm -o=x ')' -print -quit)
        [ -z "$closed" ] || fail "other users may not read $checkout/$closed, and some are needed here. Let them: chmod -R go+rX $checkout"
    fi
    as_root true || fail "this needs root's rights for a private bus. Start it as a user who may use sudo, or as root."
    if ! as_root unshare --mount --pid --fork --propagation private mount -t tmpfs disktuner /mnt 2>/dev/null; then
        fail "this system lets not even root mount anything (CAP_SYS_ADMIN), which the private bus needs." \
            "Start the container with --privileged, or use a virtual machine."
    fi
}

check_folder() { # what is measured without a screen lies on a disk
    case $(stat -f -c %T .) in
    tmpfs | ramfs) fail "this folder, $here, lies in memory. Change to one on the disk that you want to know of, and start this there." ;;
    esac
}

stamp_of() { # LOCK: what stands in .venv/installed where that is done
    echo "$(basename "$1") $(isolated /usr/bin/python3 --version) $(sha256sum <"$1")"
}

is_installed() { # LOCK
    [ -f "$checkout/.venv/installed" ] && grep -qxF "$(stamp_of "$1")" "$checkout/.venv/installed"
}

install_libraries() { # LOCK [PART...]: into the checkout's own environment, exactly the locked versions; LOCK has all of each PART
    local lock=$1 part modules=(msgspec numpy PySide6 pyudev rich) # without what needs a screen's libraries
    if is_installed "$lock"; then return; fi
    say "installing the Python libraries of requirements/$(basename "$lock") into .venv"
    if ! isolated "$python" -c 'import pip' 2>/dev/null; then
        # venv would start ensurepip without -I.
        isolated /usr/bin/python3 -m venv --clear --system-site-packages --without-pip "$checkout/.venv"
        isolated "$python" -m ensurepip >/dev/null
    fi
    install_locked "$checkout/.venv" "$lock"
    case $lock in */dev.lock) modules+=(babel hypothesis importlinter mypy pexpect pytest pytestqt scipy shtab) ;; esac
    isolated "$python" -c "import $(IFS=,; echo "${modules[*]}")" ||
        fail "the libraries were installed and cannot be used. Remove $checkout/.venv and start this again; if it stays so, see above."
    for part in "$@"; do stamp_of "$part" >>"$checkout/.venv/installed"; done
}

install_locked() { # ENVIRONMENT LOCK
    # Without pip's --isolated: the machine's way to the packages may stand in PIP_* variables or the user's pip.conf. Where they
    # would go by those (user, target, prefix, root) is undone.
    isolated "$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --no-user --target= --prefix="$1" --root=/ \
        --require-hashes -r "$2" >&2 ||
        fail "the libraries of requirements/$(basename "$2") did not come: pip says why, above. With a network, start this again."
}

install_apart() { # NAME MODULE [OPTION]: what is only called, into an environment of its own, of venv's OPTION
    local lock=$checkout/requirements/$1.lock place=$checkout/.venv/$1
    if [ -f "$place/installed" ] && grep -qxF "$(stamp_of "$lock")" "$place/installed"; then return; fi
    say "installing the libraries of requirements/$1.lock into .venv/$1"
    isolated /usr/bin/python3 -m venv --clear --without-pip "${@:3}" "$place"
    isolated "$place/bin/python" -m ensurepip >/dev/null
    install_locked "$place" "$lock"
    isolated "$place/bin/python" -c "import $2"
    stamp_of "$lock" >"$place/installed"
}

compile_app() { # who starts it may not be who may write here, or root: its files would be left
    [ -w "$checkout/app" ] || return 0
    isolated "$python" -m compileall -q "$checkout/app" "$checkout/helper" || true
}

compile_languages() { # what `disktuner` reads of them; where only another user may write here, it is there or English
    local source
    [ -w "$checkout/resources/languages" ] || return 0
    for source in "$checkout"/resources/languages/*.po; do
        [ "$source" -nt "${source%.po}.mo" ] || continue
        msgfmt --check --output-file="${source%.po}.mo" "$source" || true
    done
}

pages() { # the manual pages and completions, if what they are made of is newer: in resources/, and no part of the sources
    local made=$checkout/resources/man/disktuner.1
    if [ -e "$made" ] && [ ! -w "$checkout/resources" ]; then return; fi # another user's
    if "$checkout/packaging/place" --ready 2>/dev/null && [ -z "$(find "$checkout"/{app,helper,packaging/pages.py,pyproject.toml,requirements/pages.lock,resources/languages} \
        -type f ! -name '*.pyc' ! -name '*.mo' -newer "$made" -print -quit)" ]; then return; fi
    check_place "$checkout/requirements/pages.lock"
    install_packages "$checkout/packaging/packages-pages.txt"
    # For python3-gi. Other libraries of the system's may go or change.
    PIP_IGNORE_INSTALLED=1 install_apart pages shtab --system-site-packages
    compile_languages
    isolated "$checkout/.venv/pages/bin/python" "$checkout/packaging/pages.py" "$checkout/resources"
}

setup_run() {
    check_place "$checkout/requirements/app.lock"
    install_packages "$checkout/packaging/packages-run.txt"
    install_libraries "$checkout/requirements/app.lock"
    compile_app
    compile_languages
}

setup_test() {
    check_place "$checkout/requirements/dev.lock"
    install_packages "$checkout/packaging/packages-run.txt" "$checkout/packaging/packages-test.txt"
    install_libraries "$checkout/requirements/dev.lock" "$checkout/requirements/app.lock"
    install_apart ansible ansible
    compile_app
    compile_languages
    pages
}

setup_check() { # format, lint and types need nothing of what tests do
    check_place "$checkout/requirements/dev.lock"
    install_packages "$checkout/packaging/packages-check.txt"
    install_libraries "$checkout/requirements/dev.lock" "$checkout/requirements/app.lock"
}

setup_install() { # the app's libraries come from the distribution where it has them, else packaging/install gets them
    local version
    install_packages "$checkout/packaging/packages-run.txt"
    version=$(dpkg-query -W -f '${Version}' python3-pyside6.qtcore 2>/dev/null ||
        apt-cache show --no-all-versions python3-pyside6.qtcore 2>/dev/null | sed -n 's/^Version: //p') || true
    if [ -n "$version" ] && dpkg --compare-versions "$version" ge 6.8; then
        install_packages "$checkout/packaging/packages-libraries.txt"
    fi
}
