# shellcheck shell=bash
# Testing: here, in clean roots of other releases, in virtual computers. Read by ./dev.

# Where thousands of tests run beside others' work, one that failed is tried once more, and said to be unsteady at the end.
twice=(--reruns=1)

run_tests() {
    check_rights test
    case ${1:-} in
    --all) test_all; return ;;
    --touched) test_touched; return ;;
    --machine) shift; setup_test; test_machine smoke "$@"; return ;;
    --elsewhere) shift; test_elsewhere "$@"; return ;;
    esac
    setup_test
    say "testing, with a private bus, polkit and helper"
    case "$*" in *tests/packages*) install_packages "$checkout"/packaging/packages-{build,review}.txt ;; esac
    if [ $# -gt 0 ]; then here=$checkout pytest_privately "$@"; else side_by_side; fi
}

side_by_side() { # [ARG...]: the usual run: what measures is alone in its system, and so is what looks at the bus
    local kept status=0 ended number=0 runs=()
    local parts=("tests/bus" "tests/gui tests/unit tests/distribution --ignore-glob=*/gui/test_real*" "tests/end2end tests/simdisk tests/packages tests/gui/test_real*.py")
    kept=$(mktemp -d)
    cd "$checkout"
    here=$checkout
    say "three parts run side by side, in all about $((5 + 20 / $(nproc))) minutes here; what each said comes at its end"
    for number in "${!parts[@]}"; do
        test_part "${parts[$number]}" "$kept/$number" "$@" &
        runs+=($!)
    done
    trap 'kill "${runs[@]}" 2>/dev/null || true' TERM HUP INT
    for number in "${!runs[@]}"; do
        while :; do # a signal ends the wait before the run has
            ended=0
            wait "${runs[$number]}" || ended=$?
            kill -0 "${runs[$number]}" 2>/dev/null || break
        done
        status=$((ended > status ? ended : status))
    done
    trap - TERM HUP INT
    rm -rf "$kept"
    return "$status"
}

test_part() { # WORDS FILE [ARG...]: prints what it said at once when it is over, and a line of it
    local status=0
    # shellcheck disable=SC2086 # words and a pattern
    pytest_privately "${twice[@]}" --durations=10 --durations-min=2 $1 "${@:3}" >"$2" 2>&1 || status=$?
    flock "${2%/*}" cat "$2"
    say "${1%% --*}: $(tail -n 1 "$2" | tr -d =)"
    return "$status"
}

pytest_privately() (
    # Its disks are files, and /tmp may lie in memory. A folder that stayed would be somebody else's once a user was
    # added to the machine: who tests has the first free number.
    place=$(mktemp -d /var/tmp/tests.XXXXXX)
    trap 'as_root rm -rf "$place"' EXIT
    chmod 1777 "$place"
    DISKTUNER_COMMIT=$(git -C "$checkout" rev-parse HEAD 2>/dev/null || echo 0) QT_QPA_PLATFORM=offscreen \
        PYTEST_DEBUG_TEMPROOT=$place privately test python -I -m pytest -p no:cacheprovider "$@"
)

test_touched() {
    local since=${DISKTUNER_SINCE:-} chosen
    setup_test
    if [ -z "$since" ]; then since=$(git -C "$checkout" rev-list -1 --before='12 hours ago' HEAD); fi
    mapfile -t chosen < <(git -C "$checkout" diff --name-only "${since:-HEAD}" | isolated "$python" "$checkout/tests/touched.py")
    say "of the tests that take long, what was touched since ${since:0:9}: ${chosen[*]:-none}"
    if [ ${#chosen[@]} -eq 0 ]; then return; fi
    DISKTUNER_MOST=${DISKTUNER_MOST:-20} run_tests "${twice[@]}" -m long "${chosen[@]}"
}

test_all() {
    local status=0 suite who
    setup_test
    install_packages "$checkout"/packaging/packages-{build,review}.txt
    export DISKTUNER_TESTS=all
    (side_by_side -m '') || status=$?
    (test_machine machine tests/machine) || status=$?
    for suite in trixie noble bookworm; do
        for who in user root sudo; do (test_elsewhere "$suite" "$who" --) || status=$?; done
    done
    return "$status"
}

test_machine() { # MARKS [ARG...]: a virtual computer is private enough: no private system around it
    local suites=(qemu trixie) which=$1
    shift
    if [ $# -gt 0 ]; then
        suites+=(bookworm)
        which=machine
        install_packages "$checkout/packaging/packages-build.txt"
    fi
    build_machine "${suites[@]}"
    cd "$checkout"
    "$python" -I -m pytest "${twice[@]}" -p no:cacheprovider -m "$which" --durations=12 "${@:-tests/machine}"
}

test_elsewhere() ( # SUITE [WHO [ARG...]]
    local suite=${1:-} who=${2:-user} place root packages known=() variable
    local arguments=("${@:3}")
    if [ ${#arguments[@]} -eq 0 ]; then arguments=("${twice[@]}" tests/bus tests/unit tests/distribution); fi
    check_suite "$suite"
    case $who in
    bare) packages=$'python3-venv\nca-certificates' ;;
    user | root | sudo) packages=$(cat "$checkout"/packaging/packages-{run,test}.txt | grep -v '^#' | sort -u) ;;
    *) fail "'$who' is nobody who tests. Say user, root, sudo or bare." ;;
    esac
    install_packages "$checkout/packaging/packages-machine.txt"
    say "a root of $suite to test in (made once)"
    root=$(as_root xargs "$checkout/packaging/root" make "$suite" "$roots" <<<"$packages")
    place=$(mktemp -d /var/tmp/disktuner-elsewhere.XXXXXX) # on a disk
    trap 'as_root rm -rf "$place"' EXIT
    chmod 755 "$place"
    mkdir -p "$place"/{home/newcomer/disktuner,pip,tmp}
    { tar -C "$checkout" --exclude={.venv,.'*_cache',.hypothesis,__pycache__} --exclude=./{build,dist,results,screenshots} -c . ||
        [ $? -eq 1 ]; } | # 1: what runs beside this wrote into a folder while it was read
        tar -C "$place/home/newcomer/disktuner" -x
    # This machine's way to the libraries.
    [ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$place/pip"
    for variable in "${!PIP_@}"; do known+=("$variable=${!variable}"); done
    as_root "$checkout/packaging/root" copy "$root" "$place/home:/home" "$place/tmp:/var/tmp" "$place/pip:/etc/xdg/pip" \
        /etc/ssl/certs:/etc/ssl/certs -- \
        env "${known[@]}" bash /home/newcomer/disktuner/tests/newcomer "$who" "${arguments[@]}"
)
roots=${XDG_CACHE_HOME:-/var/tmp}/disktuner-packages

build_machine() { # SUITE...: what the virtual computer is made of; DISKTUNER_MACHINE says where
    local images=${XDG_CACHE_HOME:-/var/tmp}/disktuner-machine suite built=()
    install_packages "$checkout/packaging/packages-machine.txt"
    as_root mkdir -p "$images"
    if [ -n "$(find "$images" -maxdepth 0 '(' ! -user root -o -perm /022 ')')" ]; then
        fail "what lies in $images is run, and it is not root's alone. Remove it, or name another place in XDG_CACHE_HOME."
    fi
    for suite in "$@"; do
        say "the test machine: $suite (built once, of Debian's packages)"
        built+=("$(as_root "$checkout/tests/machine/build-image" "$suite" "$images")")
    done
    export DISKTUNER_MACHINE=${built[*]}
}
