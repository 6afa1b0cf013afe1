# shellcheck shell=bash
# Running commands: in a private system or on the machine's own bus, in the caller's folder or one of the user's. Read by ./dev.

unprivileged_user() { # the user who runs the program: "-" stands for one made for the occasion
    if [ "$EUID" -ne 0 ]; then id -un; return; fi
    if [ "${SUDO_USER:-root}" != root ]; then echo "$SUDO_USER"; return; fi
    echo -
}

system_has_disktuner() {
    local each
    [ -S /run/dbus/system_bus_socket ] || return 1
    for each in /usr/local/share /usr/share; do
        if [ -e "$each/dbus-1/system-services/org.disktuner.Helper1.service" ]; then return; fi
    done
    return 1
}

tell_of_another_helper() { # what is installed may be of another version than this checkout
    local each folder=''
    for each in /usr/local /usr; do
        each=$each/libexec/disktuner-helper
        if [ -z "$folder" ] && [ -r "$each" ]; then folder=$(sed -n 's/^sys\.path\.insert(0, "\(.*\)")$/\1/p' "$each"); fi
    done
    if ! diff -rq --exclude={__pycache__,version} "$checkout/helper" "$folder" >/dev/null 2>&1; then
        say "Disktuner is installed, and its helper is not this checkout's: the installed one is used. ./dev install replaces it."
    fi
}

privately() { # run|test COMMAND...: in the private system
    local mode=$1 folder status=0 stopping='' outermost
    shift
    folder=$(mktemp -d /tmp/disktuner.XXXXXX)
    # In the background, so that being told to stop is passed on at once: the disk must get its scheduler back.
    # The trap only notes it: bash loses its way when a signal comes during a function called there, or during a $(…).
    trap 'stopping=yes' TERM HUP
    trap : INT
    as_root sh -c 'echo $$ >"$0/unshare" && exec unshare "$@"' "$folder" \
        --mount --pid --fork --kill-child=TERM --mount-proc --propagation private \
        "$checkout/packaging/private-system" "$mode" "$folder" "$checkout" "$here" "$given" "$(unprivileged_user)" "$@" <&0 &
    while :; do
        wait "$!" && status=0 || status=$?
        if [ -n "$stopping" ] && read -r outermost <"$folder/unshare"; then as_root pkill -TERM --parent "$outermost" || true; fi
        stopping=''
        kill -0 "$!" 2>/dev/null || break
    done
    flock "$folder" rm -f "$folder/unshare" # private-system has the lock until its end; unshare may be killed before it
    trap - TERM HUP INT
    rmdir "$folder" || say "could not remove $folder"
    if [ "$mode" = run ]; then forget_empty_state; fi
    return "$status"
}

forget_empty_state() { # the helper's state of the machine, where nothing is kept in it and no other helper is at work
    [ -e /run/disktuner/lock ] || return 0
    as_root flock --nonblock /run/disktuner/lock bash -c '
        for file in /run/disktuner/trials.json /run/disktuner/snapshots.json; do
            if [ -e "$file" ] && [ "$(tr -d " \n" <"$file")" = "{}" ]; then rm -f "$file"; fi
        done
        rm -f /run/disktuner/lock
        rmdir --ignore-fail-on-non-empty /run/disktuner/hold /run/disktuner' 2>/dev/null || true
}

uses_installed() { # rather than a private system
    [ "$EUID" -ne 0 ] && system_has_disktuner
}

in_environment() { # COMMAND...: on the machine's own bus where Disktuner is installed, else privately
    if uses_installed; then
        tell_of_another_helper
        PYTHONPATH=$checkout/app PATH=$checkout/packaging/bin:$checkout/.venv/bin:$PATH env --chdir="$here" "$@"
    else
        privately run "$@"
    fi
}

run() {
    local has_screen=${DISPLAY:-}${WAYLAND_DISPLAY:-}
    [ -n "$has_screen" ] || check_folder
    check_rights run
    setup_run
    if [ -n "$has_screen" ]; then
        in_environment disktuner
    else
        say "no screen: doing the same in the terminal"
        run_without_screen
    fi
}

run_without_screen() {
    local file status=0
    in_own_folder results in_environment main-job || status=$?
    for file in "${kept[@]}"; do
        case $file in
        *.json) echo "Result: ./results/$file" ;;
        *.png) echo "Card: ./results/$file" ;;
        *.html) echo "Report: ./results/$file" ;;
        esac
    done
    command -v disktuner >/dev/null || echo "From this checkout, disktuner is ./dev exec disktuner."
    return "$status"
}

in_own_folder() { # PLACE COMMAND...: in a new folder of the user's in ./PLACE; what it leaves there goes to ./PLACE (kept)
    local place=$1 caller=$here name lock files status=0
    shift
    read -r name given < <(workplace make "$place" "${lent[@]}") || return 1
    here=$here/$place/$name
    exec {lock}<"$here/."
    flock -n "$lock" || true # tells other runs that the folder is not abandoned
    "$@" || status=$?
    files=$(workplace clear "$place" "$name" "$given") || status=1
    mapfile -t kept < <(printf %s "$files")
    exec {lock}<&-
    here=$caller given=''
    return "$status"
}
given='' kept=() lent=()

execute() { # COMMAND...
    check_rights run
    setup_run
    if [ "$EUID" -eq 0 ] && [ "$(unprivileged_user)" = - ] && [ -w . ] && ! uses_installed; then
        # Who runs it may neither write here nor read what is root's: what it makes comes here, what it is to read goes there.
        lent=("${@:2}")
        in_own_folder . in_environment "$@"
    else
        in_environment "$@"
    fi
}

workplace() { # see there: the folder to work in is handed to it open
    (cd / && exec /usr/bin/python3 -I "$checkout/packaging/workplace.py" "$@") 3<.
}
