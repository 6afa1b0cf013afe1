# shellcheck shell=bash
# Installing packages of the distribution. Read by ./dev.

missing_packages() { # FILE...: those of the listed packages that are not installed
    local name
    grep -hv '^#' "$@" | while read -r name; do
        dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null | grep -qx installed || echo "$name"
    done
}

without_cluster() { # CMD...: PostgreSQL's package makes no cluster of its own meanwhile, so there is no server to start
    local file=/etc/postgresql-common/createcluster.d/disktuner.conf status=0
    as_root sh -c "mkdir -p ${file%/*} && echo 'create_main_cluster = false' >$file"
    "$@" || status=$?
    as_root rm -f "$file"
    as_root rmdir --parents --ignore-fail-on-non-empty "${file%/*}" 2>/dev/null || true
    return "$status"
}

install_packages() { # FILE...
    if [ -n "$installed" ]; then return; fi
    command -v dpkg-query >/dev/null ||
        fail "only on Debian and Ubuntu this installs what it needs. Elsewhere install what $* list (by Debian's names)," \
            "then start ./dev --installed in the place of ./dev."
    local missing
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    ask_to_install "${missing[@]}"
    update_lists
    local quietly=()
    case " ${missing[*]} " in *' postgresql '*) quietly=(without_cluster) ;; esac
    # What an earlier attempt left half done is finished first.
    "${quietly[@]}" install_now "${missing[@]}" || { as_root dpkg --configure -a >&2; "${quietly[@]}" install_now "${missing[@]}"; }
}

ask_to_install() { # PACKAGE...: says what and how much; goes on where nobody is there to be asked
    local bytes answer
    # Before the first apt-get update, it may know none of them.
    bytes=$(apt-get install --print-uris -qq -y --no-install-recommends "$@" 2>/dev/null | awk '{ sum += $3 } END { print sum + 0 }') || bytes=''
    say "this needs packages of the distribution${bytes:+ (with what they need, $((bytes / 1000000)) MB to download)}: $*"
    if [ -n "$yes" ] || [ ! -t 0 ] || [ ! -t 2 ]; then return; fi
    read -r -p "dev: install them? [Y/n] " answer
    case $answer in '' | [Yy]*) ;; *) fail "nothing was installed. What is needed is listed in packaging/packages-*.txt." ;; esac
}
yes=${CI:-} installed=''

update_lists() { # waits for whoever else installs something: apt-get does so only for the lock of dpkg
    local said told=''
    until said=$(as_root apt-get update -qq 2>&1); do
        case $said in
        *'Could not get lock'*)
            [ -n "$told" ] || say "waiting for another program that installs packages"
            told=yes
            sleep 1 ;;
        *) # a source of somebody else's, perhaps: what the others know is enough, or the next step says what is not
            say "apt-get update failed, so this goes on with what is known: $(grep '^[EW]:' <<<"$said" | tail -n 1)"
            return ;;
        esac
    done
}

install_now() { # PACKAGE...
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends -o DPkg::Lock::Timeout=600 "$@" \
        >/dev/null 2> >(grep -v 'apt-utils is not installed' >&2)
}

install_compared() { # what a bench compares with: where the distribution lacks it, the bench says so and goes on
    local missing name known=()
    mapfile -t missing < <(missing_packages "$checkout/packaging/packages-bench.txt")
    for name in "${missing[@]}"; do
        if apt-cache show "$name" >/dev/null 2>&1; then known+=("$name"); fi
    done
    [ ${#known[@]} -gt 0 ] || return 0
    say "installing what is compared with: ${known[*]}"
    # RUNLEVEL=1: no service of theirs may start (tuned changes the machine's settings).
    as_root env RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
        -o DPkg::Lock::Timeout=600 "${known[@]}" >/dev/null
    case " ${known[*]} " in *' tuned-gtk '*)
        if command -v systemctl >/dev/null; then as_root systemctl disable --quiet tuned 2>/dev/null || true; fi ;;
    esac
}
